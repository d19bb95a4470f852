// Package pharos is the C library libpharos: areas of interest for servers of crowded worlds. Handles, records and
// thread rules are those of <pharos/pharos.h>; records (types.go) and constants are made from it. A refused call gives a
// Status as its error.
package pharos

/*
#cgo LDFLAGS: -lpharos
#include <pharos/pharos.h>
#include <stdlib.h>
*/
import "C"

import "unsafe"

// Status is a ph_status other than PH_OK.
type Status uint32

// Name is the status' name: PH_FULL.
func (s Status) Name() string { return C.GoString(C.ph_status_name(C.ph_status(s))) }

func (s Status) Error() string {
	return s.Name() + ": " + C.GoString(C.ph_status_text(C.ph_status(s)))
}

func statusError(status C.ph_status) error {
	if status == PH_OK {
		return nil
	}
	return Status(status)
}

// DefError is the reason why a definition is refused.
type DefError string

func (e DefError) Error() string { return "PH_BAD_DEF: " + string(e) }

// Is makes errors.Is(err, Status(PH_BAD_DEF)) true.
func (e DefError) Is(target error) bool { return target == Status(PH_BAD_DEF) }

const reasonSize = 256

// Version of the library that runs.
func Version() string { return C.GoString(C.ph_version()) }

// DefaultDef is a definition with every field at its default.
func DefaultDef() WorldDef {
	def := C.ph_world_def_default()
	return *(*WorldDef)(unsafe.Pointer(&def))
}

// DefaultClass is a class with every field at its default.
func DefaultClass(name string) Class {
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	class := C.ph_class_default(text)
	return *(*Class)(unsafe.Pointer(&class))
}

// World is a world; one goroutine at a time calls Tick, Apply and Close.
type World struct{ handle C.ph_world }

// NewWorld makes a world. Without classes it has the class "default".
func NewWorld(def WorldDef, classes ...Class) (*World, error) {
	if len(classes) == 0 {
		classes = []Class{DefaultClass("default")}
	}
	bytes := C.size_t(len(classes)) * C.sizeof_ph_class
	memory := C.malloc(bytes) // C's, as def may hold no pointer to memory of Go
	defer C.free(memory)
	copy(unsafe.Slice((*Class)(memory), len(classes)), classes)
	def.classes, def.ClassCount = memory, uint32(len(classes))
	from := (*C.ph_world_def)(unsafe.Pointer(&def))
	var reason [reasonSize]C.char
	if status := C.ph_world_def_check(from, &reason[0], reasonSize); status == PH_BAD_DEF {
		return nil, DefError(C.GoString(&reason[0]))
	}
	world := &World{}
	if err := statusError(C.ph_world_create(from, &world.handle)); err != nil {
		return nil, err
	}
	return world, nil
}

// Close destroys the world: its producers and consumers are closed, its batches are gone.
func (w *World) Close() error { return statusError(C.ph_world_destroy(w.handle)) }

// Tick runs a tick; gives its number.
func (w *World) Tick() (uint64, error) {
	var tick C.uint64_t
	status := C.ph_tick(w.handle, &tick)
	return uint64(tick), statusError(status)
}

// TickFinish finishes a tick that stopped with PH_NO_MEMORY.
func (w *World) TickFinish() (uint64, error) {
	var tick C.uint64_t
	status := C.ph_tick_finish(w.handle, &tick)
	return uint64(tick), statusError(status)
}

// Apply applies the commands submitted before, for queries alone.
func (w *World) Apply() error { return statusError(C.ph_apply(w.handle)) }

// Reconfigure changes the fields that may change while the world lives.
func (w *World) Reconfigure(def WorldDef, classes ...Class) error {
	memory := C.malloc(C.size_t(len(classes)+1) * C.sizeof_ph_class)
	defer C.free(memory)
	copy(unsafe.Slice((*Class)(memory), len(classes)), classes)
	def.classes, def.ClassCount = memory, uint32(len(classes))
	var reason [reasonSize]C.char
	status := C.ph_world_reconfigure(w.handle, (*C.ph_world_def)(unsafe.Pointer(&def)), &reason[0], reasonSize)
	if status == PH_BAD_DEF {
		return DefError(C.GoString(&reason[0]))
	}
	return statusError(status)
}

