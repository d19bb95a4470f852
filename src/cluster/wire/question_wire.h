/*
 * Questions and answers between nodes, as bytes: has a node one of these entities? Decoding is total. Pure; called by
 * the questions.
 *
 *   head, 48 bytes   magic u32, format u8, kind u8, 0 u16, bytes u32, count u32, source u64, target u64, version u32,
 *                    number u32, 0 u64
 *   question         id u64 each, count of them; 0: the last question of the source has ended
 *   answer           phx_question_answer u8 each, in the question's order
 *   sum u64
 */
#ifndef PHX_CLUSTER_WIRE_QUESTION_WIRE_H
#define PHX_CLUSTER_WIRE_QUESTION_WIRE_H

#include <pharos/cluster.h>

#include "cluster/wire/bytes.h"
#include "cluster/wire/format.h"

enum { PHX_QUESTION_HEAD_BYTES = 48, PHX_QUESTION_BYTES_MAX = PHX_QUESTION_HEAD_BYTES + 8 * PHC_ASKED_MAX + 8 };

typedef enum phx_question_answer {
    PHX_ANSWER_NO = 0,
    PHX_ANSWER_YES = 1,
    PHX_ANSWER_LATER = 2 /* it asks for the entity itself, and comes first: ask again */
} phx_question_answer;

typedef struct phx_question_head {
    uint8_t format;          /* of the message; see format.h */
    bool answers;            /* else it asks */
    uint64_t source, target; /* registrations */
    uint32_t version;        /* of the asking node's map as it began to ask; of an answer, of the answering one's */
    uint32_t number;         /* of the question; rises */
    uint32_t count;
} phx_question_head;

/* Is it one of these messages, whole or not? */
bool phx_question_is_meant(const void *bytes, size_t size);
/* *body: ids or answers. false: it is no message, or none in these formats. */
bool phx_question_open(phx_question_head *head, const unsigned char **body, phx_formats formats, const void *bytes,
                       size_t size);
uint64_t phx_question_id_at(const unsigned char *body, uint32_t place);
/* Where the body is written, behind the head. */
static inline unsigned char *phx_question_body(unsigned char *bytes)
{
    return bytes + PHX_QUESTION_HEAD_BYTES;
}
/* Writes head and sum around a body that is written. Returns the bytes of the message. */
size_t phx_question_seal(unsigned char *bytes, const phx_question_head *head);

#endif
