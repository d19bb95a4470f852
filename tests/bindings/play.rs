// Plays a trace through the Rust binding: see compare.py.
use pharos::{at, cause_name, world_def, Consumer, Producer, World};
use std::io::{BufRead, BufWriter, Write};

type Any = Box<dyn std::error::Error>;

/// Nine digits, as %.9g has them for a coordinate of the trace.
fn text(axis: f32) -> String {
    let whole = if axis == 0.0 { 1 } else { axis.abs().log10().floor() as i32 + 1 };
    let digits = format!("{:.*}", (9 - whole).max(0) as usize, f64::from(axis));
    let shown = if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { &digits };
    shown.to_string()
}

fn run_tick(world: &mut World, consumer: &mut Consumer, out: &mut impl Write, tick: u64) -> Result<(), Any> {
    world.tick()?;
    while let Some(batch) = consumer.take()? {
        for change in batch.changes() {
            for (target, cause) in batch.leaves(change).iter().zip(batch.leave_causes(change)) {
                writeln!(out, "{tick},{},leave,{},{},,,", change.observer, target.id, cause_name(*cause))?;
            }
            let causes = batch.enter_causes(change).iter();
            for ((target, cause), at) in batch.enters(change).iter().zip(causes).zip(batch.enter_positions(change)) {
                let (x, y, z) = (text(at.x), text(at.y), text(at.z));
                writeln!(out, "{tick},{},enter,{},{},{x},{y},{z}", change.observer, target.id, cause_name(*cause))?;
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
    writeln!(out, "tick,observer,event,target,cause,x,y,z")?;
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
