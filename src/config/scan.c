/*
 * The pass over a config text before libconfuse gets it: comments, quotes, bytes, lists.
 * Called by the loader on its own copy of the text.
 */
#include "config/scan.h"

#include <stdarg.h>

typedef struct scanner {
    char *at, *end;
    char *begin, *to; /* the kept text is written from begin to `to`, never ahead of `at` */
    uint32_t line;
    uint32_t open;      /* sections */
    uint32_t open_line; /* of the outermost one */
    char before;        /* the last token: one of "={},", 'w' for a word, 0 at the start */
    bool in_list;       /* behind "= {" */
    uint32_t words;     /* behind the last value or mark: a section has one, or two with its title */
    const char *word;   /* the last one as it was kept, without quotes */
    phx_text_scan *scan;
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

static void keep(scanner *s, char byte)
{
    PHX_ASSERT(s->to < s->at);
    *s->to++ = byte;
}

/* One blank for any number of them, and none at a line's start. */
static void keep_blank(scanner *s)
{
    if (s->to > s->begin && s->to[-1] != ' ' && s->to[-1] != '\n') {
        keep(s, ' ');
    }
}

static void pass_newline(scanner *s)
{
    s->at++;
    s->line++;
    keep(s, '\n');
}

static void pass_line_comment(scanner *s)
{
    while (s->at < s->end && *s->at != '\n') {
        s->at++;
    }
    keep_blank(s);
}

static bool pass_block_comment(scanner *s)
{
    uint32_t line = s->line;

    for (s->at += 2; s->at < s->end;) {
        if (starts_with(s, "*/")) {
            s->at += 2;
            keep_blank(s);
            return true;
        }
        if (*s->at == '\n') {
            pass_newline(s);
        } else {
            s->at++;
        }
    }
    s->line = line;
    return refuse(s, "the comment that begins here has no end");
}

/* A word, or with a quote at its front a quoted one. */
static bool pass_word(scanner *s)
{
    char quote = *s->at == '"' || *s->at == '\'' ? *s->at : '\0';
    const char *begin = quote != '\0' ? ++s->at : s->at;

    if (quote != '\0') {
        keep(s, quote);
    }
    s->word = s->to;
    while (s->at < s->end && (phx_is_name_byte(*s->at) || (quote != '\0' && phx_is_address_byte(*s->at)))) {
        s->at++;
        keep(s, s->at[-1]);
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
        keep(s, quote);
    }
    s->words = s->before == '=' ? 0 : s->words + 1;
    s->before = 'w';
    return true;
}

/* A section begins: a class, or one without a title. */
static bool pass_section(scanner *s)
{
    uint32_t section = PHX_SECTIONS;

    if (s->words == 1) {
        size_t bytes = 0;

        while (s->word + bytes < s->to && phx_is_name_byte(s->word[bytes])) {
            bytes++;
        }
        section = phx_config_section(s->word, bytes);
    }
    if (section < PHX_SECTIONS && s->scan->seen[section]) {
        return refuse(s, "a second section %s", phx_config_sections[section].name);
    }
    if (section < PHX_SECTIONS) {
        s->scan->seen[section] = true;
        return true;
    }
    if (s->scan->section_count == PH_KINDS_MAX) {
        return refuse(s, "more than %d classes", PH_KINDS_MAX);
    }
    s->scan->section_lines[s->scan->section_count++] = s->line;
    return true;
}

static bool pass_mark(scanner *s)
{
    char mark = *s->at;

    if (mark == '{' && s->before == '=') {
        s->in_list = true;
    } else if (mark == '{') {
        if (s->open == 0 && !pass_section(s)) { /* a section in a section is a band */
            return false;
        }
        s->open_line = s->open == 0 ? s->line : s->open_line;
        s->open++;
    } else if (mark == '}' && s->in_list) {
        if (s->before == '{' || s->before == ',') {
            return refuse(s, s->before == '{' ? "an empty list" : "a list that ends with ','");
        }
        s->in_list = false;
    } else if (mark == '}' && s->open > 0) { /* libconfuse reports one too many */
        s->open--;
    }
    s->before = mark;
    s->words = 0;
    s->at++;
    keep(s, mark);
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
        return pass_block_comment(s);
    }
    if (byte == '#' || starts_with(s, "//")) {
        pass_line_comment(s);
    } else if (byte == '\n') {
        pass_newline(s);
    } else if (byte == ' ' || byte == '\t' || byte == '\r') {
        s->at++;
        keep_blank(s);
    } else {
        return refuse_byte(s, "");
    }
    return true;
}

/* Bytes of a byte order mark at the text's start: some editors write one. */
static size_t mark_length(const char *text, size_t length)
{
    static const char mark[] = "\xef\xbb\xbf";

    return length >= sizeof mark - 1 && memcmp(text, mark, sizeof mark - 1) == 0 ? sizeof mark - 1 : 0;
}

bool phx_scan_text(char *text, size_t length, phx_text_scan *scan)
{
    scanner s = {.at = text, .end = text + length, .begin = text, .to = text, .line = 1, .scan = scan};

    scan->section_count = 0;
    memset(scan->seen, 0, sizeof scan->seen);
    scan->error_line = 0;
    scan->reason[0] = '\0';
    s.at += mark_length(text, length);
    while (s.at < s.end) {
        if (!pass_token(&s)) {
            PHX_ASSERT(scan->error_line >= 1 && scan->reason[0] != '\0');
            return false;
        }
    }
    PHX_ASSERT(s.at == s.end && s.to <= s.end);
    if (s.open > 0) {
        s.line = s.open_line;
        return refuse(&s, "the section that begins here has no end");
    }
    *s.to = '\0';
    scan->length = (size_t)(s.to - text);
    return true;
}
