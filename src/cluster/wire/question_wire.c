/*
 * Encoding and decoding of questions; see question_wire.h.
 */
#include "cluster/wire/question_wire.h"

#include "cluster/wire/sum.h"

enum { MAGIC = 0x51434850 /* "PHCQ" */, KIND_QUESTION = 1, KIND_ANSWER = 2, ID_BYTES = 8 };

static size_t body_bytes(const phx_question_head *head)
{
    return head->answers ? head->count : (size_t)head->count * ID_BYTES;
}

bool phx_question_is_meant(const void *bytes, size_t size)
{
    phx_reader reader = phx_reader_of(bytes, size);
    return phx_read_number(&reader, 4) == MAGIC;
}

static bool read_head(phx_question_head *head, phx_formats formats, phx_reader *reader, size_t size)
{
    const bool is_ours = phx_read_number(reader, 4) == MAGIC;
    head->format = (uint8_t)phx_read_number(reader, 1);
    const uint64_t kind = phx_read_number(reader, 1), no_flags = phx_read_number(reader, 2);
    const uint64_t bytes = phx_read_number(reader, 4);
    head->answers = kind == KIND_ANSWER;
    head->count = (uint32_t)phx_read_number(reader, 4);
    head->source = phx_read_number(reader, 8);
    head->target = phx_read_number(reader, 8);
    head->version = (uint32_t)phx_read_number(reader, 4);
    head->number = (uint32_t)phx_read_number(reader, 4);
    const uint64_t reserved = phx_read_number(reader, 8);
    return !reader->failed && is_ours && phx_formats_have(formats, head->format) &&
           (kind == KIND_QUESTION || kind == KIND_ANSWER) && no_flags == 0 && reserved == 0 && bytes == size &&
           head->source != 0 && head->target != 0 && head->version != 0 && head->number != 0 &&
           head->count <= PHC_ASKED_MAX && body_bytes(head) == phx_reader_left(reader);
}

uint64_t phx_question_id_at(const unsigned char *body, uint32_t place)
{
    phx_reader reader = phx_reader_of(body + (size_t)place * ID_BYTES, ID_BYTES);
    return phx_read_number(&reader, ID_BYTES);
}

bool phx_question_open(phx_question_head *head, const unsigned char **body, phx_formats formats, const void *bytes,
                       size_t size)
{
    phx_reader reader;
    if (size > PHX_QUESTION_BYTES_MAX || !phx_sum_open(&reader, bytes, size) ||
        !read_head(head, formats, &reader, size))
        return false;
    *body = reader.at;
    for (uint32_t i = 0; i < head->count; i++)
        if (head->answers ? reader.at[i] > PHX_ANSWER_LATER : phx_question_id_at(reader.at, i) == 0) return false;
    return true;
}

size_t phx_question_seal(unsigned char *bytes, const phx_question_head *head)
{
    const size_t size = PHX_QUESTION_HEAD_BYTES + body_bytes(head) + PHX_SUM_BYTES;
    phx_writer writer = phx_writer_of(bytes, PHX_QUESTION_HEAD_BYTES);
    PHX_ASSERT(head->format != 0);
    phx_write_number(&writer, 4, MAGIC);
    phx_write_number(&writer, 1, head->format);
    phx_write_number(&writer, 1, head->answers ? KIND_ANSWER : KIND_QUESTION);
    phx_write_number(&writer, 2, 0);
    phx_write_number(&writer, 4, size);
    phx_write_number(&writer, 4, head->count);
    phx_write_number(&writer, 8, head->source);
    phx_write_number(&writer, 8, head->target);
    phx_write_number(&writer, 4, head->version);
    phx_write_number(&writer, 4, head->number);
    phx_write_number(&writer, 8, 0);
    PHX_ASSERT(!writer.failed && writer.at == writer.end);
    writer = (phx_writer){.at = bytes + size - PHX_SUM_BYTES, .end = bytes + size};
    return phx_sum_seal(&writer, bytes);
}
