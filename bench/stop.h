/*
 * Ctrl-C: the bench ends behind the run at work, with all figures so far; a second one ends it at once. Owned by
 * main.c, and asked between runs.
 */
#ifndef PHX_BENCH_STOP_H
#define PHX_BENCH_STOP_H

#include <stdbool.h>

/* Called behind the opening of output files: their handler ends the bench. Where SIGINT is ignored it stays so. */
void bench_stop_catch(void);
bool bench_stopped(void);

#endif
