/*
 * Refusals of images whose sums are right: one field of the golden image is changed in its table, the image is written
 * anew, and the load has to refuse it with the section and the reason. One row a check of src/world/image/restore*.c
 * and definition.c; and the image as it is has to load.
 *
 * usage: save_checks FOLDER with world.1.image
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pharos/pharos.h>

#include "support/check.h"
#include "support/fail_alloc.h"
#include "support/image_bytes.h"
#include "world/image/read.h"
#include "world/image/write.h"

enum { REASON = 256, ROOM = 4096 };

#define AT(table, R, i) PHX_IMAGE_ROWS(image, table, R)[i]
#define LAST(table) (PHX_IMAGE_COUNT(image, table) - 1)

/* A change of one table, and a part of the reason that has to come. */
#define CASE(name, ...) \
    static void name(phx_image *image) \
    { \
        __VA_ARGS__; \
    }

/* The first entity with this flag, or without. */
static uint32_t entity_with(const phx_image *image, uint32_t flag)
{
    uint32_t i = 0;
    while (!(AT(entities, entity, i).flags & flag)) i++;
    return i;
}

static void drop_target(phx_image *image)
{
    AT(lists, list, LAST(lists)).count--;
    image->tables[PHX_TABLE_targets].count--;
}

static void repeat_target(phx_image *image)
{
    uint32_t at = 0, first = 0;
    while (AT(lists, list, at).count < 2) first += AT(lists, list, at++).count;
    AT(targets, target, first + 1) = AT(targets, target, first);
}

static void own_target(phx_image *image)
{
    AT(targets, target, 0).target = AT(lists, list, 0).observer;
}

static void repeat_deferred(phx_image *image)
{
    phx_saved_deferred *row = &AT(deferred, deferred, LAST(deferred));
    REQUIRE(LAST(deferred) > 0);
    row[-1] = row[0];
}

/* An entity that is inside without the margin comes in anew. */
static void member_missing(phx_image *image)
{
    const phx_saved_area *area = &AT(areas, area, 0);
    for (uint32_t i = 0; i <= LAST(members); i++) {
        const phx_saved_entity *entity = &AT(entities, entity, AT(members, member, i).entity);
        const float dx = entity->x - area->center[0], dy = entity->y - area->center[1];
        if (dx * dx + dy * dy > area->radius * area->radius * 0.9f) continue;
        memmove(&AT(members, member, i), &AT(members, member, i + 1), (LAST(members) - i) * sizeof(phx_saved_member));
        image->tables[PHX_TABLE_members].count--;
        return;
    }
}

