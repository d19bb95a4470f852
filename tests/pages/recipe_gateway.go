// docs/recipes.md, "A Go gateway": a goroutine for each client, one for the world. No lock: channels alone.
package main

import (
	"fmt"
	"pharos"
	"sync"
)

type view struct{ leaves, enters []uint64 }

type login struct {
	id    uint64
	x, y  float32
	views chan<- view
}

type step struct {
	id   uint64
	x, y float32
}

type gateway struct {
	logins chan login
	steps  chan step
	ticks  chan chan struct{} // here by hand; a server has a time.Ticker
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func idsOf(targets []pharos.Target) []uint64 {
	ids := make([]uint64, len(targets)) // a copy: the batch's memory is the library's
	for i := range targets {
		ids[i] = targets[i].Id
	}
	return ids
}

// run owns the world: this goroutine alone calls it.
func (g *gateway) run() {
	def, class := pharos.DefaultDef(), pharos.DefaultClass("default")
	def.WorldSize, class.View = [2]float32{1000, 1000}, 50
	world, err := pharos.NewWorld(def, class)
	check(err)
	loop, err := world.NewLoop(0)
	check(err)
	clients := map[uint64]chan<- view{}
	for {
		select {
		case l := <-g.logins:
			clients[l.id] = l.views
			check(loop.Enter(l.id, pharos.At(l.x, l.y)))
		case s := <-g.steps:
			loop.Move(s.id, s.x, s.y, 0)
		case done, open := <-g.ticks:
			if !open {
				check(world.Close())
				return
			}
			batch, err := loop.Tick() // all moves, the tick, its batch: one call of C
			check(err)
			for i := range batch.Changes {
				c := &batch.Changes[i]
				select {
				case clients[c.Observer] <- view{idsOf(batch.Leaves(c)), idsOf(batch.Enters(c))}:
				default: // a client too slow for its channel: it gets its whole list anew
					check(loop.Resend(c.Observer))
				}
			}
			close(done)
		}
	}
}

func (g *gateway) tick() {
	done := make(chan struct{})
	g.ticks <- done
	<-done
}

func main() {
	g := &gateway{make(chan login), make(chan step), make(chan chan struct{})}
	var running sync.WaitGroup
	running.Add(1)
	go func() { g.run(); running.Done() }()
	ann, bob := make(chan view, 4), make(chan view, 4)
	g.logins <- login{1, 100, 100, ann}
	g.logins <- login{2, 130, 100, bob}
	g.tick()
	g.steps <- step{2, 500, 100}
	g.tick()
	fmt.Println("ann:", <-ann, <-ann)
	fmt.Println("bob:", <-bob, <-bob)
	close(g.ticks)
	running.Wait()
}
