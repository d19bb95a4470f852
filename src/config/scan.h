/*
 * The pass over a config text before libconfuse gets it. libconfuse 3.3 skips bytes that it
 * does not know, counts the lines of comments more than once, puts environment variables
 * into values, takes paths ("class=a|view") for keys, takes the end of the text for a
 * missing '}', merges sections of one name, and needs time with the square of a word's or blank's length. So: comments
 * and runs of blanks become one blank here, and lines stay. Anything that is not a word, a
 * quoted word, '=', ',', '{' or '}' is refused with its line. Stateless.
 */
#ifndef PHX_CONFIG_SCAN_H
#define PHX_CONFIG_SCAN_H

#include "config/sections.h"

enum {
    PHX_WORD_MAX = 255, /* bytes; every valid key, name and number is far shorter */
    PHX_SCAN_REASON_SIZE = 128
};

typedef struct phx_text_scan {
    size_t length; /* of the text that is left */
    uint32_t section_count;
    uint32_t section_lines[PH_KINDS_MAX]; /* of the n-th '{' that opens a section with a title: of a class */
    bool seen[PHX_SECTIONS];
    uint32_t error_line; /* when refused */
    char reason[PHX_SCAN_REASON_SIZE];
} phx_text_scan;

/*
 * Leaves the text for libconfuse in text, which has room for a '\0' behind it. false: *scan
 * has the line and the reason of the refusal.
 */
bool phx_scan_text(char *text, size_t length, phx_text_scan *scan);

#endif
