/*
 * Any bytes as a trace file, plain or gzip: the reader ends, and its good
 * rows keep the promises of trace.h. Run by libFuzzer, or over its corpus.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* memfd_create */
#endif

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tools/trace.h"
#include "tools/trace_head.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(x) \
    do { \
        if (!(x)) { \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #x); \
            abort(); \
        } \
    } while (0)

static uint32_t kind_of(void *user, const char *name)
{
    (void)user;
    CHECK(name[0] != '\0');
    return (uint32_t)strlen(name) % 5;
}

static void check_attrs(const ph_attrs *attrs)
{
    CHECK((attrs->given & ~(uint32_t)PH_GIVEN_ALL) == 0);
    const float floats[] = {attrs->x, attrs->y, attrs->z, attrs->view, attrs->margin, attrs->reach, attrs->visible};
    for (size_t i = 0; i < sizeof floats / sizeof floats[0]; i++) CHECK(isfinite(floats[i]));
    CHECK(attrs->kind < PH_KINDS_MAX);
}

static void check_row(const phx_trace_row *row, const phx_trace_row *before)
{
    const ph_attrs *attrs = &row->attrs;
    CHECK(row->line > before->line);
    CHECK(row->tick >= before->tick || before->line == 0);
    CHECK(row->tick - before->tick <= PHX_TRACE_GAP_MAX || before->line == 0);
    CHECK(row->id != 0);
    CHECK(row->op < PHX_TRACE_OP_COUNT);
    check_attrs(attrs);
    const bool says = row->op == PHX_TRACE_OP_BROADCAST || row->op == PHX_TRACE_OP_BROADCAST_AT;
    const bool has_text = says || row->op == PHX_TRACE_OP_IMPORT || row->op == PHX_TRACE_OP_CONFIG;
    CHECK((has_text || row->text_bytes == 0) && (row->op == PHX_TRACE_OP_BROADCAST || (!row->self && !row->seen)));
    CHECK(row->area.kind_count <= PH_AREA_KINDS_MAX);
    if (row->op == PHX_TRACE_OP_ENTER) CHECK((attrs->given & (PH_X | PH_Y)) == (PH_X | PH_Y));
    else if (row->op == PHX_TRACE_OP_MOVE) CHECK(attrs->given != 0 && (attrs->given & ~(uint32_t)PH_POSITION) == 0);
    else if (row->op == PHX_TRACE_OP_PAIR) CHECK(row->other != 0 && attrs->given & PH_VIEW);
    else if (row->op == PHX_TRACE_OP_LEAVE || row->op == PHX_TRACE_OP_RESEND || row->op == PHX_TRACE_OP_UNAREA ||
             row->op == PHX_TRACE_OP_APPLY)
        CHECK(row->other == 0 && attrs->given == 0);
    else if (row->op >= PHX_TRACE_OP_BROADCAST || row->op == PHX_TRACE_OP_SET || row->op == PHX_TRACE_OP_DETACH)
        return; /* no `other` to ask for */
    else CHECK(row->other != 0 && attrs->given == 0);
}

static void check_error(const phx_trace_error *error)
{
    CHECK(error->reason[0] != '\0');
    CHECK(strlen(error->reason) < sizeof error->reason - 1); /* not cut */
    for (const char *at = error->reason; *at; at++) CHECK((unsigned char)*at >= 0x20 && (unsigned char)*at < 0x7f);
}

static void read_all(phx_trace *trace)
{
    phx_trace_row row, before = {0};
    phx_trace_error error;
    uint64_t line = 0;
    for (;;) {
        phx_trace_result result = phx_trace_next(trace, &row, &error);
        if (result == PHX_TRACE_ROW) {
            check_row(&row, &before);
            before = row;
            CHECK(row.line > line);
            line = row.line;
            continue;
        }
        if (result == PHX_TRACE_END) return;
        check_error(&error);
        if (result == PHX_TRACE_BROKEN) {
            CHECK(error.line >= line); /* a line that is too long may turn out to have no end */
            return;
        }
        CHECK(error.line > line);
        line = error.line;
        CHECK(result == PHX_TRACE_BAD && error.bad < PHX_TRACE_BAD_COUNT);
    }
}

/* The head's definition is taken, or refused with a reason. */
static void read_definition(phx_mem *mem, const char *path)
{
    ph_config *config;
    ph_config_error why = {.reason = ""};
    CHECK(ph_config_create(&config) == PH_OK);
    const ph_status status = phx_trace_head_load(config, mem, path, PHX_TRACE_UNPACK_MAX_BYTES, &why);
    CHECK(status == PH_OK || status == PH_NO_MEMORY || why.reason[0] != '\0');
    ph_config_destroy(config);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    phx_mem mem;
    phx_trace *trace;
    phx_trace_error error;
    int fd = memfd_create("trace", MFD_CLOEXEC);
    CHECK(fd >= 0);
    CHECK(write(fd, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    phx_mem_init(&mem, phx_allocator_libc());
    phx_trace_source source = {path, PHX_TRACE_UNPACK_MAX_BYTES, kind_of, NULL};
    ph_status status = phx_trace_open(&trace, &mem, &source, &error);
    CHECK(status == PH_OK || status == PH_BAD_ARGUMENT);
    if (status == PH_OK) read_all(trace);
    else check_error(&error);
    phx_trace_close(trace);
    if (memmem(data, size, "#config", strlen("#config"))) read_definition(&mem, path);
    CHECK(atomic_load(&mem.bytes) == 0);
    close(fd);
    return 0;
}
