/*
 * From a line's text to a checked row; see trace_row.h. Two tables have all of it: the
 * columns, and which of them each op takes and needs. No state.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* strtof_l */
#endif

#include "tools/trace_row.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/whole_text.h"
#include "tools/cli.h"

typedef enum value_type {
    VALUE_TICK,
    VALUE_OP,
    VALUE_ID,
    VALUE_F32,
    VALUE_U8,
    VALUE_U32,
    VALUE_MASK,
    VALUE_FLAG,
    VALUE_KIND,
    VALUE_CORNERS,
    VALUE_TEXT
} value_type;

/* X(column, type of its value, bit of ph_attrs.given); a column with a bit fills the field of ph_attrs of its name. */
#define ROW_COLUMNS(X) X(tick, VALUE_TICK) X(op, VALUE_OP) X(id, VALUE_ID) X(other, VALUE_ID)
#define MORE_COLUMNS(X) \
    X(radius, VALUE_F32, area.radius) \
    X(x2, VALUE_F32, x2) \
    X(z2, VALUE_F32, area.z_high) \
    X(y2, VALUE_F32, y2) \
    X(corners, VALUE_CORNERS, area) \
    X(follow, VALUE_ID, area.follow) X(text, VALUE_TEXT, text) X(self, VALUE_FLAG, self) X(seen, VALUE_FLAG, seen)
#define ATTRS_COLUMNS(X) \
    X(x, VALUE_F32, PH_X) \
    X(y, VALUE_F32, PH_Y) \
    X(z, VALUE_F32, PH_Z) \
    X(kind, VALUE_KIND, PH_KIND) \
    X(view, VALUE_F32, PH_VIEW) \
    X(margin, VALUE_F32, PH_MARGIN) \
    X(reach, VALUE_F32, PH_REACH) \
    X(visible, VALUE_F32, PH_VISIBLE) \
    X(instance, VALUE_U32, PH_INSTANCE) \
    X(layers, VALUE_MASK, PH_LAYERS) \
    X(sees, VALUE_MASK, PH_SEES) \
    X(veiled, VALUE_FLAG, PH_VEILED) \
    X(stealth, VALUE_U8, PH_STEALTH) \
    X(detect, VALUE_U8, PH_DETECT) \
    X(global, VALUE_FLAG, PH_GLOBAL) \
    X(ready, VALUE_FLAG, PH_READY) \
    X(remote, VALUE_FLAG, PH_REMOTE) \
    X(cap, VALUE_U32, PH_CAP) \
    X(priority, VALUE_U8, PH_PRIORITY)

enum {
#define COLUMN_ENUM(name, ...) COLUMN_##name,
    ROW_COLUMNS(COLUMN_ENUM) ATTRS_COLUMNS(COLUMN_ENUM) MORE_COLUMNS(COLUMN_ENUM) COLUMN_COUNT
#undef COLUMN_ENUM
};

enum {
#define COLUMN_BIT(name, ...) BIT_##name = 1u << COLUMN_##name,
    ROW_COLUMNS(COLUMN_BIT) ATTRS_COLUMNS(COLUMN_BIT) MORE_COLUMNS(COLUMN_BIT)
#undef COLUMN_BIT
#define COLUMN_SUM(name, ...) BIT_##name |
        ALL_ATTRS = ATTRS_COLUMNS(COLUMN_SUM) 0,
#undef COLUMN_SUM
    ALL_ROWS = BIT_tick | BIT_op | BIT_id
};

_Static_assert((int)COLUMN_COUNT <= (int)PHX_TRACE_COLUMNS_MAX, "a bit and a place in the order for every column");

typedef struct column {
    const char *name;
    value_type type;
    uint32_t given; /* 0: not of ph_attrs */
    size_t offset;  /* in phx_trace_row */
} column;

static const column columns_known[COLUMN_COUNT] = {
#define COLUMN_ROW(name, type) {#name, type, 0, offsetof(phx_trace_row, name)},
#define COLUMN_ATTRS(name, type, given) {#name, type, given, offsetof(phx_trace_row, attrs.name)},
#define COLUMN_MORE(name, type, field) {#name, type, 0, offsetof(phx_trace_row, field)},
    ROW_COLUMNS(COLUMN_ROW) ATTRS_COLUMNS(COLUMN_ATTRS) MORE_COLUMNS(COLUMN_MORE)
#undef COLUMN_MORE
#undef COLUMN_ATTRS
#undef COLUMN_ROW
};

