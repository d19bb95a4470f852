// The cost of the Go binding: see cost.c. A move is an append in Go; the copy to C is in the call of the tick, and is
// measured by MoveMany.
package main

import (
	"fmt"
	"pharos"
	"time"
)

const entities, ticks = 10000, 40

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func place(positions []pharos.Position, tick int) {
	for i := range positions {
		id := i + 1
		positions[i] = pharos.Position{X: float32((id*37 + tick*(id%7+1)) % 1000), Y: float32((id*91 + tick*(id%5+1)) % 1000)}
	}
}

func main() {
	def, class := pharos.DefaultDef(), pharos.DefaultClass("default")
	def.WorldSize, class.View = [2]float32{1000, 1000}, 20
	world, err := pharos.NewWorld(def, class)
	check(err)
	producer, err := world.NewProducer()
	check(err)
	consumer, err := world.NewConsumer(0)
	check(err)
	ids, attrs, positions := make([]uint64, entities), make([]pharos.Attrs, entities), make([]pharos.Position, entities)
	place(positions, 0)
	for i := range ids {
		ids[i], attrs[i] = uint64(i+1), pharos.At(positions[i].X, positions[i].Y)
	}
	_, err = producer.EnterMany(ids, attrs)
	check(err)
	var events, sum uint64
	var moveTime, eventTime time.Duration
	for tick := 1; tick <= ticks; tick++ {
		place(positions, tick)
		begin := time.Now()
		_, err := producer.MoveMany(ids, positions)
		moveTime += time.Since(begin)
		check(err)
		_, err = world.Tick()
		check(err)
		begin = time.Now()
		batch, err := consumer.Take()
		check(err)
		for i := range batch.Changes {
			change := &batch.Changes[i]
			for _, target := range batch.Leaves(change) {
				sum += change.Observer + 3*target.Id
			}
			for _, target := range batch.Enters(change) {
				sum += change.Observer + 2*target.Id
			}
			events += uint64(change.LeaveCount + change.EnterCount)
		}
		check(batch.Return())
		eventTime += time.Since(begin)
	}
	fmt.Printf("events %d sum %d\n", events, sum)
	fmt.Printf("Go: %.1f ns a move, %.1f ns an event\n",
		float64(moveTime.Nanoseconds())/(ticks*entities), float64(eventTime.Nanoseconds())/float64(events))
	check(world.Close())
}
