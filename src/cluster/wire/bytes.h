/*
 * Numbers as little-endian bytes, read from and written to a bounded piece of memory. A reader or writer that meets the
 * end fails, and stays failed; the caller asks once, behind the last of its calls. Used by the encoders and decoders.
 */
#ifndef PHX_CLUSTER_WIRE_BYTES_H
#define PHX_CLUSTER_WIRE_BYTES_H

#include <string.h>

#include "base/core.h"
#include "base/lengths.h"

typedef struct phx_reader {
    const unsigned char *at, *end;
    bool failed;
} phx_reader;

typedef struct phx_writer {
    unsigned char *at, *end;
    bool failed;
} phx_writer;

/* No bytes have any address, NULL too. */
static inline phx_reader phx_reader_of(const void *bytes, size_t size)
{
    return (phx_reader){.at = bytes, .end = size > 0 ? (const unsigned char *)bytes + size : bytes};
}

static inline phx_writer phx_writer_of(void *bytes, size_t size)
{
    return (phx_writer){.at = bytes, .end = size > 0 ? (unsigned char *)bytes + size : bytes};
}

static inline size_t phx_reader_left(const phx_reader *reader)
{
    return (size_t)(reader->end - reader->at);
}

static inline size_t phx_writer_left(const phx_writer *writer)
{
    return (size_t)(writer->end - writer->at);
}

/* The next `size` bytes; NULL: fewer are left. */
static inline const unsigned char *phx_read_bytes(phx_reader *reader, size_t size)
{
    const unsigned char *bytes = reader->at;
    if (reader->failed || phx_reader_left(reader) < size) {
        reader->failed = true;
        return NULL;
    }
    reader->at += size;
    return bytes;
}

/* A number of `size` bytes, at most 8; 0: fewer are left. */
static inline uint64_t phx_read_number(phx_reader *reader, uint32_t size)
{
    const unsigned char *bytes = phx_read_bytes(reader, size);
    uint64_t value = 0;
    for (uint32_t i = 0; bytes && i < size; i++) value |= (uint64_t)bytes[i] << 8 * i;
    return value;
}

static inline void phx_write_number(phx_writer *writer, uint32_t size, uint64_t value)
{
    PHX_ASSERT(size == sizeof value || value >> 8 * size == 0);
    if (writer->failed || phx_writer_left(writer) < size) {
        writer->failed = true;
        return;
    }
    for (uint32_t i = 0; i < size; i++) *writer->at++ = (unsigned char)(value >> 8 * i);
}

/* A float by its bits, whatever the host's floating-point environment. */
static inline float phx_read_float(phx_reader *reader)
{
    const uint32_t bits = (uint32_t)phx_read_number(reader, 4);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline void phx_write_float(phx_writer *writer, float value)
{
    phx_write_number(writer, 4, phx_float_bits(value));
}

static inline void phx_write_bytes(phx_writer *writer, const void *bytes, size_t size)
{
    if (writer->failed || phx_writer_left(writer) < size) {
        writer->failed = true;
        return;
    }
    if (size > 0) memcpy(writer->at, bytes, size);
    writer->at += size;
}

#endif