/* Beside tick, op and id: the columns that an op may give, and the ones that it must. */
typedef struct op_rule {
    const char *word;
    uint32_t takes;
    uint32_t needs;
} op_rule;

static const op_rule rules[PHX_OP_COUNT] = {
    [PHX_OP_ENTER] = {"enter", ALL_ATTRS, BIT_x | BIT_y},
    [PHX_OP_LEAVE] = {"leave", 0, 0},
    [PHX_OP_MOVE] = {"move", BIT_x | BIT_y | BIT_z, 0}, /* and one of them: check_move() */
    [PHX_OP_SET] = {"set", ALL_ATTRS, 0},
    [PHX_OP_PAIR] = {"pair", BIT_other | BIT_view | BIT_margin, BIT_other | BIT_view},
    [PHX_OP_UNPAIR] = {"unpair", BIT_other, BIT_other},
    [PHX_OP_LINK] = {"link", BIT_other, BIT_other},
    [PHX_OP_UNLINK] = {"unlink", BIT_other, BIT_other},
    [PHX_OP_HIDE] = {"hide", BIT_other, BIT_other},
    [PHX_OP_UNHIDE] = {"unhide", BIT_other, BIT_other},
    [PHX_OP_REVEAL] = {"reveal", BIT_other, BIT_other},
    [PHX_OP_UNREVEAL] = {"unreveal", BIT_other, BIT_other},
    [PHX_OP_ATTACH] = {"attach", BIT_other, BIT_other},
    [PHX_OP_DETACH] = {"detach", BIT_other, 0}, /* a child has one parent: naming it again is allowed and not needed */
    [PHX_OP_RESEND] = {"resend", 0, 0},
    [PHX_OP_BROADCAST] = {"broadcast", BIT_text | BIT_self | BIT_kind | BIT_radius | BIT_seen, 0},
    [PHX_OP_BROADCAST_AT] = {"broadcast_at",
                             BIT_text | BIT_kind | BIT_x | BIT_y | BIT_radius | BIT_layers | BIT_instance,
                             BIT_x | BIT_y | BIT_radius},
    [PHX_OP_AREA] = {"area",
                     BIT_x | BIT_y | BIT_z | BIT_kind | BIT_radius | BIT_x2 | BIT_y2 | BIT_z2 | BIT_corners |
                         BIT_margin | BIT_layers | BIT_instance | BIT_follow,
                     0},
    [PHX_OP_UNAREA] = {"unarea", 0, 0},
    [PHX_OP_APPLY] = {"apply", 0, 0},
};

bool phx_trace_refuse(phx_trace_error *error, phx_trace_bad bad, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(error->reason, sizeof error->reason, format, arguments);
    va_end(arguments);
    PHX_ASSERT(length > 0);
    (void)length;
    error->bad = bad;
    return false;
}

/* ---- header ---- */

/* Cuts the field at *at off with a zero byte and moves *at behind it, or to NULL behind the last. */
static char *next_field(char **at, const char *line_end, size_t *length)
{
    char *field = *at;
    char *comma = memchr(field, ',', (size_t)(line_end - field));
    *length = (size_t)((comma ? comma : line_end) - field);
    field[*length] = '\0'; /* in place of the comma, or the zero byte that is there */
    *at = comma ? comma + 1 : NULL;
    return field;
}

static uint32_t find_column(const char *name, size_t length)
{
    for (uint32_t i = 0; i < COLUMN_COUNT; i++)
        if (strlen(columns_known[i].name) == length && memcmp(columns_known[i].name, name, length) == 0) return i;
    return COLUMN_COUNT;
}

static bool refuse_column(phx_trace_error *error, const char *name, size_t length)
{
    char quoted[PHX_QUOTE_SIZE], known[320] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < COLUMN_COUNT; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, " %s", columns_known[i].name);
    PHX_ASSERT(used < sizeof known);
    return phx_trace_refuse(error, PHX_TRACE_BAD_VALUE, "unknown column %s in the header; there are:%s",
                            phx_quote(quoted, name, length), known);
}