CASE(key_unknown, AT(keys, key, 3).name[0] = '?')
CASE(key_class, AT(keys, key, LAST(keys)).class1 = 99)
CASE(key_bits, AT(keys, key, LAST(keys)).bits[1] = 1)
CASE(class_none, image->tables[PHX_TABLE_classes].count = 0)
CASE(class_bands, AT(classes, class, 0).band_count = PH_BANDS_MAX + 1)
CASE(next_key, AT(next_keys, key, 0).bits[0] ^= 1u << 22)
CASE(consumer_three, AT(consumers, consumer, 0).behind = 3)
CASE(consumer_none, image->tables[PHX_TABLE_consumers].count = 0)
CASE(attr_flag, AT(attrs, attr, 1).global = 2)
CASE(attr_kind, AT(attrs, attr, 1).kind = 999)
CASE(attr_consumer, AT(attrs, attr, 1).consumer = 9)
CASE(attr_given, AT(attrs, attr, 1).given |= PH_X)
CASE(attr_unknown, AT(attrs, attr, 1).given |= 1u << 30)
CASE(attr_view, AT(attrs, attr, 1).given |= PH_VIEW; AT(attrs, attr, 1).view = NAN)
CASE(attr_cap, AT(attrs, attr, 1).given |= PH_CAP; AT(attrs, attr, 1).cap = UINT32_MAX)
CASE(entity_zero, AT(entities, entity, 5).id = 0)
CASE(entity_twice, AT(entities, entity, 5).id = AT(entities, entity, 6).id)
CASE(entity_x, AT(entities, entity, 5).x = NAN)
CASE(entity_y, AT(entities, entity, 5).y = INFINITY)
CASE(entity_z, AT(entities, entity, 5).z = 2e18f)
CASE(entity_set, AT(entities, entity, 5).set = 1u << 20)
CASE(entity_flags, AT(entities, entity, 5).flags |= 0x80)
CASE(entity_both, AT(entities, entity, 5).flags |= PHX_SAVED_PARTIAL | PHX_SAVED_DERIVED)
CASE(entity_partial, AT(entities, entity, entity_with(image, PHX_SAVED_PARTIAL)).flags &= (uint8_t)~PHX_SAVED_PARTIAL)
CASE(list_none, AT(lists, list, LAST(lists)).observer = 1u << 20)
CASE(list_order, AT(lists, list, 0).observer = AT(lists, list, LAST(lists)).observer)
CASE(list_empty, AT(lists, list, LAST(lists)).count = 0)
CASE(list_long, AT(lists, list, LAST(lists)).count = UINT32_MAX)
CASE(list_derived, AT(entities, entity, AT(lists, list, 0).observer).flags = PHX_SAVED_DERIVED)
CASE(target_none, AT(targets, target, 0).target = 1u << 20)
CASE(target_more, AT(lists, list, LAST(lists)).count--)
CASE(relation_bits, AT(relations, relation, 0).bits = 0)
CASE(relation_known, AT(relations, relation, 0).bits = 0x40)
CASE(relation_self, AT(relations, relation, 0).target = AT(relations, relation, 0).observer)
CASE(relation_none, AT(relations, relation, 0).target = 1u << 20)
CASE(relation_view, AT(relations, relation, 0).view = -1)
CASE(attach_none, AT(attachments, attachment, 0).parent = 1u << 20)
CASE(attach_self, AT(attachments, attachment, 0).parent = AT(attachments, attachment, 0).child)
CASE(attach_apart, AT(entities, entity, AT(attachments, attachment, 0).child).x += 1)
CASE(area_shape, AT(areas, area, 0).shape = 9)
CASE(area_twice, AT(areas, area, 1).id = AT(areas, area, 0).id)
CASE(area_zero, AT(areas, area, 0).id = 0)
CASE(area_kinds, AT(areas, area, 0).kind_count = PH_AREA_KINDS_MAX + 1)
CASE(area_corners, AT(areas, area, 1).corner_count = 99)
CASE(area_follow, AT(areas, area, LAST(areas)).follow = 12345)
CASE(area_margin, AT(areas, area, 0).margin = NAN)
CASE(member_area, AT(members, member, 0).area = AT(areas, area, 1).id)
CASE(member_entity, AT(members, member, LAST(members)).entity = 1u << 20)
CASE(member_order, AT(members, member, 0).entity = AT(members, member, LAST(members)).entity)
CASE(awake_entity, AT(awake, awake, 0).entity = 1u << 20)
CASE(awake_late, AT(awake, awake, 0).alone_since = UINT64_MAX)
CASE(awake_since, AT(awake, awake, 0).alone_since ^= 1)
CASE(awake_twice, AT(awake, awake, 1) = AT(awake, awake, 0))
CASE(awake_missing, image->tables[PHX_TABLE_awake].count = 1)
CASE(moved_zero, AT(moved, moved, 0).tick = 0)
CASE(moved_order, AT(moved, moved, 0).entity = AT(moved, moved, LAST(moved)).entity)
CASE(deferred_none, AT(deferred, deferred, 0).target = 1u << 20)
CASE(deferred_order, AT(deferred, deferred, 0).observer = 59)
CASE(crowd_step, AT(crowd, crowd, 0).step = 17)
CASE(crowd_none, AT(crowd, crowd, LAST(crowd)).entity = 1u << 20)
CASE(crowd_view, AT(crowd, crowd, 0).view = NAN)

