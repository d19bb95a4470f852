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

    private static string Text(float axis)
    {
        return ((double)axis).ToString("G9", CultureInfo.InvariantCulture);
    }

    private static void RunTick(World world, Consumer consumer, TextWriter output, int tick)
    {
        world.Tick();
        for (Batch batch = consumer.Take(); batch != null; batch.Dispose(), batch = consumer.Take())
        {
            foreach (Change change in batch.Changes)
            {
                for (int i = 0; i < batch.Leaves(change).Length; i++)
                {
                    string cause = Texts.CauseName(batch.LeaveCauses(change)[i]);
                    output.Write($"{tick},{change.Observer},leave,{batch.Leaves(change)[i].Id},{cause},,,\n");
                }
                for (int i = 0; i < batch.Enters(change).Length; i++)
                {
                    string cause = Texts.CauseName(batch.EnterCauses(change)[i]);
                    Position at = batch.EnterPositions(change)[i];
                    output.Write($"{tick},{change.Observer},enter,{batch.Enters(change)[i].Id},{cause}");
                    output.Write($",{Text(at.X)},{Text(at.Y)},{Text(at.Z)}\n");
                }
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
            output.Write("tick,observer,event,target,cause,x,y,z\n");
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
