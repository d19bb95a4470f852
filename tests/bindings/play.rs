// Plays a trace through the Rust binding: see compare.py.
use pharos::{at, world_def, Consumer, Producer, World};
use std::io::{BufRead, BufWriter, Write};

type Any = Box<dyn std::error::Error>;

fn run_tick(world: &mut World, consumer: &mut Consumer, out: &mut impl Write, tick: u64) -> Result<(), Any> {
    world.tick()?;
    while let Some(batch) = consumer.take()? {
        for change in batch.changes() {
            for target in batch.leaves(change) {
                writeln!(out, "{tick},{},leave,{}", change.observer, target.id)?;
            }
            for target in batch.enters(change) {
                writeln!(out, "{tick},{},enter,{}", change.observer, target.id)?;
            }
        }
    }
    Ok(())
}

fn submit(producer: &mut Producer, row: &[&str]) -> Result<(), Any> {
    let id = row[2].parse()?;
    match row[1] {
        "leave" => producer.leave(id)?,
        "move" => producer.move_to(id, row[3].parse()?, row[4].parse()?, 0.0)?,
        _ => {
            let attrs = at(row[3].parse()?, row[4].parse()?);
            let attrs = if row[5].is_empty() { attrs } else { attrs.view(row[5].parse()?) };
            producer.enter(id, &attrs)?
        }
    }
    Ok(())
}

fn main() -> Result<(), Any> {
    let mut def = world_def();
    def.world_size = [1000.0, 1000.0];
    let mut world = World::new(&def, &[])?;
    let (mut producer, mut consumer) = (world.producer()?, world.consumer(0)?);
    let mut out = BufWriter::new(std::io::stdout());
    writeln!(out, "tick,observer,event,target")?;
    let mut tick = 0;
    for line in std::io::stdin().lock().lines().skip(1) {
        let line = line?;
        let row: Vec<&str> = line.split(',').collect();
        let at: u64 = row[0].parse()?;
        while tick != 0 && tick < at {
            run_tick(&mut world, &mut consumer, &mut out, tick)?;
            tick += 1;
        }
        tick = at;
        submit(&mut producer, &row)?;
    }
    run_tick(&mut world, &mut consumer, &mut out, tick)
}
