//! Consumers and batches.
use crate::world::Handle;
use crate::{check, sys, Change, Delivery, Edge, Error, Message, Moved, Position, Result, Target, Update};
use std::sync::Arc;

/// Takes batches. Closed when it goes.
pub struct Consumer {
    handle: sys::ph_consumer,
    _world: Arc<Handle>,
}

impl Drop for Consumer {
    fn drop(&mut self) {
        unsafe { sys::ph_consumer_close(self.handle) };
    }
}

impl Consumer {
    pub(crate) fn open(world: &Arc<Handle>, index: u32) -> Result<Consumer> {
        let mut handle = sys::ph_consumer::default();
        check(unsafe { sys::ph_consumer_open(world.0, index, &mut handle) })?;
        Ok(Consumer { handle, _world: world.clone() })
    }

    /// The oldest batch, or None; one at a time.
    pub fn take(&mut self) -> Result<Option<Batch<'_>>> {
        let mut batch = std::ptr::null();
        match unsafe { sys::ph_batch_take(self.handle, &mut batch) } {
            sys::PH_OK => Ok(Some(Batch { batch: unsafe { &*batch }, consumer: self })),
            sys::PH_EMPTY | sys::PH_PENDING => Ok(None),
            status => Err(Error { status, reason: None }),
        }
    }
}

/// One tick's events, in the library's memory. Given back when it goes.
pub struct Batch<'c> {
    batch: &'c sys::ph_batch,
    consumer: &'c Consumer,
}

impl Drop for Batch<'_> {
    fn drop(&mut self) {
        unsafe { sys::ph_batch_return(self.consumer.handle, self.batch) };
    }
}

/// C's array, which may be null when it is empty.
fn slice<'b, T>(first: *const T, count: usize) -> &'b [T] {
    match count {
        0 => &[],
        count => unsafe { std::slice::from_raw_parts(first, count) },
    }
}

/// Arrays of the batch: a method for each.
macro_rules! arrays {
    ($($name:ident, $item:ty, $count:ident;)*) => {
        impl Batch<'_> {
            $(pub fn $name(&self) -> &[$item] {
                slice(self.batch.$name, self.batch.$count as usize)
            })*
        }
    };
}

arrays! {
    changes, Change, change_count;
    targets, Target, target_count;
    kinds, u16, target_count;
    causes, u8, target_count;
    messages, Message, message_count;
    payload, u8, payload_bytes;
    deliveries, Delivery, delivery_count;
    heard, u32, heard_count;
    activations, Edge, activation_count;
    crossings, Edge, crossing_count;
    updates, Update, update_count;
    due, u32, due_count;
    bands, u8, due_count;
    moved, Moved, moved_count;
}

fn part<T>(of: &[T], first: usize, count: u32) -> &[T] {
    &of[first..first + count as usize]
}

impl Batch<'_> {
    /// The last tick that it covers.
    pub fn tick(&self) -> u64 {
        self.batch.tick
    }

    /// The first; less than the last behind a slow consumer.
    pub fn tick_first(&self) -> u64 {
        self.batch.tick_first
    }

    /// Deliveries lost since the batch before.
    pub fn dropped(&self) -> u64 {
        self.batch.dropped
    }

    /// Targets that left the list of the change's observer.
    pub fn leaves(&self, change: &Change) -> &[Target] {
        part(self.targets(), change.first as usize, change.leave_count)
    }

    /// Targets that entered it.
    pub fn enters(&self, change: &Change) -> &[Target] {
        part(self.targets(), change.first as usize + change.leave_count as usize, change.enter_count)
    }

    /// Beside `targets`, of enters; empty: the definition leaves them out.
    pub fn positions(&self) -> &[Position] {
        let count = if self.batch.positions.is_null() { 0 } else { self.batch.target_count as usize };
        slice(self.batch.positions, count)
    }

    /// The causes of `leaves`: `sys::PH_CAUSE_RANGE` and so on.
    pub fn leave_causes(&self, change: &Change) -> &[u8] {
        part(self.causes(), change.first as usize, change.leave_count)
    }

    /// The causes of `enters`.
    pub fn enter_causes(&self, change: &Change) -> &[u8] {
        part(self.causes(), change.first as usize + change.leave_count as usize, change.enter_count)
    }

    /// The places of `enters`; empty: the definition leaves them out.
    pub fn enter_positions(&self, change: &Change) -> &[Position] {
        match self.positions() {
            [] => &[],
            all => part(all, change.first as usize + change.leave_count as usize, change.enter_count),
        }
    }

    /// The messages of a delivery.
    pub fn heard_by(&self, delivery: &Delivery) -> impl Iterator<Item = &Message> {
        let messages = self.messages();
        part(self.heard(), delivery.first as usize, delivery.count).iter().map(move |place| &messages[*place as usize])
    }

    /// The payload of a message.
    pub fn text(&self, message: &Message) -> &[u8] {
        part(self.payload(), message.first as usize, message.bytes)
    }

    /// The moved targets of an update, each with its band.
    pub fn moved_for(&self, update: &Update) -> impl Iterator<Item = (&Moved, u8)> {
        let (moved, first) = (self.moved(), update.first as usize);
        let bands = part(self.bands(), first, update.count).iter();
        part(self.due(), first, update.count).iter().zip(bands).map(move |(place, band)| (&moved[*place as usize], *band))
    }
}
