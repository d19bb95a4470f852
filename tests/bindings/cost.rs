// The cost of the Rust binding: see cost.c.
use pharos::{at, class, world_def, Position, World};
use std::time::{Duration, Instant};

const ENTITIES: usize = 10000;
const TICKS: usize = 40;

fn place(positions: &mut [Position], tick: usize) {
    for (i, position) in positions.iter_mut().enumerate() {
        let id = i + 1;
        position.x = ((id * 37 + tick * (id % 7 + 1)) % 1000) as f32;
        position.y = ((id * 91 + tick * (id % 5 + 1)) % 1000) as f32;
    }
}

fn main() -> pharos::Result<()> {
    let mut def = world_def();
    def.world_size = [1000.0, 1000.0];
    let mut row = class("default");
    row.view = 20.0;
    let mut world = World::new(&def, &[row])?;
    let (mut producer, mut consumer) = (world.producer()?, world.consumer(0)?);
    let ids: Vec<u64> = (1..=ENTITIES as u64).collect();
    let mut positions = vec![Position::default(); ENTITIES];
    place(&mut positions, 0);
    for (id, position) in ids.iter().zip(&positions) {
        producer.enter(*id, &at(position.x, position.y))?;
    }
    let (mut events, mut sum) = (0, 0);
    let (mut move_time, mut event_time) = (Duration::ZERO, Duration::ZERO);
    for tick in 1..=TICKS {
        place(&mut positions, tick);
        let begin = Instant::now();
        producer.move_many(&ids, &positions).1?;
        move_time += begin.elapsed();
        world.tick()?;
        let begin = Instant::now();
        while let Some(batch) = consumer.take()? {
            for change in batch.changes() {
                sum += batch.leaves(change).iter().map(|target| change.observer + 3 * target.id).sum::<u64>();
                sum += batch.enters(change).iter().map(|target| change.observer + 2 * target.id).sum::<u64>();
                events += u64::from(change.leave_count + change.enter_count);
            }
        }
        event_time += begin.elapsed();
    }
    println!("events {events} sum {sum}");
    let of_moves = move_time.as_nanos() as f64 / (ENTITIES * TICKS) as f64;
    println!("Rust: {of_moves:.1} ns a move, {:.1} ns an event", event_time.as_nanos() as f64 / events as f64);
    Ok(())
}
