//! Producers: a method for each command.
use crate::world::Handle;
use crate::{check, count_of, sys, Area, Attrs, BroadcastOptions, BroadcastPlace, Error, Position, Refusal, Result};
use std::sync::Arc;

/// Submits commands. Closed when it goes; the next tick still applies its commands.
pub struct Producer {
    handle: sys::ph_producer,
    _world: Arc<Handle>,
}

impl Drop for Producer {
    fn drop(&mut self) {
        unsafe { sys::ph_producer_close(self.handle) };
    }
}

/// Methods of two ids.
macro_rules! two_ids {
    ($($(#[$doc:meta])* $name:ident, $call:ident, $first:ident, $second:ident;)*) => {
        impl Producer {
            $($(#[$doc])* pub fn $name(&mut self, $first: u64, $second: u64) -> Result<()> {
                check(unsafe { sys::$call(self.handle, $first, $second) })
            })*
        }
    };
}

two_ids! {
    /// The pair's own radii end.
    unpair, ph_unpair, observer, target;
    /// The observer sees the target at any distance.
    link, ph_link, observer, target;
    /// The link ends.
    unlink, ph_unlink, observer, target;
    /// The target stays out of the observer's list.
    hide, ph_hide, observer, target;
    /// The hide ends.
    unhide, ph_unhide, observer, target;
    /// The target's veil and stealth do not count for the observer.
    reveal, ph_reveal, observer, target;
    /// The reveal ends.
    unreveal, ph_unreveal, observer, target;
    /// The child follows the parent.
    attach, ph_attach, child, parent;
}

impl Producer {
    pub(crate) fn open(world: &Arc<Handle>) -> Result<Producer> {
        let mut handle = sys::ph_producer::default();
        check(unsafe { sys::ph_producer_open(world.0, &mut handle) })?;
        Ok(Producer { handle, _world: world.clone() })
    }

    /// A new entity.
    pub fn enter(&mut self, id: u64, attrs: &Attrs) -> Result<()> {
        check(unsafe { sys::ph_enter(self.handle, id, attrs) })
    }

    /// Changes the given attributes.
    pub fn set(&mut self, id: u64, attrs: &Attrs) -> Result<()> {
        check(unsafe { sys::ph_set(self.handle, id, attrs) })
    }

    pub fn leave(&mut self, id: u64) -> Result<()> {
        check(unsafe { sys::ph_leave(self.handle, id) })
    }

    /// Sets the position.
    pub fn move_to(&mut self, id: u64, x: f32, y: f32, z: f32) -> Result<()> {
        check(unsafe { sys::ph_move(self.handle, id, x, y, z) })
    }

    /// Moves ids[i] to positions[i], as many as both have. Gives the number queued or refused, and the first status
    /// that is not PH_OK.
    pub fn move_many(&mut self, ids: &[u64], positions: &[Position]) -> (usize, Result<()>) {
        let mut done = 0;
        let result = count_of(ids.len().min(positions.len())).and_then(|count| {
            check(unsafe { sys::ph_move_many(self.handle, count, ids.as_ptr(), positions.as_ptr(), &mut done) })
        });
        (done as usize, result)
    }

    /// Gives an ordered pair radii of its own.
    pub fn pair(&mut self, observer: u64, target: u64, view: f32, margin: f32) -> Result<()> {
        check(unsafe { sys::ph_pair(self.handle, observer, target, view, margin) })
    }

    /// The child stays where the parent is.
    pub fn detach(&mut self, child: u64) -> Result<()> {
        check(unsafe { sys::ph_detach(self.handle, child) })
    }

    /// The observer's next change has its whole list.
    pub fn resend(&mut self, observer: u64) -> Result<()> {
        check(unsafe { sys::ph_resend(self.handle, observer) })
    }

    /// All observers of the source get the payload.
    pub fn broadcast(&mut self, source: u64, payload: &[u8]) -> Result<()> {
        self.broadcast_to(source, payload, &BroadcastOptions::default(), &[])
    }

    /// The same with options, to observers of these kinds only if there are any.
    pub fn broadcast_to(
        &mut self,
        source: u64,
        payload: &[u8],
        options: &BroadcastOptions,
        kinds: &[u32],
    ) -> Result<()> {
        let mut options = *options;
        options.kinds = kinds.as_ptr();
        options.kind_count = count_of(kinds.len())?;
        let bytes = count_of(payload.len())?;
        check(unsafe { sys::ph_broadcast(self.handle, source, payload.as_ptr().cast(), bytes, &options) })
    }

    /// The observers around a place get the payload, of these kinds only if there are any.
    pub fn broadcast_at(&mut self, place: &BroadcastPlace, payload: &[u8], kinds: &[u32]) -> Result<()> {
        let mut place = *place;
        place.kinds = kinds.as_ptr();
        place.kind_count = count_of(kinds.len())?;
        check(unsafe { sys::ph_broadcast_at(self.handle, &place, payload.as_ptr().cast(), count_of(payload.len())?) })
    }

    /// Makes the area, or gives it another shape.
    pub fn area_set(&mut self, area: u64, shape: &Area) -> Result<()> {
        check(unsafe { sys::ph_area_set(self.handle, area, shape) })
    }

    pub fn area_remove(&mut self, area: u64) -> Result<()> {
        check(unsafe { sys::ph_area_remove(self.handle, area) })
    }

    /// The number of the last command.
    pub fn sequence(&self) -> Result<u64> {
        let mut sequence = 0;
        check(unsafe { sys::ph_producer_sequence(self.handle, &mut sequence) })?;
        Ok(sequence)
    }

    /// The first refusal that waits.
    pub fn refusal(&mut self) -> Option<Refusal> {
        let (mut refusal, mut count) = (Refusal::default(), 0);
        let status = unsafe { sys::ph_producer_refusals(self.handle, &mut refusal, 1, &mut count) };
        (status == sys::PH_OK && count == 1).then_some(refusal)
    }
}

/// What a refusal says, as an error.
impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Error {
        Error { status: refusal.status, reason: None }
    }
}
