/*
 * The head of a trace; see trace_head.h.
 */
#include "tools/trace_head.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "config/definition.h"
#include "tools/text_input.h"

static const char word[] = "#config";
enum { WORD_BYTES = sizeof word - 1 };

bool phx_trace_head_has(const char *line)
{
    return strncmp(line, word, WORD_BYTES) == 0 && (line[WORD_BYTES] == '\0' || strchr(" \r\n", line[WORD_BYTES]));
}

/* A line of the definition; an empty one for another line of the head, so that both count the same lines. */
static void add_line(FILE *out, const char *line, bool *found)
{
    if (phx_trace_head_has(line)) {
        *found = true;
        fputs(line + WORD_BYTES, out);
    }
    fputc('\n', out);
}

/* All lines before the header. PH_BAD_DEF: there are too many. */
static ph_status read_head(phx_text *text, FILE *out, bool *found, ph_config_error *error)
{
    char *line;
    size_t length;
    while (phx_text_next(text, &line, &length) == PHX_TEXT_LINE) {
        if (phx_text_line_number(text) == 1) phx_text_skip_mark(&line, &length);
        if (length > 0 && line[0] != '#') break;
        add_line(out, line, found);
        if (ftell(out) <= PHX_TRACE_HEAD_MAX_BYTES) continue;
        if (!*found) break; /* a comment of so many lines */
        snprintf(error->reason, sizeof error->reason, "the definition in the trace's head has more than %d bytes",
                 PHX_TRACE_HEAD_MAX_BYTES);
        return PH_BAD_DEF;
    }
    return PH_OK;
}

static ph_status load_text(ph_config *config, phx_text *text, const char *path, ph_config_error *error)
{
    char *head = NULL;
    size_t bytes = 0;
    bool found = false;
    FILE *out = open_memstream(&head, &bytes);
    if (!out) return PH_NO_MEMORY;
    ph_status status = read_head(text, out, &found, error);
    if (fclose(out) != 0 && status == PH_OK) status = PH_NO_MEMORY;
    if (status == PH_OK && found) status = ph_config_load_text(config, path, head, error);
    free(head);
    return status;
}

ph_status phx_trace_head_load(ph_config *config, phx_mem *mem, const char *path, uint64_t unpack_max_bytes,
                              ph_config_error *error)
{
    struct stat about;
    const char *trouble;
    phx_text *text;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode)) return PH_OK;
    const ph_status opened = phx_text_open(&text, mem, path, unpack_max_bytes, &trouble);
    if (opened != PH_OK) return opened == PH_NO_MEMORY ? opened : PH_OK; /* the trace's own reader says why */
    const ph_status status = load_text(config, text, path, error);
    phx_text_close(text);
    return status;
}

/* Puts the word before each line. */
static char *mark_lines(const char *config, size_t *bytes)
{
    char *head = NULL;
    FILE *out = open_memstream(&head, bytes);
    if (!out) return NULL;
    for (const char *line = config; *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        fprintf(out, "%s%s%.*s\n", word, length > 0 ? " " : "", (int)length, line);
        line += length + (line[length] == '\n');
    }
    if (fclose(out) == 0) return head;
    free(head);
    return NULL;
}

char *phx_trace_head_make(const ph_world_def *def, size_t *bytes)
{
    char *config = NULL;
    size_t config_bytes = 0;
    FILE *out = open_memstream(&config, &config_bytes);
    bool written = out && phx_definition_write(def, out);
    if (out && fclose(out) != 0) written = false;
    char *head = written ? mark_lines(config, bytes) : NULL;
    free(config);
    return head;
}
