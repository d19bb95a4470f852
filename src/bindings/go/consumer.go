package pharos

// #include <pharos/pharos.h>
import "C"

import "unsafe"

// Consumer takes batches; one goroutine at a time.
type Consumer struct{ handle C.ph_consumer }

// NewConsumer opens a consumer of the world.
func (w *World) NewConsumer(index uint32) (*Consumer, error) {
	consumer := &Consumer{}
	return consumer, statusError(C.ph_consumer_open(w.handle, C.uint32_t(index), &consumer.handle))
}

// Close closes it; batches taken come back.
func (c *Consumer) Close() error { return statusError(C.ph_consumer_close(c.handle)) }

// Batch is one tick's events. The slices are the library's memory: valid until Return, and not to be written; copy what
// has to live longer.
type Batch struct {
	Tick, TickFirst, Dropped uint64
	Changes                  []Change
	Targets                  []Target
	Kinds                    []uint16
	Causes                   []uint8    // beside Targets: PH_CAUSE_...
	Positions                []Position // beside Targets, of enters; nil: the definition leaves them out
	Messages                 []Message
	Payload                  []byte
	Deliveries               []Delivery
	Heard                    []uint32
	Activations, Crossings   []Edge
	Updates                  []Update
	Due                      []uint32
	Bands                    []uint8 // beside Due
	Moved                    []Moved

	batch    *C.ph_batch
	consumer C.ph_consumer
}

// Take takes the oldest batch; nil: there is none.
func (c *Consumer) Take() (*Batch, error) {
	var batch *C.ph_batch
	switch status := C.ph_batch_take(c.handle, &batch); status {
	case PH_OK:
		made := &Batch{}
		made.fill(c.handle, batch)
		return made, nil
	case PH_EMPTY, PH_PENDING:
		return nil, nil
	default:
		return nil, Status(status)
	}
}

// records is C's array as a slice.
func records[T any, From any](first *From, count C.uint32_t) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(first)), int(count))
}

func (b *Batch) fill(consumer C.ph_consumer, from *C.ph_batch) {
	*b = Batch{
		Tick: uint64(from.tick), TickFirst: uint64(from.tick_first), Dropped: uint64(from.dropped),
		Changes:     records[Change](from.changes, from.change_count),
		Targets:     records[Target](from.targets, from.target_count),
		Kinds:       records[uint16](from.kinds, from.target_count),
		Messages:    records[Message](from.messages, from.message_count),
		Payload:     unsafe.Slice((*byte)(from.payload), int(from.payload_bytes)),
		Deliveries:  records[Delivery](from.deliveries, from.delivery_count),
		Heard:       records[uint32](from.heard, from.heard_count),
		Activations: records[Edge](from.activations, from.activation_count),
		Crossings:   records[Edge](from.crossings, from.crossing_count),
		Updates:     records[Update](from.updates, from.update_count),
		Due:         records[uint32](from.due, from.due_count),
		Bands:       records[uint8](from.bands, from.due_count),
		Moved:       records[Moved](from.moved, from.moved_count),
		Causes:      records[uint8](from.causes, from.target_count),
		batch:       from, consumer: consumer,
	}
	if from.positions != nil {
		b.Positions = records[Position](from.positions, from.target_count)
	}
}

// Leaves are the targets that left the list of the change's observer.
func (b *Batch) Leaves(c *Change) []Target { return b.Targets[c.First:][:c.LeaveCount] }

// Enters are the targets that entered it.
func (b *Batch) Enters(c *Change) []Target { return b.Targets[c.First+c.LeaveCount:][:c.EnterCount] }

// LeaveCauses are the causes of Leaves.
func (b *Batch) LeaveCauses(c *Change) []uint8 { return b.Causes[c.First:][:c.LeaveCount] }

// EnterCauses are the causes of Enters.
func (b *Batch) EnterCauses(c *Change) []uint8 { return b.Causes[c.First+c.LeaveCount:][:c.EnterCount] }

// EnterPositions are the places of Enters; nil: the definition leaves them out.
func (b *Batch) EnterPositions(c *Change) []Position {
	if b.Positions == nil {
		return nil
	}
	return b.Positions[c.First+c.LeaveCount:][:c.EnterCount]
}

// CauseName is the word of a cause: "range".
func CauseName(cause uint8) string { return C.GoString(C.ph_cause_name(C.ph_cause(cause))) }

// Heards are the places of a delivery's messages.
func (b *Batch) Heards(d *Delivery) []uint32 { return b.Heard[d.First:][:d.Count] }

// Text is the payload of a message.
func (b *Batch) Text(m *Message) []byte { return b.Payload[m.First:][:m.Bytes] }

// Dues are the places of an update's moved targets.
func (b *Batch) Dues(u *Update) []uint32 { return b.Due[u.First:][:u.Count] }

// BandsOf are the bands of these targets for the update's observer.
func (b *Batch) BandsOf(u *Update) []uint8 { return b.Bands[u.First:][:u.Count] }

// Return gives the batch back: its slices are gone. Again: nothing.
func (b *Batch) Return() error {
	if b.batch == nil {
		return nil
	}
	status := C.ph_batch_return(b.consumer, b.batch)
	*b = Batch{}
	return statusError(status)
}
