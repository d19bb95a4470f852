using System;
using System.Text;
using Pharos;

public static class Hello
{
    public static unsafe void Main()
    {
        WorldDef def = World.DefaultDef();
        def.WorldSize[0] = def.WorldSize[1] = 1000;
        Class player = World.DefaultClass("default");
        player.View = 50;
        using (World world = new World(def, player))
        using (Producer producer = world.OpenProducer())
        using (Consumer consumer = world.OpenConsumer(0))
        {
            producer.Enter(1, Producer.At(100, 100)); // ids are yours: any number but 0
            producer.Enter(2, Producer.At(130, 100).WithView(20));
            for (int i = 0; i < 2; i++)
            {
                ulong tick = world.Tick();
                for (Batch batch = consumer.Take(); batch != null; batch.Dispose(), batch = consumer.Take())
                {
                    foreach (Change change in batch.Changes)
                    {
                        foreach (Target target in batch.Leaves(change))
                            Console.WriteLine($"tick {tick}: {change.Observer} loses {target.Id}");
                        foreach (Target target in batch.Enters(change))
                            Console.WriteLine($"tick {tick}: {change.Observer} sees {target.Id}");
                    }
                    foreach (Delivery delivery in batch.Deliveries)
                    {
                        Message message = batch.MessageOf(delivery, 0);
                        string text = Encoding.UTF8.GetString(batch.Payload(message).ToArray());
                        Console.WriteLine($"tick {tick}: {delivery.Observer} hears {message.Source}: {text}");
                    }
                }
                producer.Broadcast(2, Encoding.UTF8.GetBytes("hello"));
                producer.Move(2, 105, 100);
            }
            Console.WriteLine(Texts.Sentence(producer.Leave(0)));
        }
    }
}
