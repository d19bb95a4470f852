package main

import (
	"fmt"
	"pharos"
)

func main() {
	def, class := pharos.DefaultDef(), pharos.DefaultClass("default")
	def.WorldSize, class.View = [2]float32{1000, 1000}, 50
	world, err := pharos.NewWorld(def, class)
	if err != nil {
		panic(err)
	}
	defer world.Close()
	loop, err := world.NewLoop(0) // a producer and consumer 0
	if err != nil {
		panic(err)
	}
	fmt.Println(loop.Enter(1, pharos.At(100, 100))) // ids are yours: any number but 0
	fmt.Println(loop.Enter(2, pharos.At(130, 100).WithView(20)))
	for tick := 1; tick <= 2; tick++ {
		batch, err := loop.Tick() // the moves, the tick, its events: one call of C
		if err != nil {
			panic(err)
		}
		for i := range batch.Changes {
			change := &batch.Changes[i]
			for _, target := range batch.Leaves(change) {
				fmt.Println("tick", batch.Tick, change.Observer, "loses", target.Id)
			}
			for _, target := range batch.Enters(change) {
				fmt.Println("tick", batch.Tick, change.Observer, "sees", target.Id)
			}
		}
		loop.Move(2, 105, 100, 0)
	}
	fmt.Println(loop.Leave(0))
}
