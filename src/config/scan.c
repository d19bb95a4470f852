/*
 * The look at a config text before libconfuse gets it: comments, quotes, bytes, lists.
 * Called by the loader on its own copy of the text.
 */
#include "config/scan.h"

#include <stdarg.h>

typedef struct scanner {
    char *at, *end;
    uint32_t line;
    char before;  /* the last token: one of "={},", 'w' for a word, 0 at the start */
    bool in_list; /* behind "= {" */
    phx_scan *scan;
} scanner;

__attribute__((format(printf, 2, 3))) static bool refuse(scanner *s, const char *format, ...)
{
    va_list list;

    s->scan->error_line = s->line;
    va_start(list, format);
    (void)vsnprintf(s->scan->reason, sizeof s->scan->reason, format, list);
    va_end(list);
    return false;
}

static bool refuse_byte(scanner *s, const char *where)
{
    unsigned byte = (unsigned char)*s->at;

    if (byte == '+') {
        return refuse(s, "unexpected '+'%s; 1e+5 is written 1e5", where);
    }
    if (byte < 0x20 || byte > 0x7e) {
        return refuse(s, "unexpected byte 0x%02x%s", byte, where);
    }
    return refuse(s, "unexpected '%c'%s", (char)byte, where);
}

static bool starts_with(const scanner *s, const char *two)
{
    return s->end - s->at >= 2 && s->at[0] == two[0] && s->at[1] == two[1];
}

static void blank_line_comment(scanner *s)
{
    for (; s->at < s->end && *s->at != '\n'; s->at++) {
        *s->at = ' ';
    }
}

static bool blank_block_comment(scanner *s)
{
    uint32_t opened = s->line;

    for (memcpy(s->at, "  ", 2), s->at += 2; s->at < s->end; s->at++) {
        if (starts_with(s, "*/")) {
            memcpy(s->at, "  ", 2);
            s->at += 2;
            return true;
        }
        if (*s->at == '\n') {
            s->line++;
        } else {
            *s->at = ' ';
        }
    }
    s->line = opened;
    return refuse(s, "the comment that begins here has no end");
}

/* A word, or with a quote at its front a quoted one. */
static bool pass_word(scanner *s)
{
    char quote = *s->at == '"' || *s->at == '\'' ? *s->at : '\0';
    const char *begin = quote != '\0' ? ++s->at : s->at;

    while (s->at < s->end && phx_is_name_byte(*s->at)) {
        s->at++;
    }
    if (s->at - begin > PHX_WORD_MAX) {
        return refuse(s, "a word longer than %d bytes", PHX_WORD_MAX);
    }
    if (quote != '\0') {
        if (s->at == s->end || *s->at == '\n') {
            return refuse(s, "the quote that begins here has no end");
        }
        if (*s->at != quote) {
            return refuse_byte(s, " in quotes");
        }
        s->at++;
    }
    s->before = 'w';
    return true;
}

static bool pass_mark(scanner *s)
{
    char mark = *s->at;

    if (mark == '{' && s->before == '=') {
        s->in_list = true;
    } else if (mark == '{') {
        if (s->scan->section_count == PH_KINDS_MAX) {
            return refuse(s, "more than %d classes", PH_KINDS_MAX);
        }
        s->scan->section_lines[s->scan->section_count++] = s->line;
    } else if (mark == '}' && s->in_list) {
        if (s->before == '{' || s->before == ',') {
            return refuse(s, s->before == '{' ? "an empty list" : "a list that ends with ','");
        }
        s->in_list = false;
    }
    s->before = mark;
    s->at++;
    return true;
}

static bool pass_token(scanner *s)
{
    char byte = *s->at;

    if (phx_is_name_byte(byte) || byte == '"' || byte == '\'') {
        return pass_word(s);
    }
    if (byte == '=' || byte == ',' || byte == '{' || byte == '}') {
        return pass_mark(s);
    }
    if (starts_with(s, "/*")) {
        return blank_block_comment(s);
    }
    if (byte == '#' || starts_with(s, "//")) {
        blank_line_comment(s);
        return true;
    }
    if (byte == '\r') {
        *s->at = ' ';
    } else if (byte == '\n') {
        s->line++;
    } else if (byte != ' ' && byte != '\t') {
        return refuse_byte(s, "");
    }
    s->at++;
    return true;
}

bool phx_scan_text(char *text, size_t length, phx_scan *scan)
{
    scanner s = {.at = text, .end = text + length, .line = 1, .scan = scan};

    scan->section_count = 0;
    scan->error_line = 0;
    scan->reason[0] = '\0';
    while (s.at < s.end) {
        if (!pass_token(&s)) {
            PHX_ASSERT(scan->error_line >= 1 && scan->reason[0] != '\0');
            return false;
        }
    }
    PHX_ASSERT(s.at == s.end);
    return true;
}
