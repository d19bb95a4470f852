// Calls of the Go binding that no other program here makes, each once, and refusals. GODEBUG=cgocheck=2 watches the
// pointers that go to C.
package main

import (
	"errors"
	"fmt"
	"pharos"
	"strings"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func expect(ok bool, format string, values ...any) {
	if !ok {
		panic(fmt.Sprintf(format, values...))
	}
}

func refused(err error, status pharos.Status) {
	expect(errors.Is(err, status), "%v expected, not %v", status, err)
}

func readBatch(batch *pharos.Batch) {
	enters, messages, updates := 0, 0, 0
	for i := range batch.Changes {
		change := &batch.Changes[i]
		expect(change.UserData == 7 && change.Flags&pharos.PH_CHANGE_FRESH != 0, "%v", *change)
		enters += len(batch.Enters(change))
		for i, cause := range batch.EnterCauses(change) {
			expect(pharos.CauseName(cause) == "appeared" && batch.EnterPositions(change)[i].X > 0, "cause %d", cause)
		}
	}
	for i := range batch.Deliveries {
		for _, place := range batch.Heards(&batch.Deliveries[i]) {
			message := &batch.Messages[place]
			text := string(batch.Text(message))
			expect(message.Source == 2 && text == "you" || message.Source == 0 && text == "bang", "%s", text)
			messages++
		}
	}
	for i := range batch.Updates {
		bands := batch.BandsOf(&batch.Updates[i])
		for at, place := range batch.Dues(&batch.Updates[i]) {
			expect(batch.Moved[place].X > 0 && bands[at] == 0, "no place")
			updates++
		}
	}
	expect(enters == 3 && messages == 3 && updates == 3, "%d enters, %d messages, %d updates", enters, messages, updates)
	expect(len(batch.Crossings) == 1 && batch.Crossings[0].Id == 1 && batch.Crossings[0].Area == 9, "%v", batch.Crossings)
}

func submit(loop *pharos.Loop) {
	for id := uint64(1); id <= 3; id++ {
		check(loop.Enter(id, pharos.At(float32(100*id), 100).WithLayers(^uint64(0)).WithUserData(7)))
	}
	box := pharos.Area{Shape: pharos.PH_AREA_BOX, High: [2]float32{150, 150}, KindCount: 1}
	check(loop.AreaSet(9, box))
	check(loop.AreaSet(10, box))
	check(loop.AreaRemove(10))
	check(loop.Link(1, 2))
	check(loop.Hide(1, 3))
	check(loop.Pair(2, 3, 120, 5))
	check(loop.Attach(3, 2))
	check(loop.Set(1, pharos.Attrs{}.WithView(60)))
	check(loop.Broadcast(2, []byte("you"), &pharos.BroadcastOptions{Radius: 500}, 0))
	check(loop.BroadcastAt(pharos.BroadcastPlace{X: 100, Y: 100, Radius: 10, Layers: 1}, []byte("bang"), 0, 1))
	check(loop.Leave(77))
	loop.Move(1, 101, 100, 0)
}

func ask(world *pharos.World) {
	sees, err := world.Sees(1, 2)
	check(err)
	list, err := world.List(1)
	check(err)
	observers, err := world.Observers(2)
	check(err)
	expect(sees && len(list) == 1 && list[0] == 2 && len(observers) == 2, "%v %v %v", sees, list, observers)
	attrs, err := world.Entity(1)
	check(err)
	expect(attrs.View == 60 && attrs.UserData == 7, "%v", attrs)
	hits, err := world.Find(pharos.Query{Shape: pharos.PH_QUERY_CIRCLE, X: 101, Y: 100, Radius: 20}, 0)
	check(err)
	expect(len(hits) == 1 && hits[0].Id == 1, "%v", hits)
	why, err := world.Explain(1, 2)
	check(err)
	expect(strings.Contains(why, "link"), why)
	stats, err := world.Stats()
	check(err)
	expect(stats.Entities == 3 && stats.Refused[pharos.PH_UNKNOWN_ID] == 1, "%v", stats)
	text, err := world.Prometheus()
	check(err)
	expect(strings.Contains(text, "\npharos_entities 3\n"), text)
	_, err = world.Hash()
	check(err)
	_, err = world.TickFinish()
	refused(err, pharos.PH_EMPTY)
	_, err = world.Entity(50)
	refused(err, pharos.PH_UNKNOWN_ID)
}

func main() {
	def, class, npc := pharos.DefaultDef(), pharos.DefaultClass("default"), pharos.DefaultClass("npc")
	class.View, class.BandCount, class.Bands[0] = 50, 1, pharos.Band{Radius: 50, Every: 1}
	bad := def
	bad.TowerSize = -1
	_, err := pharos.NewWorld(bad)
	refused(err, pharos.PH_BAD_DEF)
	expect(strings.Contains(err.Error(), "tower_size"), err.Error())
	world, err := pharos.NewWorld(def, class, npc)
	check(err)
	loop, err := world.NewLoop(0)
	check(err)
	_, err = world.NewLoop(0)
	refused(err, pharos.PH_TAKEN)
	_, err = loop.MoveMany([]uint64{1}, nil)
	refused(err, pharos.PH_BAD_ARGUMENT)
	refused(loop.Broadcast(1, make([]byte, 70000), nil), pharos.PH_TOO_LARGE)
	submit(loop)
	batch, err := loop.Tick()
	check(err)
	readBatch(batch)
	room := make([]pharos.Refusal, 4)
	refusals, err := loop.Refusals(room)
	check(err)
	expect(len(refusals) == 1 && refusals[0].Id == 77 && refusals[0].Status == pharos.PH_UNKNOWN_ID, "%v", refusals)
	ask(world)
	class.View = 55
	check(world.Reconfigure(def, class, npc))
	check(world.Apply())
	batch, err = loop.Tick()
	check(err)
	expect(batch.Return() == nil && batch.Return() == nil, "a batch goes back")
	check(loop.Close())
	check(world.Close())
	refused(world.Close(), pharos.PH_BAD_HANDLE)
	_, err = loop.Tick()
	refused(err, pharos.PH_BAD_HANDLE)
	fmt.Println("each call is refused, or gives its result")
}
