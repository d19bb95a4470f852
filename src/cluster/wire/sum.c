/*
 * Sums of messages and maps; see sum.h. Pure.
 */
#include "cluster/wire/sum.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

size_t phx_sum_seal(phx_writer *writer, const void *begin)
{
    const size_t size = (size_t)(writer->at - (const unsigned char *)begin);
    PHX_ASSERT(!writer->failed && phx_writer_left(writer) >= PHX_SUM_BYTES);
    phx_write_number(writer, PHX_SUM_BYTES, XXH3_64bits(begin, size));
    return size + PHX_SUM_BYTES;
}

bool phx_sum_open(phx_reader *reader, const void *bytes, size_t size)
{
    if (size < PHX_SUM_BYTES) return false;
    const size_t body = size - PHX_SUM_BYTES;
    phx_reader sum = phx_reader_of((const unsigned char *)bytes + body, PHX_SUM_BYTES);
    *reader = phx_reader_of(bytes, body);
    return phx_read_number(&sum, PHX_SUM_BYTES) == XXH3_64bits(bytes, body);
}