bool phx_trace_read_header(phx_trace_columns *columns, char *line, size_t length, phx_trace_error *error)
{
    memset(columns, 0, sizeof *columns);
    const char *line_end = line + length;
    for (char *at = line; at;) {
        size_t name_length;
        const char *name = next_field(&at, line_end, &name_length);
        uint32_t place = find_column(name, name_length);
        if (place == COLUMN_COUNT) return refuse_column(error, name, name_length);
        if (columns->present & (1u << place))
            return phx_trace_refuse(error, PHX_TRACE_BAD_VALUE, "column %s stands twice in the header", name);
        columns->present |= 1u << place;
        columns->order[columns->count++] = (uint8_t)place;
    }
    for (uint32_t i = 0; i < COLUMN_COUNT; i++)
        if ((ALL_ROWS & ~columns->present) & (1u << i))
            return phx_trace_refuse(error, PHX_TRACE_BAD_VALUE, "the header has no column %s", columns_known[i].name);
    PHX_ASSERT(columns->count <= COLUMN_COUNT);
    return true;
}

/* ---- values: each parser gets a field that is not empty and ends with a zero byte ---- */

typedef struct text_field {
    const char *text;
    size_t length;
    const column *column;
} text_field;

static bool refuse_value(phx_trace_error *error, phx_trace_bad bad, const text_field *field, const char *what)
{
    char quoted[PHX_QUOTE_SIZE];
    phx_quote(quoted, field->text, field->length);
    return phx_trace_refuse(error, bad, "%s: %s %s", field->column->name, quoted, what);
}

static bool read_f32(const text_field *field, locale_t locale, float *value, phx_trace_error *error)
{
    const char *digits = field->text + (field->text[0] == '-' || field->text[0] == '+');
    bool starts = *digits == '.' || (*digits >= '0' && *digits <= '9'); /* neither blank, nor "nan", nor "inf" */
    char *end = NULL;
    *value = starts ? strtof_l(field->text, &end, locale) : 0;
    if (!starts || end != field->text + field->length)
        return refuse_value(error, PHX_TRACE_BAD_VALUE, field, "is not a number");
    if (!isfinite(*value)) return refuse_value(error, PHX_TRACE_BAD_VALUE, field, "does not fit into a 32-bit float");
    return true;
}

static bool read_integer(const text_field *field, uint64_t max, uint64_t *value, phx_trace_error *error)
{
    char what[64];
    if (phx_parse_u64(field->text, field->length, 0, max, value)) return true;
    char most[PHX_WHOLE_TEXT_SIZE];
    snprintf(what, sizeof what, "is not a whole number from 0 to %s", phx_whole_text(max, most));
    return refuse_value(error, PHX_TRACE_BAD_VALUE, field, what);
}

static bool read_hex(const char *text, size_t length, uint64_t *value)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < length; i++) {
        static const char digits[] = "0123456789abcdef";
        char lower = (char)(text[i] >= 'A' && text[i] <= 'F' ? text[i] + ('a' - 'A') : text[i]);
        const char *digit = memchr(digits, lower, sizeof digits - 1);
        if (!digit || sum >> 60) return false;
        sum = sum << 4 | (uint64_t)(digit - digits);
    }
    *value = sum;
    return length > 0;
}

static bool read_mask(const text_field *field, uint64_t *value, phx_trace_error *error)
{
    bool hex = field->length > 2 && field->text[0] == '0' && (field->text[1] == 'x' || field->text[1] == 'X');
    if (hex ? read_hex(field->text + 2, field->length - 2, value)
            : phx_parse_u64(field->text, field->length, 0, UINT64_MAX, value))
        return true;
    return refuse_value(error, PHX_TRACE_BAD_VALUE, field, "is not a 64-bit mask, decimal or 0x...");
}

static bool read_flag(const text_field *field, bool *value, phx_trace_error *error)
{
    static const char *const words[] = {"0", "1", "false", "true", "no", "yes"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(field->text, words[i]) == 0) {
            *value = i % 2 == 1;
            return true;
        }
    }
    return refuse_value(error, PHX_TRACE_BAD_VALUE, field, "is none of 0, 1, false, true, no, yes");
}

