//! Worlds and their readers.
use crate::{check, count_of, sys, Attrs, Class, Consumer, Error, Hit, Producer, Query, Result, Stats, WorldDef};
use std::ffi::{CStr, CString};
use std::os::raw::c_char;
use std::sync::Arc;

const REASON_SIZE: usize = 256;

/// The handle; destroys the world with the last owner.
pub(crate) struct Handle(pub(crate) sys::ph_world);

impl Drop for Handle {
    fn drop(&mut self) {
        unsafe { sys::ph_world_destroy(self.0) };
    }
}

/// A definition with every field at its default. Its pointers (allocator, log, hooks, classes) are not used.
pub fn world_def() -> WorldDef {
    unsafe { sys::ph_world_def_default() }
}

/// A class with every field at its default and this name, which is cut at 31 bytes.
pub fn class(name: &str) -> Class {
    let name = CString::new(name).unwrap_or_default();
    unsafe { sys::ph_class_default(name.as_ptr()) }
}

fn reason_text(reason: &[c_char; REASON_SIZE]) -> String {
    unsafe { CStr::from_ptr(reason.as_ptr()) }.to_string_lossy().into_owned()
}

/// The definition without pointers that safe code could set to anything.
fn without_pointers(def: &WorldDef, classes: &[Class]) -> Result<WorldDef> {
    let mut copy = *def;
    copy.classes = classes.as_ptr();
    copy.class_count = count_of(classes.len())?;
    copy.allocator = Default::default();
    copy.log = None;
    copy.tasks = Default::default();
    copy.batches = Default::default();
    Ok(copy)
}

/// A world; ticked by the thread that has it.
pub struct World {
    handle: Arc<Handle>,
}

impl World {
    /// Makes a world of a definition and its classes; without any it has the class "default".
    pub fn new(def: &WorldDef, classes: &[Class]) -> Result<World> {
        let default = [class("default")];
        let classes = if classes.is_empty() { &default[..] } else { classes };
        let def = without_pointers(def, classes)?;
        let mut reason = [0; REASON_SIZE];
        let status = unsafe { sys::ph_world_def_check(&def, reason.as_mut_ptr(), REASON_SIZE) };
        if status != sys::PH_OK {
            return Err(Error { status, reason: Some(reason_text(&reason)) });
        }
        unsafe { World::with_pointers(&def) }
    }

    /// Makes a world of a definition with the host's allocator, log, threads or hooks, and classes.
    ///
    /// # Safety
    /// All of its pointers keep the promises of `ph_world_def`, as long as the world lives.
    pub unsafe fn with_pointers(def: &WorldDef) -> Result<World> {
        let mut handle = sys::ph_world::default();
        check(sys::ph_world_create(def, &mut handle))?;
        Ok(World { handle: Arc::new(Handle(handle)) })
    }

    /// Runs a tick; gives its number.
    pub fn tick(&mut self) -> Result<u64> {
        let mut tick = 0;
        check(unsafe { sys::ph_tick(self.handle.0, &mut tick) })?;
        Ok(tick)
    }

    /// Finishes a tick that stopped with PH_NO_MEMORY.
    pub fn tick_finish(&mut self) -> Result<u64> {
        let mut tick = 0;
        check(unsafe { sys::ph_tick_finish(self.handle.0, &mut tick) })?;
        Ok(tick)
    }

    /// Applies the commands submitted before, for queries alone.
    pub fn apply(&mut self) -> Result<()> {
        check(unsafe { sys::ph_apply(self.handle.0) })
    }

    /// Changes the fields that may change while the world lives.
    pub fn reconfigure(&mut self, def: &WorldDef, classes: &[Class]) -> Result<()> {
        let def = without_pointers(def, classes)?;
        let mut reason = [0; REASON_SIZE];
        let status = unsafe { sys::ph_world_reconfigure(self.handle.0, &def, reason.as_mut_ptr(), REASON_SIZE) };
        match status {
            sys::PH_OK => Ok(()),
            status => Err(Error { status, reason: Some(reason_text(&reason)).filter(|text| !text.is_empty()) }),
        }
    }

