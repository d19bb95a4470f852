/*
 * A walk over the tokens of a config text; see migrate.h. A word with '=' behind it is a key; its section is the one
 * that the last open '{' began.
 */
#include "tools/migrate.h"

#include <string.h>

#include "base/key_table.h"
#include "config/renames.h"

const phx_rename phx_key_renames[] = {
#define RENAME_ROW(section, old_name, new_name) {section, old_name, new_name},
    PHX_KEY_RENAMES(RENAME_ROW)
#undef RENAME_ROW
        {NULL, NULL, NULL}};

enum { SECTIONS_MAX = 2, /* a band in a class */ NAME_MAX = 32 };

typedef struct walker {
    const char *at, *end;
    FILE *out;
    const phx_renames *renames;
    uint32_t line, depth;
    bool is_value; /* behind '=' */
    bool in_list;
    char sections[SECTIONS_MAX + 1][NAME_MAX]; /* by depth; of the world "" */
    char words[2][NAME_MAX];                   /* the last one, and the one before, of what may begin a section */
} walker;

static void put(walker *w, size_t count)
{
    for (size_t i = 0; i < count; i++) w->line += w->at[i] == '\n';
    fwrite(w->at, 1, count, w->out);
    w->at += count;
}

static size_t bytes_left(const walker *w)
{
    return (size_t)(w->end - w->at);
}

static bool starts_with(const walker *w, const char *text)
{
    return bytes_left(w) >= strlen(text) && memcmp(w->at, text, strlen(text)) == 0;
}

static bool is_one_of(char byte, const char *bytes)
{
    return byte != '\0' && strchr(bytes, byte);
}

/* Bytes of the comment, or of the blanks, at `from`; 0 = there is neither. */
static size_t gap_length(const char *from, const char *end)
{
    const size_t left = (size_t)(end - from);
    if (left == 0) return 0;
    if (is_one_of(*from, " \t\r\n")) return 1;
    if (*from == '#' || (left >= 2 && memcmp(from, "//", 2) == 0)) {
        const char *line_end = memchr(from, '\n', left);
        return line_end ? (size_t)(line_end - from) : left;
    }
    if (left < 2 || memcmp(from, "/*", 2) != 0) return 0;
    for (const char *at = from + 2; at + 2 <= end; at++)
        if (memcmp(at, "*/", 2) == 0) return (size_t)(at + 2 - from);
    return left;
}

static bool is_key(const walker *w, size_t length)
{
    const char *at = w->at + length;
    for (size_t gap; (gap = gap_length(at, w->end)) > 0;) at += gap;
    return at < w->end && *at == '=' && !w->is_value && !w->in_list;
}

static bool is_rename_of(const walker *w, const phx_rename *rename, size_t length)
{
    const char *section = w->depth <= SECTIONS_MAX ? w->sections[w->depth] : "";
    return strlen(rename->old_name) == length && memcmp(rename->old_name, w->at, length) == 0 &&
           (!rename->section || strcmp(rename->section, section) == 0);
}

static const phx_rename *find_rename(const walker *w, size_t length)
{
    const phx_renames *renames = w->renames;
    for (uint32_t i = 0; i < renames->given_count; i++)
        if (is_rename_of(w, &renames->given[i], length)) return &renames->given[i];
    for (const phx_rename *row = renames->versions; row->old_name; row++)
        if (is_rename_of(w, row, length)) return row;
    return NULL;
}

static void pass_word(walker *w, size_t length)
{
    const phx_rename *rename = is_key(w, length) ? find_rename(w, length) : NULL;
    if (!w->is_value && !w->in_list) {
        memcpy(w->words[1], w->words[0], NAME_MAX);
        snprintf(w->words[0], NAME_MAX, "%.*s", (int)(length < NAME_MAX ? length : NAME_MAX - 1), w->at);
    }
    w->is_value = false;
    if (!rename) {
        put(w, length);
        return;
    }
    fputs(rename->new_name, w->out);
    w->at += length;
    if (w->renames->renamed) w->renames->renamed(w->renames->user, w->line, rename);
}

/* "class NAME {", "band {", "store {", "cluster {" */
static void begin_section(walker *w)
{
    const bool titled = strcmp(w->words[1], "class") == 0;
    if (++w->depth <= SECTIONS_MAX) memcpy(w->sections[w->depth], w->words[titled ? 1 : 0], NAME_MAX);
}

static void pass_mark(walker *w)
{
    const char mark = *w->at;
    if (mark == '{' && w->is_value) w->in_list = true;
    else if (mark == '{') begin_section(w);
    else if (mark == '}' && w->in_list) w->in_list = false;
    else if (mark == '}' && w->depth > 0) w->depth--;
    w->is_value = mark == '=';
    if (mark != ',') w->words[0][0] = w->words[1][0] = '\0';
    put(w, 1);
}

static size_t word_length(const walker *w)
{
    size_t length = 0;
    while (length < bytes_left(w) && phx_is_name_byte(w->at[length])) length++;
    return length;
}

/* A quoted word is a value or the name of a class: no key stands in quotes. */
static void pass_quoted(walker *w)
{
    const char *close = memchr(w->at + 1, *w->at, bytes_left(w) - 1);
    if (!w->is_value && !w->in_list) {
        memcpy(w->words[1], w->words[0], NAME_MAX);
        w->words[0][0] = '\0';
    }
    w->is_value = false;
    put(w, close ? (size_t)(close + 1 - w->at) : bytes_left(w));
}

void phx_migrate(FILE *out, const char *text, size_t length, const phx_renames *renames)
{
    walker w = {.at = text, .end = text + length, .out = out, .renames = renames, .line = 1};
    if (starts_with(&w, "\xef\xbb\xbf")) put(&w, 3);
    while (w.at < w.end) {
        const size_t gap = gap_length(w.at, w.end), word = word_length(&w);
        if (gap > 0) put(&w, gap);
        else if (word > 0) pass_word(&w, word);
        else if (*w.at == '"' || *w.at == '\'') pass_quoted(&w);
        else if (is_one_of(*w.at, "={},")) pass_mark(&w);
        else put(&w, 1);
    }
}
