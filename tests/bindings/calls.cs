// Calls of the C# binding that no other program here makes, each once, and refusals; and the sizes of all structs.
using System;
using System.Text;
using Pharos;

public static class Calls
{
    private static void Expect(bool ok, string text)
    {
        if (!ok) throw new Exception(text);
    }

    private static void Accept(Status status)
    {
        Expect(status == Status.PH_OK, status.ToString());
    }

    private static string Refused(Status wanted, Action call)
    {
        try
        {
            call();
        }
        catch (PharosException refusal)
        {
            Expect(refusal.Status == wanted, refusal.Message);
            return refusal.Message;
        }
        throw new Exception(wanted + " expected");
    }

    private static unsafe void Submit(Producer producer)
    {
        for (ulong id = 1; id <= 3; id++)
            Accept(producer.Enter(id, Producer.At(100 * id, 100).WithLayers(ulong.MaxValue).WithUserData(7)));
        Area box = new Area { Shape = Constants.PH_AREA_BOX, KindCount = 1 };
        box.High[0] = box.High[1] = 150;
        Accept(producer.AreaSet(9, box));
        Accept(producer.AreaSet(10, box));
        Accept(producer.AreaRemove(10));
        Accept(producer.Link(1, 2));
        Accept(producer.Hide(1, 3));
        Accept(producer.Pair(2, 3, 120, 5));
        Accept(producer.Attach(3, 2));
        Accept(producer.Set(1, new Attrs().WithView(60)));
        Accept(producer.Broadcast(2, Encoding.UTF8.GetBytes("you"), new BroadcastOptions { Radius = 500 }, 0));
        BroadcastPlace place = new BroadcastPlace { X = 100, Y = 100, Radius = 10, Layers = 1 };
        Accept(producer.BroadcastAt(place, Encoding.UTF8.GetBytes("bang"), 0, 1));
        Accept(producer.Move(1, 101, 100));
        Accept(producer.Leave(77));
    }

    private static void ReadBatch(Batch batch)
    {
        int enters = 0, messages = 0, updates = 0;
        foreach (Change change in batch.Changes)
        {
            Expect(change.UserData == 7 && (change.Flags & Constants.PH_CHANGE_FRESH) != 0, "a fresh change");
            enters += batch.Enters(change).Length;
            for (int i = 0; i < batch.Enters(change).Length; i++)
                Expect(Texts.CauseName(batch.EnterCauses(change)[i]) == "appeared" && batch.EnterPositions(change)[i].X > 0,
                       "a cause and a place");
        }
        foreach (Delivery delivery in batch.Deliveries)
        {
            for (int place = 0; place < delivery.Count; place++, messages++)
            {
                Message message = batch.MessageOf(delivery, place);
                string text = Encoding.UTF8.GetString(batch.Payload(message).ToArray());
                Expect(text == (message.Source == 2 ? "you" : "bang"), text);
            }
        }
        foreach (Update update in batch.Updates)
            for (int place = 0; place < update.Count; place++)
                updates += batch.MovedOf(update, place).X > 0 && batch.BandOf(update, place) == 0 ? 1 : 0;
        Expect(enters == 3 && messages == 3 && updates == 3, $"{enters} {messages} {updates}");
        Expect(batch.Crossings.Length == 1 && batch.Crossings[0].Id == 1 && batch.Crossings[0].Area == 9, "a crossing");
        Expect(batch.Tick == 1 && batch.TickFirst == 1 && batch.Dropped == 0 && batch.Kinds.Length == 3, "a first batch");
    }

    private static unsafe void Ask(World world)
    {
        Expect(world.Sees(1, 2) && world.List(1)[0] == 2 && world.Observers(2).Length == 2, "lists");
        Expect(world.Entity(1).View == 60 && world.Entity(3).UserData == 7, "attributes");
        Query query = new Query { Shape = Constants.PH_QUERY_CIRCLE, X = 101, Y = 100, Radius = 20 };
        Expect(world.Find(query, 0).Length == 1 && world.Find(query, 0)[0].Id == 1, "hits");
        Expect(world.Explain(1, 2).Contains("link"), "a reason");
        Stats stats = world.Stats();
        Expect(stats.Entities == 3 && stats.Refused[(int)Status.PH_UNKNOWN_ID] == 1, "stats");
        world.Hash();
        Refused(Status.PH_UNKNOWN_ID, () => world.Entity(50));
        Refused(Status.PH_EMPTY, () => world.TickFinish());
    }

    private static void IsGone(Batch batch)
    {
        try
        {
            Expect(batch.Tick == 0, "a batch that is gone");
        }
        catch (ObjectDisposedException)
        {
            return;
        }
        throw new Exception("a batch outlives its world");
    }

    public static unsafe void Main()
    {
        foreach (var size in Layouts.Sizes)
            Expect(size.Item2 == size.Item3, $"{size.Item1}: {size.Item2} in C, {size.Item3} here");
        WorldDef def = World.DefaultDef(), bad = def;
        Class player = World.DefaultClass("default"), npc = World.DefaultClass("npc");
        player.View = 50;
        player.Bands0 = new Band { Radius = 50, Every = 1 };
        player.BandCount = 1;
        bad.TowerSize = -1;
        Expect(Refused(Status.PH_BAD_DEF, () => new World(bad)).Contains("tower_size"), "a key");
        World world = new World(def, player, npc);
        Producer producer = world.OpenProducer();
        Consumer consumer = world.OpenConsumer(0);
        Refused(Status.PH_TAKEN, () => world.OpenConsumer(0));
        Expect(producer.Broadcast(1, new byte[70000]) == Status.PH_TOO_LARGE, "a large payload");
        Submit(producer);
        Expect(world.Tick() == 1, "the first tick");
        using (Batch batch = consumer.Take()) ReadBatch(batch);
        Expect(consumer.Take() == null, "one batch");
        Refusal refusal;
        Expect(producer.NextRefusal(out refusal) && refusal.Id == 77 && refusal.Status == Status.PH_UNKNOWN_ID, "a refusal");
        Expect(!producer.NextRefusal(out refusal) && producer.Sequence() > 0, "one refusal");
        Ask(world);
        player.View = 55;
        world.Reconfigure(def, player, npc);
        world.Apply();
        Accept(producer.Leave(3));
        world.Tick();
        Batch kept = consumer.Take();
        Expect(kept.Changes[0].LeaveCount == 1, "a leave");
        world.Dispose();
        IsGone(kept);
        kept.Dispose();
        consumer.Dispose();
        producer.Dispose();
        Refused(Status.PH_BAD_HANDLE, () => world.Tick());
        Console.WriteLine("each call is refused, or gives its result");
    }
}