    pub fn producer(&self) -> Result<Producer> {
        Producer::open(&self.handle)
    }

    pub fn consumer(&self, index: u32) -> Result<Consumer> {
        Consumer::open(&self.handle, index)
    }

    /// For this thread or others; in a tick its calls are refused with PH_BUSY.
    pub fn reader(&self) -> Reader {
        Reader { handle: self.handle.clone() }
    }

    /// The C handle, for calls that have no method here.
    pub fn handle(&self) -> sys::ph_world {
        self.handle.0
    }
}

/// Reads between ticks.
#[derive(Clone)]
pub struct Reader {
    handle: Arc<Handle>,
}

impl Reader {
    /// Is the target in the observer's list?
    pub fn sees(&self, observer: u64, target: u64) -> Result<bool> {
        let mut sees = false;
        check(unsafe { sys::ph_sees(self.handle.0, observer, target, &mut sees) })?;
        Ok(sees)
    }

    /// The observer's list.
    pub fn list(&self, observer: u64) -> Result<Vec<u64>> {
        self.ids(observer, sys::ph_list)
    }

    /// The observers that have the target in their lists.
    pub fn observers(&self, target: u64) -> Result<Vec<u64>> {
        self.ids(target, sys::ph_observers)
    }

    fn ids(
        &self,
        id: u64,
        read: unsafe extern "C" fn(sys::ph_world, u64, *mut u64, u32, *mut u32) -> u32,
    ) -> Result<Vec<u64>> {
        let mut count = 0;
        check(unsafe { read(self.handle.0, id, std::ptr::null_mut(), 0, &mut count) })?;
        let mut ids = vec![0; count as usize];
        let capacity = count;
        check(unsafe { read(self.handle.0, id, ids.as_mut_ptr(), capacity, &mut count) })?;
        ids.truncate(count as usize);
        Ok(ids)
    }

    /// The attributes of an entity.
    pub fn entity(&self, id: u64) -> Result<Attrs> {
        let mut attrs = Attrs::default();
        check(unsafe { sys::ph_entity_get(self.handle.0, id, &mut attrs) })?;
        Ok(attrs)
    }

    /// The entities in a place, of these kinds only if there are any.
    pub fn find(&self, query: &Query, kinds: &[u32]) -> Result<Vec<Hit>> {
        let (mut query, mut count) = (*query, 0);
        query.kinds = kinds.as_ptr();
        query.kind_count = count_of(kinds.len())?;
        check(unsafe { sys::ph_find(self.handle.0, &query, std::ptr::null_mut(), 0, &mut count) })?;
        let mut hits = vec![Hit::default(); count as usize];
        let capacity = count;
        check(unsafe { sys::ph_find(self.handle.0, &query, hits.as_mut_ptr(), capacity, &mut count) })?;
        hits.truncate(count as usize);
        Ok(hits)
    }

    /// One line: why the observer sees the target, or not.
    pub fn explain(&self, observer: u64, target: u64) -> Result<String> {
        let mut explanation = Default::default();
        let mut reason = [0; REASON_SIZE];
        check(unsafe { sys::ph_explain(self.handle.0, observer, target, &mut explanation) })?;
        unsafe { sys::ph_explanation_text(&explanation, reason.as_mut_ptr(), REASON_SIZE) };
        Ok(reason_text(&reason))
    }

    pub fn stats(&self) -> Result<Stats> {
        let mut stats = Stats::default();
        check(unsafe { sys::ph_world_stats(self.handle.0, &mut stats) })?;
        Ok(stats)
    }

    /// A hash over the state that decides future events.
    pub fn hash(&self) -> Result<u64> {
        let mut hash = 0;
        check(unsafe { sys::ph_world_hash(self.handle.0, &mut hash) })?;
        Ok(hash)
    }
}
