/*
 * The bytes of an image: a header, then sections, each with a tag, its length and a sum; all numbers little-endian.
 *
 *   header   64 bytes: phx_image_header
 *   section  u32 tag, u32 0, u64 bytes, then these bytes, zeros up to a multiple of 8, u64 sum of all before it
 *   end      a section "END " whose bytes are the sum of all sections' sums
 *
 * Sums find damage; they are no signature. On any thread, in any phase, between the host's function and an image.
 */
#ifndef PHX_WORLD_IMAGE_SECTIONS_H
#define PHX_WORLD_IMAGE_SECTIONS_H

#include <pharos/save.h>

#include "base/mem.h"
#include "base/sum.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "an image is little-endian, and so are its numbers in memory"
#endif

#define PHX_IMAGE_MAGIC "PHXWORLD"

/* The rules of a world (SPEC): an image of other rules would give other events. Grows with each change of them. */
enum { PHX_IMAGE_RULES = 1 };

typedef struct phx_image_header {
    uint8_t magic[8];
    uint32_t format; /* PH_IMAGE_FORMAT */
    uint32_t rules;  /* PHX_IMAGE_RULES */
    uint64_t tick, entities;
    uint32_t incarnations;
    uint32_t library; /* PHAROS_VERSION_NUMBER of the writer */
    uint64_t reserved[2];
    uint64_t sum; /* of the bytes before it */
} phx_image_header;
_Static_assert(sizeof(phx_image_header) == 64, "as in the file");

/* ---- writing ---- */

enum { PHX_WRITER_BYTES = 16 << 10 };

typedef struct phx_section_writer {
    ph_write_fn write;
    void *user;
    bool failed; /* `write` returned false: nothing more is written */
    phx_sum sum; /* of this section */
    phx_sum all; /* of the sums of the sections before it */
    size_t used;
    _Alignas(8) unsigned char buffer[PHX_WRITER_BYTES];
} phx_section_writer;

void phx_writer_begin(phx_section_writer *writer, ph_write_fn write, void *user);
/* Writes the header; its magic, format, rules, library and sum are set here. */
void phx_writer_header(phx_section_writer *writer, phx_image_header header);
void phx_writer_section(phx_section_writer *writer, const char *tag, uint64_t bytes);
void phx_writer_put(phx_section_writer *writer, const void *bytes, size_t size);
void phx_writer_section_end(phx_section_writer *writer);
/* Writes the end. false: `write` returned false. */
bool phx_writer_end(phx_section_writer *writer);

/* ---- reading ---- */

/* The line of a refusal. */
typedef struct phx_image_reason {
    char *text; /* may be NULL */
    size_t size;
} phx_image_reason;

/* Writes the line. Returns PH_BAD_IMAGE. */
__attribute__((format(printf, 2, 3))) ph_status phx_image_refuse(phx_image_reason reason, const char *format, ...);

typedef struct phx_section_reader {
    ph_read_fn read;
    void *user;
    phx_mem *mem;
    phx_image_reason reason;
    uint64_t at;     /* bytes read so far */
    phx_sum all;     /* of the sums of the sections so far */
    uint64_t *words; /* bytes of the section */
    uint32_t words_capacity;
    char tag[5];
    uint64_t bytes; /* of the section */
} phx_section_reader;

void phx_reader_begin(phx_section_reader *reader, phx_mem *mem, ph_read_fn read, void *user, phx_image_reason reason);
void phx_reader_free(phx_section_reader *reader);
/* PH_OK, PH_IO, PH_BAD_IMAGE. */
ph_status phx_reader_header(phx_section_reader *reader, phx_image_header *header);
/*
 * Reads a section whole, and compares its sum; *end: it was the last one, and the sum of all is right. Memory follows
 * the bytes that came. PH_OK, PH_IO, PH_BAD_IMAGE, PH_NO_MEMORY.
 */
ph_status phx_reader_section(phx_section_reader *reader, bool *end);

#endif
