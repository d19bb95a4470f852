/*
 * The files of --json and --csv: the figures of a group of cases stand in them as soon as the group has run, so that a
 * bench that is stopped keeps them. Owned by main.c.
 */
#ifndef PHX_BENCH_DATA_FILES_H
#define PHX_BENCH_DATA_FILES_H

#include "bench/machine.h"
#include "bench/options.h"
#include "bench/plan.h"
#include "tools/out_file.h"

typedef struct bench_data_file {
    const char *path;
    phx_out *out; /* NULL = not asked for */
} bench_data_file;

typedef struct bench_data_files {
    bench_data_file json, csv;
    uint32_t written; /* cases whose figures are in both */
    phx_mem *mem;
} bench_data_files;

/* false: one can not be written; the message is out. Close them in any case. */
bool bench_data_open(bench_data_files *files, const bench_options *options, phx_mem *mem);

/* The figures of cases [first, end), which have run; the next call goes on behind them. false: as above. */
bool bench_data_write(bench_data_files *files, const bench_plan *plan, const bench_machine *machine, uint32_t first,
                      uint32_t end);

/* The files get their names, unless no case has run. false: as above. */
bool bench_data_close(bench_data_files *files);

#endif
