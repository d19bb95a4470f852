/*
 * Messages of a halo, as bytes: copies of a node's entities near another node, one message a tick, or several if there
 * are many; the newest counts, so a lost one heals. Decoding is total. Pure; called by the halo.
 *
 *   head, 96 bytes   magic u32, format u8, last u8, part u16, bytes u32, version u32, source u64, target u64, tick u64,
 *                    echo u64, pins since u64, pins heard u64, sets u32, copies u32, forwards u32, gone u32, pins u32,
 *                    needs u32, heard u32, settled u32
 *   set, 44 bytes    layers u64, sees u64, view, margin, reach, visible f32, instance u32, kind u16, stealth, detect,
 *                    priority, flags u8, 0 u16
 *   copy, 36 bytes   id u64, user data u64, stay u32, set u16, turn, sending u8, x, y, z f32
 *   forward, 20      copy u32, by its place, each behind the one before: it is of another node, source u64, as that one
 *   bytes            told of it in its tick u64
 *   gone, 12 bytes   id u64, stay u32
 *   pin, 10 bytes    place u16, id u64 of an entity that the source needs at any distance; 0 = none is there now
 *   need, 4 bytes    region u32 of another node in which the source has own entities
 *   sum u64
 */
#ifndef PHX_CLUSTER_HALO_HALO_WIRE_H
#define PHX_CLUSTER_HALO_HALO_WIRE_H

#include <pharos/cluster.h>

#include "cluster/wire/bytes.h"
#include "cluster/wire/wire.h"

enum {
    PHX_HALO_HEAD_BYTES = 96,
    PHX_HALO_SET_BYTES = 44,
    PHX_HALO_COPY_BYTES = 36,
    PHX_HALO_FORWARD_BYTES = 20,
    PHX_HALO_GONE_BYTES = 12,
    PHX_HALO_PIN_BYTES = 10,
    PHX_HALO_NEED_BYTES = 4
};

typedef struct phx_halo_head {
    uint8_t format;           /* of all bytes of the message; see format.h */
    uint64_t source, target;  /* registrations */
    uint32_t version;         /* of the source's map */
    uint64_t tick;            /* of the source, from 1 on */
    uint64_t echo;            /* the newest tick of the target that the source has heard; 0 = none */
    uint32_t part;            /* of the messages of that tick, from 0 on */
    bool last;                /* ... of which this one is the last */
    uint32_t heard_version;   /* by maps since this one all other nodes have written to the source */
    uint32_t settled_version; /* what the source has given away by earlier maps has arrived, and nothing waits there */
    uint64_t pins_since;      /* the pins in the first message of a tick are all that have changed behind that one */
    uint64_t pins_echo;       /* tick of the target of which the source has its pins; 0 = none */
    uint32_t sets, copies, forwards, gone, pins, needs;
} phx_halo_head;

/* A copy, with its attributes as a remote entity: position, user data, and all that is no observer's alone. */
typedef struct phx_halo_copy {
    uint64_t id;
    uint32_t stay;
    uint8_t turn; /* see phx_halo_entity */
    bool sending; /* it is on its way to another node, which may have it already */
    ph_attrs attrs;
} phx_halo_copy;

/*
 * A copy in the message is of another node, to which the writer has handed the entity over: as that node told of it in
 * a message that may be lost here.
 */
typedef struct phx_halo_forward {
    uint32_t copy;   /* its place */
    uint64_t source; /* registration of its node */
    uint64_t tick;   /* of that one, from 1 on */
} phx_halo_forward;

typedef struct phx_halo_gone {
    uint64_t id;
    uint32_t stay;
} phx_halo_gone;

typedef struct phx_halo_place {
    uint32_t place; /* below PHC_PINS_MAX */
    uint64_t id;    /* 0 = it is empty */
} phx_halo_place;

/* A sound message, part by part; by place below its count. */
typedef struct phx_halo_parts {
    const unsigned char *sets, *copies, *forwards, *gone, *pins, *needs;
} phx_halo_parts;

/* Of a message in one of these formats. */
phx_wire_flaw phx_halo_open(phx_halo_head *head, phx_halo_parts *parts, phx_formats formats, const void *bytes,
                            size_t size);
phx_halo_copy phx_halo_copy_at(const phx_halo_parts *parts, uint32_t place);
phx_halo_forward phx_halo_forward_at(const phx_halo_parts *parts, uint32_t place);
phx_halo_gone phx_halo_gone_at(const phx_halo_parts *parts, uint32_t place);
phx_halo_place phx_halo_pin_at(const phx_halo_parts *parts, uint32_t place);
uint32_t phx_halo_need_at(const phx_halo_parts *parts, uint32_t place);

/* Writes the attributes of a set, PHX_HALO_SET_BYTES. */
void phx_halo_put_set(unsigned char *bytes, const ph_attrs *attrs);
void phx_halo_put_copy(unsigned char *bytes, const phx_halo_copy *copy, uint32_t set);
void phx_halo_put_forward(unsigned char *bytes, const phx_halo_forward *forward);
void phx_halo_put_gone(unsigned char *bytes, phx_halo_gone gone);
void phx_halo_put_pin(phx_writer *writer, uint32_t place, uint64_t id);
/* Bytes of a message with these counts. */
size_t phx_halo_bytes(const phx_halo_head *head);
/* Writes head and sum around parts that are written in their places. Returns the bytes of the message. */
size_t phx_halo_seal(unsigned char *bytes, const phx_halo_head *head);

#endif
