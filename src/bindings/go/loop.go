package pharos

/*
#include <pharos/pharos.h>

// A whole tick by one call from Go: moves, the tick, the batch of the tick before is returned, the next one is taken.
static ph_status loop_tick(ph_producer producer, ph_consumer consumer, const ph_batch *before, uint32_t count,
                           const uint64_t *ids, const ph_position *positions, uint32_t *done, uint64_t *tick,
                           const ph_batch **batch)
{
    *done = 0;
    *batch = NULL;
    if (before != NULL) ph_batch_return(consumer, before);
    // Refused items come back as refusals; a full queue leaves the rest for the next tick.
    ph_status moved = count != 0 ? ph_move_many(producer, count, ids, positions, done) : PH_OK;
    if (moved == PH_BAD_HANDLE || moved == PH_NO_MEMORY) return moved;
    ph_status status = ph_tick(producer.world, tick);
    if (status != PH_OK) return status;
    status = ph_batch_take(consumer, batch);
    return status == PH_EMPTY || status == PH_PENDING ? PH_OK : status;
}
*/
import "C"

import "unsafe"

// Loop is a producer and a consumer for one goroutine: moves are kept in Go, and a tick is one call of C.
type Loop struct {
	Producer
	Consumer  Consumer
	batch     Batch
	ids       []uint64
	positions []Position
}

// NewLoop opens a producer, and the consumer of this number.
func (w *World) NewLoop(consumer uint32) (*Loop, error) {
	l := &Loop{}
	if err := statusError(C.ph_producer_open(w.handle, &l.Producer.handle)); err != nil {
		return nil, err
	}
	if err := statusError(C.ph_consumer_open(w.handle, C.uint32_t(consumer), &l.Consumer.handle)); err != nil {
		l.Producer.Close()
		return nil, err
	}
	return l, nil
}

// Close closes producer and consumer.
func (l *Loop) Close() error {
	l.batch = Batch{}
	if err := l.Consumer.Close(); err != nil {
		return err
	}
	return l.Producer.Close()
}

// Move keeps a move for the next Tick, behind commands that go to the producer at once. A move that is refused is found
// by Refusals.
func (l *Loop) Move(id uint64, x, y, z float32) {
	l.ids = append(l.ids, id)
	l.positions = append(l.positions, Position{X: x, Y: y, Z: z})
}

// Tick submits the moves, runs a tick and takes its batch, which is valid until the next Tick. The batch has Tick 0 and
// nothing in it when the tick brought nothing.
func (l *Loop) Tick() (*Batch, error) {
	var done C.uint32_t
	var tick C.uint64_t
	var ids *C.uint64_t
	var positions *C.ph_position
	var batch *C.ph_batch
	if len(l.ids) != 0 {
		ids, positions = (*C.uint64_t)(&l.ids[0]), (*C.ph_position)(unsafe.Pointer(&l.positions[0]))
	}
	before := l.batch.batch
	l.batch = Batch{}
	status := C.loop_tick(l.Producer.handle, l.Consumer.handle, before, C.uint32_t(len(l.ids)), ids, positions, &done,
		&tick, &batch)
	rest := copy(l.ids, l.ids[done:])
	copy(l.positions, l.positions[done:])
	l.ids, l.positions = l.ids[:rest], l.positions[:rest]
	if batch != nil {
		l.batch.fill(l.Consumer.handle, batch)
	}
	return &l.batch, statusError(status)
}
