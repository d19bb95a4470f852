/*
 * The tables of an image as data; see tables.h. Stateless.
 */
#include "world/image/tables.h"

#define NUMBER_ROW(R, type, name) {#name, sizeof(phx_image_##type), 1, offsetof(phx_saved_##R, name)},
#define ARRAY_ROW(R, type, name, count) {#name, sizeof(phx_image_##type), count, offsetof(phx_saved_##R, name)},
#define FIELDS_OF(R) static const phx_image_field fields_of_##R[] = {PHX_IMAGE_##R(NUMBER_ROW, ARRAY_ROW, R)};
PHX_IMAGE_RECORDS(FIELDS_OF)

#define NUMBER_BYTES(R, type, name) +sizeof(phx_image_##type)
#define ARRAY_BYTES(R, type, name, count) +sizeof(phx_image_##type) * (count)
#define KIND_ROW(table, tag, R) \
    {tag, fields_of_##R, sizeof fields_of_##R / sizeof *fields_of_##R, sizeof(phx_saved_##R), \
     0 PHX_IMAGE_##R(NUMBER_BYTES, ARRAY_BYTES, R)},

const phx_image_kind phx_image_kinds[PHX_TABLES] = {PHX_IMAGE_TABLES(KIND_ROW)};
