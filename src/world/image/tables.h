/*
 * The tables of an image: plain records, one list of fields each. From a list come the record, the columns of the file,
 * and the names in refusals. X(R, type, name) is a number, A(R, type, name, count) an array of numbers;
 * types: u8, u16, u32, u64, f32; R is the name of the record. A new field is one row here, one line of capture.c, and
 * one of restore*.c; a new table needs a row of PHX_IMAGE_TABLES too. No code but sizes, so no phase; used while an
 * image is captured, written, read, and restored.
 */
#ifndef PHX_WORLD_IMAGE_TABLES_H
#define PHX_WORLD_IMAGE_TABLES_H

#include <pharos/types.h>

#include "base/core.h"

enum { PHX_IMAGE_KEY_SIZE = 24 }; /* bytes of a key's name with its terminator */

/* A key of the definition: class1 = 0 of the world, else 1 + the class; band1 = 0, or 1 + the band. */
#define PHX_IMAGE_key(X, A, R) A(R, u8, name, PHX_IMAGE_KEY_SIZE) X(R, u32, class1) X(R, u32, band1) A(R, u64, bits, 2)

#define PHX_IMAGE_class(X, A, R) A(R, u8, name, PH_NAME_SIZE) X(R, u32, band_count)

/* A set of attributes, as phx_attr. */
#define PHX_IMAGE_attr(X, A, R) \
    X(R, u64, layers) \
    X(R, u64, sees) \
    X(R, f32, view) \
    X(R, f32, margin) \
    X(R, f32, reach) \
    X(R, f32, visible) \
    X(R, u32, cap) \
    X(R, u32, given) \
    X(R, u32, instance) \
    X(R, u16, kind) \
    X(R, u16, consumer) \
    X(R, u8, stealth) X(R, u8, detect) X(R, u8, priority) X(R, u8, global) X(R, u8, veiled) X(R, u8, ready)

/* set: place in the attribute sets; flags: PHX_SAVED_... */
#define PHX_IMAGE_entity(X, A, R) \
    X(R, u64, id) \
    X(R, u64, user_data) X(R, u32, incarnation) X(R, u32, set) X(R, f32, x) X(R, f32, y) X(R, f32, z) X(R, u8, flags)

/*
 * An observer with a stored list, or an annulus, and the number of its targets, which follow each other in their table.
 */
#define PHX_IMAGE_list(X, A, R) X(R, u32, observer) X(R, u32, count)
#define PHX_IMAGE_target(X, A, R) X(R, u32, target)

#define PHX_IMAGE_relation(X, A, R) \
    X(R, u32, observer) X(R, u32, target) X(R, f32, view) X(R, f32, margin) X(R, u8, bits) /* ..., PHX_SAVED_LISTED */
#define PHX_IMAGE_attachment(X, A, R) X(R, u32, child) X(R, u32, parent)

/* As ph_area, as it was set: of an area that follows, relative to its entity. */
/* clang-format off */
#define PHX_IMAGE_area(X, A, R) \
    X(R, u64, id) \
    X(R, u64, layers) \
    X(R, u64, follow) \
    X(R, u32, shape) \
    X(R, u32, flags) \
    X(R, u32, instance) \
    X(R, u32, corner_count) \
    X(R, u32, kind_count) \
    A(R, f32, center, 2) \
    X(R, f32, radius) \
    A(R, f32, low, 2) \
    A(R, f32, high, 2) \
    X(R, f32, margin) \
    X(R, f32, z_low) \
    X(R, f32, z_high) \
    A(R, f32, corners, 2 * PH_AREA_CORNERS_MAX) \
    A(R, u16, kinds, PH_AREA_KINDS_MAX)
/* clang-format on */

/* An entity inside an area with a margin; by entity, then in the order of areas. area: its id. */
#define PHX_IMAGE_member(X, A, R) X(R, u64, area) X(R, u32, entity)

/* An awake NPC; alone_since as in phx_activation_state. */
#define PHX_IMAGE_awake(X, A, R) X(R, u64, alone_since) X(R, u32, entity)

/* Where a class has bands: an entity that moved lately, and the low half of the tick of its last move. */
#define PHX_IMAGE_moved(X, A, R) X(R, u32, entity) X(R, u32, tick)

