// Calls of the Rust binding that no other program here makes, each once, and refusals; and the layouts of all structs.
use pharos::sys::*;
use pharos::{
    at, cause_name, class, world_def, Area, Attrs, Band, Batch, BroadcastOptions, BroadcastPlace, Producer, Query,
    Reader,
};
use pharos::{Result, World};
use std::thread;

fn refused<T>(result: Result<T>, status: u32) -> String {
    match result {
        Ok(_) => panic!("{status} expected, not a result"),
        Err(error) => {
            assert_eq!(error.status, status, "{error}");
            error.to_string()
        }
    }
}

fn submit(producer: &mut Producer) -> Result<()> {
    for id in 1..=3 {
        producer.enter(id, &at(100.0 * id as f32, 100.0).layers(u64::MAX).user_data(7))?;
    }
    let corner = Area { shape: PH_AREA_BOX, high: [150.0, 150.0], kind_count: 1, ..Area::default() };
    producer.area_set(9, &corner)?;
    producer.area_set(10, &corner)?;
    producer.area_remove(10)?;
    producer.link(1, 2)?;
    producer.hide(1, 3)?;
    producer.pair(2, 3, 120.0, 5.0)?;
    producer.attach(3, 2)?;
    producer.set(1, &Attrs::default().view(60.0))?;
    producer.broadcast_to(2, b"you", &BroadcastOptions { radius: 500.0, ..Default::default() }, &[0])?;
    let place = BroadcastPlace { x: 100.0, y: 100.0, radius: 10.0, layers: 1, ..Default::default() };
    producer.broadcast_at(&place, b"bang", &[0, 1])?;
    producer.move_to(1, 101.0, 100.0, 0.0)?;
    producer.leave(77)
}

fn read_batch(batch: &Batch) {
    let mut counts = [0; 3];
    for change in batch.changes() {
        assert!(change.user_data == 7 && change.flags & PH_CHANGE_FRESH != 0);
        counts[0] += batch.enters(change).len();
        assert!(batch.enter_causes(change).iter().all(|cause| cause_name(*cause) == "appeared"));
        assert!(batch.enter_positions(change).iter().all(|at| at.x > 0.0) && batch.leave_causes(change).is_empty());
    }
    for delivery in batch.deliveries() {
        for message in batch.heard_by(delivery) {
            assert_eq!(batch.text(message), if message.source == 2 { &b"you"[..] } else { &b"bang"[..] });
            counts[1] += 1;
        }
    }
    for update in batch.updates() {
        counts[2] += batch.moved_for(update).filter(|(moved, band)| moved.x > 0.0 && *band == 0).count();
    }
    assert_eq!(counts, [3, 3, 3]);
    assert!(batch.crossings().len() == 1 && batch.crossings()[0].id == 1 && batch.crossings()[0].area == 9);
    assert!(batch.tick() == 1 && batch.tick_first() == 1 && batch.dropped() == 0 && batch.kinds().len() == 3);
}

fn ask(reader: &Reader) -> Result<()> {
    assert!(reader.sees(1, 2)? && reader.list(1)? == [2] && reader.observers(2)?.len() == 2);
    assert!(reader.entity(1)?.view == 60.0 && reader.entity(3)?.user_data == 7);
    let query = Query { shape: PH_QUERY_CIRCLE, x: 101.0, y: 100.0, radius: 20.0, ..Default::default() };
    let hits = reader.find(&query, &[0])?;
    assert!(hits.len() == 1 && hits[0].id == 1);
    assert!(reader.explain(1, 2)?.contains("link"));
    let stats = reader.stats()?;
    assert!(stats.entities == 3 && stats.refused[PH_UNKNOWN_ID as usize] == 1);
    reader.hash()?;
    refused(reader.entity(50), PH_UNKNOWN_ID);
    Ok(())
}

fn main() -> Result<()> {
    for (name, size, align, own_size, own_align) in LAYOUTS {
        assert!(size == own_size && align == own_align, "{name}: {size} {align}, {own_size} {own_align} here");
    }
    let (mut def, mut player, npc) = (world_def(), class("default"), class("npc"));
    player.view = 50.0;
    player.bands[0] = Band { radius: 50.0, every: 1 };
    player.band_count = 1;
    def.tower_size = -1.0;
    assert!(refused(World::new(&def, &[]), PH_BAD_DEF).contains("tower_size"));
    def.tower_size = world_def().tower_size;
    def.classes = 8 as *const _; // pointers of a definition do not count
    let mut world = World::new(&def, &[player, npc])?;
    let (mut producer, mut consumer) = (world.producer()?, world.consumer(0)?);
    refused(world.consumer(0), PH_TAKEN);
    refused(producer.broadcast(1, &vec![0; 70000]), PH_TOO_LARGE);
    submit(&mut producer)?;
    assert_eq!(world.tick()?, 1);
    assert_eq!(refused(world.tick_finish(), PH_EMPTY), "PH_EMPTY: nothing to take at present");
    read_batch(&consumer.take()?.expect("a batch"));
    assert!(consumer.take()?.is_none());
    let refusal = producer.refusal().expect("a refusal");
    assert!(refusal.id == 77 && refusal.status == PH_UNKNOWN_ID && producer.refusal().is_none());
    assert!(producer.sequence()? > 0);
    let reader = world.reader();
    thread::spawn(move || ask(&reader).unwrap()).join().unwrap();
    player.view = 55.0;
    world.reconfigure(&def, &[player, npc])?;
    world.apply()?;
    producer.leave(3)?;
    world.tick()?;
    drop(world); // consumer and producer keep it alive
    let batch = consumer.take()?.expect("a batch");
    assert_eq!(batch.changes()[0].leave_count, 1);
    drop(batch);
    thread::spawn(move || producer.leave(2).unwrap()).join().unwrap();
    println!("each call is refused, or gives its result");
    Ok(())
}
