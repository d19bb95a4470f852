// Plays a trace through the Go binding: see compare.py.
package main

import (
	"bufio"
	"fmt"
	"os"
	"pharos"
	"strconv"
	"strings"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func number(text string) float32 {
	value, err := strconv.ParseFloat(text, 32)
	check(err)
	return float32(value)
}

func runTick(loop *pharos.Loop, out *bufio.Writer, tick int) {
	batch, err := loop.Tick()
	check(err)
	for i := range batch.Changes {
		change := &batch.Changes[i]
		for i, target := range batch.Leaves(change) {
			cause := pharos.CauseName(batch.LeaveCauses(change)[i])
			fmt.Fprintf(out, "%d,%d,leave,%d,%s,,,\n", tick, change.Observer, target.Id, cause)
		}
		for i, target := range batch.Enters(change) {
			cause, at := pharos.CauseName(batch.EnterCauses(change)[i]), batch.EnterPositions(change)[i]
			fmt.Fprintf(out, "%d,%d,enter,%d,%s,%.9g,%.9g,%.9g\n", tick, change.Observer, target.Id, cause, at.X, at.Y, at.Z)
		}
	}
}

// A leave follows the moves of its tick: the trace has one row for an entity and tick, so their order is free.
func submit(loop *pharos.Loop, row []string) {
	id, err := strconv.ParseUint(row[2], 10, 64)
	check(err)
	switch row[1] {
	case "leave":
		check(loop.Leave(id))
	case "move":
		loop.Move(id, number(row[3]), number(row[4]), 0)
	default:
		attrs := pharos.At(number(row[3]), number(row[4]))
		if row[5] != "" {
			attrs = attrs.WithView(number(row[5]))
		}
		check(loop.Enter(id, attrs))
	}
}

func main() {
	def := pharos.DefaultDef()
	def.WorldSize = [2]float32{1000, 1000}
	world, err := pharos.NewWorld(def)
	check(err)
	loop, err := world.NewLoop(0)
	check(err)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	fmt.Fprintln(out, "tick,observer,event,target,cause,x,y,z")
	rows := bufio.NewScanner(os.Stdin)
	rows.Scan() // the header
	tick := 0
	for rows.Scan() {
		row := strings.Split(rows.Text(), ",")
		at, err := strconv.Atoi(row[0])
		check(err)
		for ; tick != 0 && tick < at; tick++ {
			runTick(loop, out, tick)
		}
		tick = at
		submit(loop, row)
	}
	runTick(loop, out, tick)
	check(world.Close())
}