static bool read_op(const text_field *field, phx_trace_op *op, phx_trace_error *error)
{
    for (uint32_t i = 0; i < PHX_OP_COUNT; i++) {
        if (strcmp(field->text, rules[i].word) == 0) {
            *op = (phx_trace_op)i;
            return true;
        }
    }
    return refuse_value(error, PHX_TRACE_BAD_OP, field,
                        "is unknown; there are: enter leave move set pair unpair link "
                        "unlink hide unhide reveal unreveal attach detach resend broadcast broadcast_at area unarea "
                        "apply");
}

/* x:y;x:y;... */
static bool read_corners(const text_field *field, locale_t locale, ph_area *area, phx_trace_error *error)
{
    const char *at = field->text;
    for (area->corner_count = 0; area->corner_count < PH_AREA_CORNERS_MAX; area->corner_count++, at++) {
        char *end = NULL;
        float *corner = area->corners[area->corner_count];
        corner[0] = strtof_l(at, &end, locale);
        if (end == at || *end != ':') break;
        at = end + 1;
        corner[1] = strtof_l(at, &end, locale);
        if (end == at || (*end != ';' && *end != '\0')) break;
        at = end;
        if (*end == '\0') {
            area->corner_count++;
            return true;
        }
    }
    return refuse_value(error, PHX_TRACE_BAD_VALUE, field, "is not x:y;x:y;... of up to 16 corners");
}

static bool read_value(const phx_trace_reading *reading, const text_field *field, phx_trace_row *row,
                       phx_trace_error *error)
{
    void *to = (char *)row + field->column->offset;
    uint64_t number = 0;
    switch (field->column->type) {
    case VALUE_TICK:
        return phx_parse_u64(field->text, field->length, 0, UINT64_MAX, to) ||
               refuse_value(error, PHX_TRACE_BAD_TICK, field, "is not a whole number from 0 to 2^64-1");
    case VALUE_ID:
        return phx_parse_u64(field->text, field->length, 1, UINT64_MAX, to) ||
               refuse_value(error, PHX_TRACE_BAD_ID, field, "is not a whole number from 1 to 2^64-1");
    case VALUE_OP:
        return read_op(field, to, error);
    case VALUE_F32:
        return read_f32(field, reading->locale, to, error);
    case VALUE_CORNERS:
        return read_corners(field, reading->locale, to, error);
    case VALUE_MASK:
        return read_mask(field, to, error);
    case VALUE_FLAG:
        return read_flag(field, to, error);
    case VALUE_U8:
        if (!read_integer(field, UINT8_MAX, &number, error)) return false;
        *(uint8_t *)to = (uint8_t)number;
        return true;
    case VALUE_U32:
        if (!read_integer(field, UINT32_MAX, &number, error)) return false;
        *(uint32_t *)to = (uint32_t)number;
        return true;
    case VALUE_TEXT:
        row->text = field->text;
        row->text_bytes = (uint32_t)field->length; /* a line is not that long */
        return true;
    case VALUE_KIND:
        *(uint32_t *)to = reading->kind ? reading->kind(reading->kind_user, field->text) : 0;
        return true;
    }
    PHX_ASSERT(false); /* every type of value has a parser */
    return false;
}

/* ---- rows ---- */

/* Reads all fields; *filled gets a bit per column that is not empty. */
static bool read_fields(const phx_trace_reading *reading, char *line, size_t length, uint32_t *filled,
                        phx_trace_row *row, phx_trace_error *error)
{
    const phx_trace_columns *columns = &reading->columns;
    const char *line_end = line + length;
    uint32_t place = 0;
    for (char *at = line; at; place++) {
        text_field field = {0};
        field.text = next_field(&at, line_end, &field.length);
        if (place == columns->count)
            return phx_trace_refuse(error, PHX_TRACE_BAD_FIELDS, "more fields than the %u columns of the header",
                                    columns->count);
        if (field.length == 0) continue;
        uint32_t which = columns->order[place];
        field.column = &columns_known[which];
        if (!read_value(reading, &field, row, error)) return false;
        *filled |= 1u << which;
        row->attrs.given |= field.column->given;
    }
    return true;
}