static const struct {
    const char *name;
    void (*change)(phx_image *image);
    const char *reason; /* a part of it */
} cases[] = {
#define ROW(name, reason) \
    { \
#name, name, reason \
    }
    ROW(key_unknown, "definition: key 3"),
    ROW(key_class, "class 99"),
    ROW(key_bits, "bits that it has not"),
    ROW(class_none, "definition: 0 classes"),
    ROW(class_bands, "band_count = 9"),
    ROW(next_key, "world_origin: can not change"),
    ROW(consumer_three, "section CONS: record 0"),
    ROW(consumer_none, "section CONS: 0 consumers"),
    ROW(attr_flag, "section ATTR: record 1"),
    ROW(attr_kind, "section ATTR: record 1: kind"),
    ROW(attr_consumer, "section ATTR: record 1: consumer"),
    ROW(attr_given, "section ATTR: record 1"),
    ROW(attr_unknown, "section ATTR: record 1: given"),
    ROW(attr_view, "section ATTR: record 1: view"),
    ROW(attr_cap, "section ATTR: record 1: cap"),
    ROW(entity_zero, "section ENTY: record 5: id 0"),
    ROW(entity_twice, "is there twice"),
    ROW(entity_x, "section ENTY: record 5"),
    ROW(entity_y, "section ENTY: record 5"),
    ROW(entity_z, "section ENTY: record 5"),
    ROW(entity_set, "set 1048576 is none"),
    ROW(entity_flags, "flags 0x"),
    ROW(entity_both, "flags 0x"),
    ROW(entity_partial, "section LIST: entity"),
    ROW(list_none, "section LIST"),
    ROW(list_order, "section LIST"),
    ROW(list_empty, "section LIST"),
    ROW(list_long, "section LIST"),
    ROW(list_derived, "section LIST"),
    ROW(drop_target, "in view are missing"),
    ROW(target_none, "section TRGT"),
    ROW(target_more, "section TRGT"),
    ROW(repeat_target, "there twice"),
    ROW(own_target, "the observer itself"),
    ROW(relation_bits, "section RELA: record 0"),
    ROW(relation_known, "section RELA: record 0"),
    ROW(relation_self, "section RELA: record 0"),
    ROW(relation_none, "section RELA: record 0"),
    ROW(relation_view, "section RELA: record 0"),
    ROW(attach_none, "section ATCH: record 0"),
    ROW(attach_self, "section ATCH: record 0"),
    ROW(attach_apart, "section ATCH: record 0"),
    ROW(area_shape, "section AREA: record 0"),
    ROW(area_twice, "PH_EXISTS"),
    ROW(area_zero, "PH_BAD_ID"),
    ROW(area_kinds, "section AREA: record 0"),
    ROW(area_corners, "section AREA: record 1"),
    ROW(area_follow, "PH_UNKNOWN_ID"),
    ROW(area_margin, "PH_BAD_RADIUS"),
    ROW(member_area, "has no margin"),
    ROW(member_entity, "section MEMB"),
    ROW(member_order, "section MEMB"),
    ROW(member_missing, "section MEMB"),
    ROW(awake_entity, "section AWAK"),
    ROW(awake_late, "section AWAK"),
    ROW(awake_since, "section AWAK"),
    ROW(awake_twice, "section AWAK"),
    ROW(awake_missing, "section AWAK"),
    ROW(moved_zero, "section MOVD: record 0"),
    ROW(moved_order, "section MOVD"),
    ROW(deferred_none, "section DEFR: record 0"),
    ROW(deferred_order, "section DEFR"),
    ROW(repeat_deferred, "section DEFR"),
    ROW(crowd_step, "section CROW: record 0"),
    ROW(crowd_none, "section CROW"),
    ROW(crowd_view, "section CROW: record 0"),
#undef ROW
};

static image_bytes read_file(const char *folder)
{
    image_bytes bytes = {0};
    char path[ROOM];
    uint8_t piece[ROOM];
    (void)snprintf(path, sizeof path, "%s/world.1.image", folder);
    FILE *file = fopen(path, "rb");
    REQUIRE(file != NULL);
    for (size_t size; (size = fread(piece, 1, sizeof piece, file)) > 0;) (void)image_bytes_write(&bytes, piece, size);
    (void)fclose(file);
    return bytes;
}

/* The image with a change, as bytes. */
static image_bytes changed_image(const image_bytes *whole, void (*change)(phx_image *image))
{
    image_bytes from = *whole, to = {0};
    phx_image image;
    phx_image_init(&image, (ph_allocator){0});
    CHECK_OK(phx_image_read(&image, image_bytes_read, &from, (phx_image_reason){0}));
    change(&image);
    CHECK(phx_image_write(&image, image_bytes_write, &to), "write");
    phx_image_release(&image);
    return to;
}

static void expect_refusal(const image_bytes *whole, size_t number)
{
    image_bytes bytes = changed_image(whole, cases[number].change);
    fail_alloc memory = {0};
    const ph_load_options options = {.allocator = fail_alloc_hooks(&memory)};
    char reason[REASON] = "";
    ph_world world;
    const ph_status status = ph_load(&options, image_bytes_read, &bytes, &world, reason, sizeof reason);
    CHECK(status == PH_BAD_IMAGE && strstr(reason, cases[number].reason) != NULL, "%s: %s '%s', expected '%s'",
          cases[number].name, ph_status_name(status), reason, cases[number].reason);
    if (status == PH_OK) CHECK_OK(ph_world_destroy(world));
    CHECK(fail_alloc_clean(&memory), "%s: memory is left", cases[number].name);
    free(bytes.items);
}

static void keep_image(phx_image *image)
{
    (void)image;
}

int main(int argc, char **argv)
{
    REQUIRE(argc == 2);
    image_bytes whole = read_file(argv[1]), same = changed_image(&whole, keep_image);
    CHECK(same.count == whole.count && memcmp(same.items, whole.items, whole.count) == 0, "written anew, it differs");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) expect_refusal(&whole, i);
    free(same.items);
    free(whole.items);
    return check_done("save_checks");
}