// Hash is over the state that decides future events.
func (w *World) Hash() (uint64, error) {
	var hash C.uint64_t
	status := C.ph_world_hash(w.handle, &hash)
	return uint64(hash), statusError(status)
}

// Stats are the counters of the world.
func (w *World) Stats() (Stats, error) {
	var stats Stats
	status := C.ph_world_stats(w.handle, (*C.ph_stats)(unsafe.Pointer(&stats)))
	return stats, statusError(status)
}

// Prometheus is all stats as text for Prometheus.
func (w *World) Prometheus() (string, error) {
	var length C.size_t
	if err := statusError(C.ph_stats_prometheus(w.handle, nil, 0, &length)); err != nil {
		return "", err
	}
	text := make([]byte, int(length)+reasonSize) // numbers may have grown by a few digits
	status := C.ph_stats_prometheus(w.handle, (*C.char)(unsafe.Pointer(&text[0])), C.size_t(len(text)), &length)
	if int(length) > len(text)-1 {
		length = C.size_t(len(text) - 1)
	}
	return string(text[:length]), statusError(status)
}

// Entity gives the attributes of an entity.
func (w *World) Entity(id uint64) (Attrs, error) {
	var attrs Attrs
	status := C.ph_entity_get(w.handle, C.uint64_t(id), (*C.ph_attrs)(unsafe.Pointer(&attrs)))
	return attrs, statusError(status)
}

// Sees tells if the target is in the observer's list.
func (w *World) Sees(observer, target uint64) (bool, error) {
	var sees C.bool
	status := C.ph_sees(w.handle, C.uint64_t(observer), C.uint64_t(target), &sees)
	return bool(sees), statusError(status)
}

// List is the observer's list, in a slice of its own.
func (w *World) List(observer uint64) ([]uint64, error) {
	var count C.uint32_t
	if err := statusError(C.ph_list(w.handle, C.uint64_t(observer), nil, 0, &count)); err != nil {
		return nil, err
	}
	ids := make([]uint64, int(count)+1)
	status := C.ph_list(w.handle, C.uint64_t(observer), (*C.uint64_t)(&ids[0]), count, &count)
	return ids[:min(int(count), len(ids)-1)], statusError(status)
}

// Observers are the observers that have the target in their lists.
func (w *World) Observers(target uint64) ([]uint64, error) {
	var count C.uint32_t
	if err := statusError(C.ph_observers(w.handle, C.uint64_t(target), nil, 0, &count)); err != nil {
		return nil, err
	}
	ids := make([]uint64, int(count)+1)
	status := C.ph_observers(w.handle, C.uint64_t(target), (*C.uint64_t)(&ids[0]), count, &count)
	return ids[:min(int(count), len(ids)-1)], statusError(status)
}

// Find gives the entities in a place; of kinds only, if there are any.
func (w *World) Find(query Query, kinds ...uint32) ([]Hit, error) {
	var count C.uint32_t
	memory := kindsForC(kinds)
	defer C.free(memory)
	query.kinds, query.KindCount = memory, uint32(len(kinds))
	from := (*C.ph_query)(unsafe.Pointer(&query))
	if err := statusError(C.ph_find(w.handle, from, nil, 0, &count)); err != nil {
		return nil, err
	}
	hits := make([]Hit, int(count)+1)
	status := C.ph_find(w.handle, from, (*C.ph_hit)(unsafe.Pointer(&hits[0])), count, &count)
	return hits[:min(int(count), len(hits)-1)], statusError(status)
}

// Explain tells in one line why the observer sees the target, or not.
func (w *World) Explain(observer, target uint64) (string, error) {
	var explanation C.ph_explanation
	status := C.ph_explain(w.handle, C.uint64_t(observer), C.uint64_t(target), &explanation)
	if status != PH_OK {
		return "", Status(status)
	}
	var text [reasonSize]C.char
	return C.GoString(C.ph_explanation_text(&explanation, &text[0], reasonSize)), nil
}

// kindsForC copies kinds into memory of C, which the caller frees.
func kindsForC(kinds []uint32) unsafe.Pointer {
	if len(kinds) == 0 {
		return nil
	}
	memory := C.malloc(C.size_t(len(kinds)) * C.sizeof_uint32_t)
	copy(unsafe.Slice((*uint32)(memory), len(kinds)), kinds)
	return memory
}

func min(a, b int) int {
	if a < b {
		return a
	}
	return b
}
