/*
 * A disk with faults for tests of the store: a call that fails, pieces that are short, writes that stall until the test
 * lets go. One at a time in a process; orders are given while no store is open, but for the stall.
 */
#ifndef SUPPORT_FAULT_DISK_H
#define SUPPORT_FAULT_DISK_H

#include "store/disk.h"

/* The real disk with the faults below. */
extern const phx_disk fault_disk;

/* The nth call from now on (1 = the next) fails with this errno, once or from there on; 0 = none. */
void fault_disk_order(uint64_t nth, int error, bool sticky);
/* Writes take at most so many bytes at once, and every third one is interrupted; 0 = as many as wanted. */
void fault_disk_short(size_t bytes);
/* Calls of the disk since the last order. */
uint64_t fault_disk_calls(void);
/* From now on each write and sync waits until the test lets go. */
void fault_disk_stall(void);
void fault_disk_go(void);
/* Waits until a call stalls. */
void fault_disk_await_stall(void);

#endif