/* An update that waits for room, and the low half of the tick in which it was due. */
#define PHX_IMAGE_deferred(X, A, R) X(R, u32, observer) X(R, u32, target) X(R, u32, since)

/* An observer whose view crowd control has shrunk: its step, and its view by its attributes. */
#define PHX_IMAGE_crowd(X, A, R) X(R, u32, entity) X(R, u32, step) X(R, f32, view)

/* One a consumer: PHX_CONSUMER_... */
#define PHX_IMAGE_consumer(X, A, R) X(R, u8, behind)

/*
 * X(table, tag, record): all tables in the order of the file. A record names records of earlier tables alone. The next
 * keys and classes are of a definition that ph_world_reconfigure() has accepted, and no tick has taken yet.
 */
#define PHX_IMAGE_TABLES(X) \
    X(keys, "KEYS", key) \
    X(classes, "CLAS", class) \
    X(next_keys, "NKEY", key) \
    X(next_classes, "NCLA", class) \
    X(consumers, "CONS", consumer) \
    X(attrs, "ATTR", attr) \
    X(entities, "ENTY", entity) \
    X(lists, "LIST", list) \
    X(targets, "TRGT", target) \
    X(relations, "RELA", relation) \
    X(attachments, "ATCH", attachment) \
    X(areas, "AREA", area) \
    X(members, "MEMB", member) \
    X(awake, "AWAK", awake) \
    X(moved, "MOVD", moved) \
    X(deferred, "DEFR", deferred) \
    X(crowd, "CROW", crowd)

/* Flags of a saved entity. */
enum {
    PHX_SAVED_FRESH = 1,   /* phx_name.fresh */
    PHX_SAVED_PARTIAL = 2, /* PHX_SLOT_PARTIAL */
    PHX_SAVED_DERIVED = 4, /* its list is the rule's: it is in no table but for its annulus (shards/state/annulus.h) */
    PHX_SAVED_FLAGS = 7
};

enum {
    PHX_SAVED_LISTED = 1 << 7 /* beside PHX_RELATION_...: the target is in the observer's list, which is the rule's */
};

/* A saved consumer; 0: it had taken everything. */
enum {
    PHX_CONSUMER_BEHIND = 1, /* it had not */
    PHX_CONSUMER_RENEWS = 2  /* its observers get their whole lists in the next tick of the saved world, too */
};

typedef uint8_t phx_image_u8;
typedef uint16_t phx_image_u16;
typedef uint32_t phx_image_u32;
typedef uint64_t phx_image_u64;
typedef float phx_image_f32;

/* All records. */
#define PHX_IMAGE_RECORDS(X) \
    X(key) \
    X(class) \
    X(attr) \
    X(entity) \
    X(list) X(target) X(relation) X(attachment) X(area) X(member) X(awake) X(moved) X(deferred) X(crowd) X(consumer)

#define PHX_IMAGE_NUMBER(R, type, name) phx_image_##type name;
#define PHX_IMAGE_ARRAY(R, type, name, count) phx_image_##type name[count];
#define PHX_IMAGE_RECORD(R) \
    typedef struct phx_saved_##R { \
        PHX_IMAGE_##R(PHX_IMAGE_NUMBER, PHX_IMAGE_ARRAY, R) \
    } phx_saved_##R;
PHX_IMAGE_RECORDS(PHX_IMAGE_RECORD)

#define PHX_IMAGE_PLACE(table, tag, record) PHX_TABLE_##table,
typedef enum phx_image_table { PHX_IMAGE_TABLES(PHX_IMAGE_PLACE) PHX_TABLES } phx_image_table;

/* One column: `count` numbers of `bytes` bytes at `offset` of each record. */
typedef struct phx_image_field {
    const char *name;
    uint16_t bytes, count, offset;
} phx_image_field;

/* One table. */
typedef struct phx_image_kind {
    const char *tag;
    const phx_image_field *fields;
    uint32_t field_count;
    uint32_t record_bytes; /* in memory */
    uint32_t packed_bytes; /* in the file */
} phx_image_kind;

extern const phx_image_kind phx_image_kinds[PHX_TABLES];

#endif
