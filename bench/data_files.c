/*
 * The files of --json and --csv; see data_files.h.
 */
#include "bench/data_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/report_data.h"

static bool open_file(bench_data_file *file, const char *path, phx_mem *mem)
{
    const char *trouble = "no memory";
    file->path = path;
    if (path == NULL || phx_out_open(&file->out, mem, path, &trouble) == PH_OK) {
        return true;
    }
    file->out = NULL;
    fprintf(stderr, "pharos-bench: %s: %s\n", path, trouble);
    return false;
}

bool bench_data_open(bench_data_files *files, const bench_options *options, phx_mem *mem)
{
    *files = (bench_data_files){.mem = mem};
    return open_file(&files->json, options->json, mem) && open_file(&files->csv, options->csv, mem);
}

static void put_text(phx_out *out, const char *text, size_t size)
{
    for (size_t at = 0; at < size;) {
        size_t piece = size - at < PHX_OUT_RESERVE_MAX ? size - at : PHX_OUT_RESERVE_MAX;
        memcpy(phx_out_reserve(out), text + at, piece);
        phx_out_advance(out, piece);
        at += piece;
    }
}

static bool no_memory(void)
{
    fputs("pharos-bench: no memory\n", stderr);
    return false;
}

/* Lines on their way into a file. Behind end_text() they are there, whatever comes. */
typedef struct text {
    FILE *stream;
    char *bytes;
    size_t size;
} text;

static bool begin_text(text *made)
{
    *made = (text){NULL, NULL, 0};
    made->stream = open_memstream(&made->bytes, &made->size);
    return made->stream != NULL || no_memory();
}

static bool end_text(text *made, phx_out *out)
{
    bool good = fclose(made->stream) == 0;
    if (good) {
        put_text(out, made->bytes, made->size);
        phx_out_keep(out);
    }
    free(made->bytes);
    return good || no_memory();
}

static bool write_json(const bench_data_files *files, const bench_plan *plan, const bench_machine *machine,
                       uint32_t first, uint32_t end)
{
    text made;
    if (!begin_text(&made)) {
        return false;
    }
    for (uint32_t i = first; i < end; i++) {
        if (plan->cases[i].given_up[0] == '\0') {
            bench_report_json(made.stream, &plan->cases[i], machine, files->mem);
        }
    }
    return end_text(&made, files->json.out);
}

static bool write_csv(const bench_data_files *files, const bench_plan *plan, uint32_t first, uint32_t end)
{
    text made;
    if (!begin_text(&made)) {
        return false;
    }
    if (first == 0) {
        bench_report_csv_header(made.stream);
    }
    for (uint32_t i = first; i < end; i++) {
        if (plan->cases[i].given_up[0] == '\0') {
            bench_report_csv(made.stream, &plan->cases[i], files->mem);
        }
    }
    return end_text(&made, files->csv.out);
}

bool bench_data_write(bench_data_files *files, const bench_plan *plan, const bench_machine *machine, uint32_t first,
                      uint32_t end)
{
    bool good = files->json.out == NULL || write_json(files, plan, machine, first, end);
    good = good && (files->csv.out == NULL || write_csv(files, plan, first, end));
    if (good) {
        files->written = end;
    }
    return good;
}

static bool close_file(bench_data_file *file, bool commit)
{
    const char *trouble = phx_out_close(file->out, commit);
    file->out = NULL;
    if (commit && trouble != NULL) {
        fprintf(stderr, "pharos-bench: %s: %s\n", file->path, trouble);
        return false;
    }
    return true;
}

bool bench_data_close(bench_data_files *files)
{
    bool json_good = close_file(&files->json, files->written > 0);
    bool csv_good = close_file(&files->csv, files->written > 0);
    return json_good && csv_good;
}
