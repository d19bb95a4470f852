use pharos::{at, class, world_def, World};

fn main() -> pharos::Result<()> {
    let mut def = world_def();
    def.world_size = [1000.0, 1000.0];
    let mut player = class("default");
    player.view = 50.0;
    let mut world = World::new(&def, &[player])?;
    let (mut producer, mut consumer) = (world.producer()?, world.consumer(0)?);
    producer.enter(1, &at(100.0, 100.0))?; // ids are yours: any number but 0
    producer.enter(2, &at(130.0, 100.0).view(20.0))?;
    for _ in 0..2 {
        let tick = world.tick()?;
        while let Some(batch) = consumer.take()? {
            for change in batch.changes() {
                for target in batch.leaves(change) {
                    println!("tick {tick}: {} loses {}", change.observer, target.id);
                }
                for target in batch.enters(change) {
                    println!("tick {tick}: {} sees {}", change.observer, target.id);
                }
            }
            for delivery in batch.deliveries() {
                for message in batch.heard_by(delivery) {
                    let text = String::from_utf8_lossy(batch.text(message));
                    println!("tick {tick}: {} hears {}: {text}", delivery.observer, message.source);
                }
            }
        }
        producer.broadcast(2, b"hello")?;
        producer.move_to(2, 105.0, 100.0, 0.0)?;
    }
    println!("{}", producer.leave(0).unwrap_err());
    Ok(())
}
