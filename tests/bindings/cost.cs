// The cost of the C# binding: see cost.c.
using System;
using System.Diagnostics;
using Pharos;

public static class Cost
{
    private const int Entities = 10000, Ticks = 40;

    private static void Place(Position[] positions, int tick)
    {
        for (int i = 0; i < Entities; i++)
        {
            int id = i + 1;
            positions[i].X = (id * 37 + tick * (id % 7 + 1)) % 1000;
            positions[i].Y = (id * 91 + tick * (id % 5 + 1)) % 1000;
        }
    }

    private static double Nanoseconds(Stopwatch watch)
    {
        return watch.ElapsedTicks * 1e9 / Stopwatch.Frequency;
    }

    public static unsafe void Main()
    {
        WorldDef def = World.DefaultDef();
        def.WorldSize[0] = def.WorldSize[1] = 1000;
        Class row = World.DefaultClass("default");
        row.View = 20;
        ulong[] ids = new ulong[Entities];
        Attrs[] attrs = new Attrs[Entities];
        Position[] positions = new Position[Entities];
        Stopwatch moves = new Stopwatch(), reads = new Stopwatch();
        ulong events = 0, sum = 0;
        int done;
        using (World world = new World(def, row))
        using (Producer producer = world.OpenProducer())
        using (Consumer consumer = world.OpenConsumer(0))
        {
            Place(positions, 0);
            for (int i = 0; i < Entities; i++)
            {
                ids[i] = (ulong)i + 1;
                attrs[i] = Producer.At(positions[i].X, positions[i].Y);
            }
            producer.EnterMany(ids, attrs, out done);
            for (int tick = 1; tick <= Ticks; tick++)
            {
                Place(positions, tick);
                moves.Start();
                producer.MoveMany(ids, positions, out done);
                moves.Stop();
                world.Tick();
                reads.Start();
                for (Batch batch = consumer.Take(); batch != null; batch.Dispose(), batch = consumer.Take())
                {
                    foreach (Change change in batch.Changes)
                    {
                        foreach (Target target in batch.Leaves(change)) sum += change.Observer + 3 * target.Id;
                        foreach (Target target in batch.Enters(change)) sum += change.Observer + 2 * target.Id;
                        events += change.LeaveCount + change.EnterCount;
                    }
                }
                reads.Stop();
            }
        }
        Console.WriteLine($"events {events} sum {sum}");
        Console.WriteLine("C#: {0:F1} ns a move, {1:F1} ns an event", Nanoseconds(moves) / (Entities * Ticks),
                          Nanoseconds(reads) / events);
    }
}