/* The first of the columns in `bits`. */
static const char *column_name(uint32_t bits)
{
    PHX_ASSERT(bits != 0);
    return columns_known[__builtin_ctz(bits)].name;
}

static bool check_move(const phx_trace_columns *columns, phx_trace_row *row, phx_trace_error *error)
{
    ph_attrs *attrs = &row->attrs;
    if (attrs->given == 0) return phx_trace_refuse(error, PHX_TRACE_BAD_MISSING, "move needs x, y or z");
    if (attrs->given == (PH_X | PH_Y) && !(columns->present & BIT_z))
        attrs->given = PH_POSITION; /* a flat world: z is 0, as at enter */
    return true;
}

/* A circle, a box or a polygon, by the columns that are filled. */
static bool check_area(uint32_t filled, phx_trace_row *row, phx_trace_error *error)
{
    const uint32_t shapes[] = {BIT_x | BIT_y | BIT_radius, BIT_x | BIT_y | BIT_x2 | BIT_y2, BIT_corners};
    uint32_t given = filled & (shapes[0] | shapes[1] | shapes[2]), shape = 0;
    while (shape < 3 && given != shapes[shape]) shape++;
    if (shape == 3)
        return phx_trace_refuse(error, PHX_TRACE_BAD_MISSING, "area needs x y radius, or x y x2 y2, or corners");
    ph_area *area = &row->area;
    area->shape = (ph_area_shape)shape;
    area->center[0] = area->low[0] = row->attrs.x;
    area->center[1] = area->low[1] = row->attrs.y;
    area->high[0] = row->x2;
    area->high[1] = row->y2;
    if (((filled & BIT_z) != 0) != ((filled & BIT_z2) != 0))
        return phx_trace_refuse(error, PHX_TRACE_BAD_MISSING, "area needs both of z and z2, or none");
    area->flags = (filled & BIT_z ? PH_AREA_HEIGHT : 0u) | (filled & BIT_instance ? PH_AREA_IN_INSTANCE : 0u) |
                  (filled & BIT_follow ? PH_AREA_FOLLOW : 0u);
    area->instance = row->attrs.instance;
    area->z_low = row->attrs.z;
    area->margin = row->attrs.margin;
    area->layers = row->attrs.layers;
    area->kind_count = (filled & BIT_kind) != 0;
    area->kinds[0] = row->attrs.kind;
    return true;
}

static bool check_row(const phx_trace_columns *columns, uint32_t filled, phx_trace_row *row, phx_trace_error *error)
{
    if (ALL_ROWS & ~filled)
        return phx_trace_refuse(error, PHX_TRACE_BAD_MISSING, "%s is empty", column_name(ALL_ROWS & ~filled));
    PHX_ASSERT(row->op < PHX_OP_COUNT);
    const op_rule *rule = &rules[row->op];
    uint32_t missing = rule->needs & ~filled;
    uint32_t extra = filled & ~(ALL_ROWS | rule->takes);
    if (missing) return phx_trace_refuse(error, PHX_TRACE_BAD_MISSING, "%s needs %s", rule->word, column_name(missing));
    if (extra) return phx_trace_refuse(error, PHX_TRACE_BAD_EXTRA, "%s takes no %s", rule->word, column_name(extra));
    if (row->op == PHX_OP_AREA) return check_area(filled, row, error);
    return row->op != PHX_OP_MOVE || check_move(columns, row, error);
}

bool phx_trace_read_row(const phx_trace_reading *reading, char *line, size_t length, phx_trace_row *row,
                        phx_trace_error *error)
{
    PHX_ASSERT(reading->columns.count > 0);
    PHX_ASSERT(line[length] == '\0');
    memset(row, 0, sizeof *row);
    uint32_t filled = 0;
    if (memchr(line, '\0', length)) return phx_trace_refuse(error, PHX_TRACE_BAD_ZERO_BYTE, "a zero byte in the line");
    return read_fields(reading, line, length, &filled, row, error) && check_row(&reading->columns, filled, row, error);
}
