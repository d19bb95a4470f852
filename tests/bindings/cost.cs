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

    private static unsafe ulong ReadPointers(BatchRecord* batch)
    {
        ulong sum = 0;
        for (uint i = 0; i < batch->ChangeCount; i++)
        {
            Change* change = batch->Changes + i;
            Target* target = batch->Targets + change->First;
            Target* enters = target + change->LeaveCount, end = enters + change->EnterCount;
            for (; target < enters; target++) sum += change->Observer + 3 * target->Id;
            for (; target < end; target++) sum += change->Observer + 2 * target->Id;
        }
        return sum;
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
        Stopwatch moves = new Stopwatch(), reads = new Stopwatch(), pointers = new Stopwatch();
        ulong events = 0, sum = 0, sumOfPointers = 0;
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
                    pointers.Start();
                    sumOfPointers += ReadPointers(batch.Record);
                    pointers.Stop();
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
        if (sumOfPointers != sum) throw new Exception($"by pointers the sum is {sumOfPointers}");
        double byPointers = Nanoseconds(pointers) / events;
        Console.WriteLine("C# (Mono): {0:F1} ns a move, {1:F1} ns an event by pointers, {2:F1} by spans",
                          Nanoseconds(moves) / (Entities * Ticks), byPointers, Nanoseconds(reads) / events - byPointers);
    }
}
