// Plays a trace through the C# binding: see compare.py.
using System;
using System.Globalization;
using System.IO;
using Pharos;

public static class Play
{
    private static float Number(string text)
    {
        return float.Parse(text, CultureInfo.InvariantCulture);
    }

    private static void RunTick(World world, Consumer consumer, TextWriter output, int tick)
    {
        world.Tick();
        for (Batch batch = consumer.Take(); batch != null; batch.Dispose(), batch = consumer.Take())
        {
            foreach (Change change in batch.Changes)
            {
                foreach (Target target in batch.Leaves(change))
                    output.Write($"{tick},{change.Observer},leave,{target.Id}\n");
                foreach (Target target in batch.Enters(change))
                    output.Write($"{tick},{change.Observer},enter,{target.Id}\n");
            }
        }
    }

    private static Status Submit(Producer producer, string[] row)
    {
        ulong id = ulong.Parse(row[2]);
        if (row[1] == "leave") return producer.Leave(id);
        if (row[1] == "move") return producer.Move(id, Number(row[3]), Number(row[4]));
        Attrs attrs = Producer.At(Number(row[3]), Number(row[4]));
        return producer.Enter(id, row[5] == "" ? attrs : attrs.WithView(Number(row[5])));
    }

    public static unsafe int Main()
    {
        WorldDef def = World.DefaultDef();
        def.WorldSize[0] = def.WorldSize[1] = 1000;
        using (TextWriter output = new StreamWriter(Console.OpenStandardOutput()))
        using (World world = new World(def))
        using (Producer producer = world.OpenProducer())
        using (Consumer consumer = world.OpenConsumer(0))
        {
            int tick = 0;
            output.Write("tick,observer,event,target\n");
            Console.In.ReadLine(); // the header
            for (string line = Console.In.ReadLine(); line != null; line = Console.In.ReadLine())
            {
                string[] row = line.Split(',');
                int at = int.Parse(row[0]);
                for (; tick != 0 && tick < at; tick++) RunTick(world, consumer, output, tick);
                tick = at;
                if (Submit(producer, row) != Status.PH_OK) return 1;
            }
            RunTick(world, consumer, output, tick);
        }
        return 0;
    }
}
