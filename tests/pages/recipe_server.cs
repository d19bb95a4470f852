// docs/recipes.md, "A C# server": sessions in an array, their places in user_data; the game's loop ticks, a thread of
// its own takes batches.
using System;
using System.Collections.Concurrent;
using System.Threading;
using Pharos;

public sealed class Session
{
    public string Name;
    public int Seen;
}

public sealed class Scene : IDisposable
{
    private readonly World world;
    private readonly Producer producer;
    private readonly Consumer consumer;
    private readonly Session[] sessions = new Session[1000];
    private readonly BlockingCollection<ulong> ticked = new BlockingCollection<ulong>();
    private readonly Thread sender;
    private int count;

    public unsafe Scene()
    {
        WorldDef def = World.DefaultDef();
        Class player = World.DefaultClass("default");
        player.View = 50;
        world = new World(def, player);
        producer = world.OpenProducer();
        consumer = world.OpenConsumer(0);
        sender = new Thread(Send);
        sender.Start();
    }

    // The game's thread.
    public ulong Enter(string name, float x, float y)
    {
        int slot = count++;
        sessions[slot] = new Session { Name = name };
        ulong id = (ulong)slot + 1;
        Status status = producer.Enter(id, Producer.At(x, y).WithUserData((ulong)slot));
        if (status != Status.PH_OK) throw new PharosException(status);
        return id;
    }

    public Status Move(ulong id, float x, float y)
    {
        return producer.Move(id, x, y);
    }

    public void Tick()
    {
        ticked.Add(world.Tick());
    }

    // The sending thread: the only one that uses the consumer. A batch is read while the next tick runs.
    private void Send()
    {
        foreach (ulong tick in ticked.GetConsumingEnumerable())
        {
            for (Batch batch = consumer.Take(); batch != null; batch.Dispose(), batch = consumer.Take())
            {
                foreach (Change change in batch.Changes)
                {
                    Session session = sessions[change.UserData]; // no dictionary: the slot comes with the event
                    session.Seen += (int)change.EnterCount - (int)change.LeaveCount;
                }
            }
        }
    }

    public void Dispose()
    {
        ticked.CompleteAdding();
        sender.Join(); // first the threads, then the world
        for (int i = 0; i < count; i++) Console.WriteLine($"{sessions[i].Name} sees {sessions[i].Seen}");
        consumer.Dispose();
        producer.Dispose();
        world.Dispose();
    }
}

public static class Server
{
    public static void Main()
    {
        using (Scene scene = new Scene())
        {
            scene.Enter("Ann", 100, 100);
            ulong bob = scene.Enter("Bob", 500, 100);
            scene.Enter("Cid", 520, 100);
            scene.Tick();
            scene.Move(bob, 110, 100);
            scene.Tick();
        }
    }
}
