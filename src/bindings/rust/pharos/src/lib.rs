//! Areas of interest for servers of crowded worlds: a safe wrapper of libpharos. Records, constants and rules are those
//! of `<pharos/pharos.h>`; `pharos_sys` has every call of C.
//!
//! Threads: a world is ticked by `&mut`, producers and consumers work by `&mut`, readers by `&`; all can be sent to
//! other threads. The world is destroyed when it and all of them are gone, so no batch outlives its memory.
mod consumer;
mod producer;
mod world;

pub use consumer::{Batch, Consumer};
pub use pharos_sys as sys;
pub use pharos_sys::{
    ph_area as Area, ph_attrs as Attrs, ph_band as Band, ph_broadcast_options as BroadcastOptions,
    ph_broadcast_place as BroadcastPlace, ph_change as Change, ph_class as Class, ph_delivery as Delivery,
    ph_edge as Edge, ph_hit as Hit, ph_message as Message, ph_moved as Moved, ph_position as Position,
    ph_query as Query, ph_refusal as Refusal, ph_stats as Stats, ph_target as Target, ph_update as Update,
    ph_world_def as WorldDef,
};
pub use producer::Producer;
pub use world::{class, world_def, Reader, World};

use std::ffi::CStr;
use std::fmt;

/// A call that was refused.
#[derive(Clone, PartialEq, Eq)]
pub struct Error {
    /// The ph_status: `sys::PH_FULL`.
    pub status: u32,
    /// More than the status: the key of a definition, its value and its range.
    pub reason: Option<String>,
}

pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// The status' name: "PH_FULL".
    pub fn name(&self) -> &'static str {
        text(unsafe { sys::ph_status_name(self.status) })
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        let sentence = text(unsafe { sys::ph_status_text(self.status) });
        write!(out, "{}: {}", self.name(), self.reason.as_deref().unwrap_or(sentence))
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

impl std::error::Error for Error {}

/// A static text of the library.
fn text(from: *const std::os::raw::c_char) -> &'static str {
    unsafe { CStr::from_ptr(from) }.to_str().unwrap_or("")
}

fn check(status: u32) -> Result<()> {
    match status {
        sys::PH_OK => Ok(()),
        status => Err(Error { status, reason: None }),
    }
}

/// A count for C: no call takes more than 32 bits.
fn count_of(length: usize) -> Result<u32> {
    u32::try_from(length).map_err(|_| Error { status: sys::PH_TOO_LARGE, reason: None })
}

/// The word of a cause: "range".
pub fn cause_name(cause: u8) -> &'static str {
    text(unsafe { sys::ph_cause_name(cause.into()) })
}

/// The version of the library that runs.
pub fn version() -> &'static str {
    text(unsafe { sys::ph_version() })
}

/// Attributes with a place on the ground.
pub fn at(x: f32, y: f32) -> Attrs {
    Attrs::default().x(x).y(y)
}
