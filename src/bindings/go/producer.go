package pharos

// #include <pharos/pharos.h>
// #include <stdlib.h>
import "C"

import "unsafe"

// Producer submits commands; one goroutine at a time. Each call is a call of C, of about 50 ns: thousands of moves go
// by MoveMany or by a Loop.
type Producer struct{ handle C.ph_producer }

// NewProducer opens a producer of the world.
func (w *World) NewProducer() (*Producer, error) {
	producer := &Producer{}
	return producer, statusError(C.ph_producer_open(w.handle, &producer.handle))
}

// Close closes it; the next tick still applies its commands.
func (p *Producer) Close() error { return statusError(C.ph_producer_close(p.handle)) }

// At is a ph_attrs with a place on the ground.
func At(x, y float32) Attrs { return Attrs{}.WithX(x).WithY(y) }

// Enter brings a new entity.
func (p *Producer) Enter(id uint64, attrs Attrs) error {
	return statusError(C.ph_enter(p.handle, C.uint64_t(id), (*C.ph_attrs)(unsafe.Pointer(&attrs))))
}

// Set changes the given attributes.
func (p *Producer) Set(id uint64, attrs Attrs) error {
	return statusError(C.ph_set(p.handle, C.uint64_t(id), (*C.ph_attrs)(unsafe.Pointer(&attrs))))
}

// Move sets the position.
func (p *Producer) Move(id uint64, x, y, z float32) error {
	return statusError(C.ph_move(p.handle, C.uint64_t(id), C.float(x), C.float(y), C.float(z)))
}

// MoveMany moves ids[i] to positions[i] by one call of C; gives the number queued or refused.
func (p *Producer) MoveMany(ids []uint64, positions []Position) (int, error) {
	if len(ids) == 0 || len(ids) != len(positions) {
		return 0, lengthError(len(ids), len(positions))
	}
	var done C.uint32_t
	status := C.ph_move_many(p.handle, C.uint32_t(len(ids)), (*C.uint64_t)(&ids[0]),
		(*C.ph_position)(unsafe.Pointer(&positions[0])), &done)
	return int(done), statusError(status)
}

// EnterMany brings ids[i] with attrs[i] by one call of C; gives the number queued or refused.
func (p *Producer) EnterMany(ids []uint64, attrs []Attrs) (int, error) {
	if len(ids) == 0 || len(ids) != len(attrs) {
		return 0, lengthError(len(ids), len(attrs))
	}
	var done C.uint32_t
	status := C.ph_enter_many(p.handle, C.uint32_t(len(ids)), (*C.uint64_t)(&ids[0]),
		(*C.ph_attrs)(unsafe.Pointer(&attrs[0])), &done)
	return int(done), statusError(status)
}

func lengthError(first, second int) error {
	if first != second {
		return Status(PH_BAD_ARGUMENT)
	}
	return nil
}

// Leave takes the entity out of the world.
func (p *Producer) Leave(id uint64) error { return statusError(C.ph_leave(p.handle, C.uint64_t(id))) }

// Pair gives an ordered pair radii of its own.
func (p *Producer) Pair(observer, target uint64, view, margin float32) error {
	return statusError(C.ph_pair(p.handle, C.uint64_t(observer), C.uint64_t(target), C.float(view), C.float(margin)))
}

// Unpair ends the pair's own radii.
func (p *Producer) Unpair(observer, target uint64) error {
	return statusError(C.ph_unpair(p.handle, C.uint64_t(observer), C.uint64_t(target)))
}

// Link makes the observer see the target at any distance.
func (p *Producer) Link(observer, target uint64) error {
	return statusError(C.ph_link(p.handle, C.uint64_t(observer), C.uint64_t(target)))
}

// Unlink ends the link.
func (p *Producer) Unlink(observer, target uint64) error {
	return statusError(C.ph_unlink(p.handle, C.uint64_t(observer), C.uint64_t(target)))
}

// Hide keeps the target out of the observer's list.
func (p *Producer) Hide(observer, target uint64) error {
	return statusError(C.ph_hide(p.handle, C.uint64_t(observer), C.uint64_t(target)))
}

// Unhide ends the hide.
func (p *Producer) Unhide(observer, target uint64) error {
	return statusError(C.ph_unhide(p.handle, C.uint64_t(observer), C.uint64_t(target)))
}

// Reveal lifts the target's veil and stealth for the observer.
func (p *Producer) Reveal(observer, target uint64) error {
	return statusError(C.ph_reveal(p.handle, C.uint64_t(observer), C.uint64_t(target)))
}

// Unreveal ends the reveal.
func (p *Producer) Unreveal(observer, target uint64) error {
	return statusError(C.ph_unreveal(p.handle, C.uint64_t(observer), C.uint64_t(target)))
}

// Attach makes the child follow the parent.
func (p *Producer) Attach(child, parent uint64) error {
	return statusError(C.ph_attach(p.handle, C.uint64_t(child), C.uint64_t(parent)))
}

// Detach leaves the child where the parent is.
func (p *Producer) Detach(child uint64) error {
	return statusError(C.ph_detach(p.handle, C.uint64_t(child)))
}

// Resend makes the observer's next change fresh, with its whole list.
func (p *Producer) Resend(observer uint64) error {
	return statusError(C.ph_resend(p.handle, C.uint64_t(observer)))
}

// Broadcast brings the payload to all observers of the source; with options, to others, of kinds only if there are any.
func (p *Producer) Broadcast(source uint64, payload []byte, options *BroadcastOptions, kinds ...uint32) error {
	var from *C.ph_broadcast_options
	if options != nil {
		of := *options
		memory := kindsForC(kinds)
		defer C.free(memory)
		of.kinds, of.KindCount = memory, uint32(len(kinds))
		from = (*C.ph_broadcast_options)(unsafe.Pointer(&of))
	}
	return statusError(C.ph_broadcast(p.handle, C.uint64_t(source), bytesForC(payload), C.uint32_t(len(payload)), from))
}

// BroadcastAt brings the payload from a place to the observers around it.
func (p *Producer) BroadcastAt(place BroadcastPlace, payload []byte, kinds ...uint32) error {
	memory := kindsForC(kinds)
	defer C.free(memory)
	place.kinds, place.KindCount = memory, uint32(len(kinds))
	return statusError(C.ph_broadcast_at(p.handle, (*C.ph_broadcast_place)(unsafe.Pointer(&place)), bytesForC(payload),
		C.uint32_t(len(payload))))
}

func bytesForC(payload []byte) unsafe.Pointer {
	if len(payload) == 0 {
		return nil
	}
	return unsafe.Pointer(&payload[0])
}

// AreaSet makes the area, or gives it another shape.
func (p *Producer) AreaSet(area uint64, shape Area) error {
	return statusError(C.ph_area_set(p.handle, C.uint64_t(area), (*C.ph_area)(unsafe.Pointer(&shape))))
}

// AreaRemove ends the area.
func (p *Producer) AreaRemove(area uint64) error {
	return statusError(C.ph_area_remove(p.handle, C.uint64_t(area)))
}

// Sequence is the number of the last command.
func (p *Producer) Sequence() (uint64, error) {
	var sequence C.uint64_t
	status := C.ph_producer_sequence(p.handle, &sequence)
	return uint64(sequence), statusError(status)
}

// Refusals fills room with the refusals that wait; gives the part that it filled.
func (p *Producer) Refusals(room []Refusal) ([]Refusal, error) {
	if len(room) == 0 {
		return nil, nil
	}
	var count C.uint32_t
	status := C.ph_producer_refusals(p.handle, (*C.ph_refusal)(unsafe.Pointer(&room[0])), C.uint32_t(len(room)), &count)
	return room[:count], statusError(status)
}
