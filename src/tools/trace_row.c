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
    VALUE_U64,
    VALUE_MASK,
    VALUE_FLAG,
    VALUE_KIND,
    VALUE_CORNERS,
    VALUE_TEXT,
    VALUE_BYTES
} value_type;

/* X(column, type of its value, bit of ph_attrs.given); a column with a bit fills the field of ph_attrs of its name. */
#define ROW_COLUMNS(X) X(tick, VALUE_TICK) X(op, VALUE_OP) X(id, VALUE_ID) X(other, VALUE_ID)
#define MORE_COLUMNS(X) \
    X(radius, VALUE_F32, area.radius) \
    X(x2, VALUE_F32, x2) \
    X(z2, VALUE_F32, area.z_high) \
    X(y2, VALUE_F32, y2) \
    X(corners, VALUE_CORNERS, area) \
    X(follow, VALUE_ID, area.follow) \
    X(text, VALUE_TEXT, text) X(bytes, VALUE_BYTES, text) X(self, VALUE_FLAG, self) X(seen, VALUE_FLAG, seen)
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
    X(priority, VALUE_U8, PH_PRIORITY) \
    X(user_data, VALUE_U64, PH_USER_DATA) \
    X(consumer, VALUE_U32, PH_CONSUMER)

enum {
#define COLUMN_ENUM(name, ...) COLUMN_##name,
    ROW_COLUMNS(COLUMN_ENUM) ATTRS_COLUMNS(COLUMN_ENUM) MORE_COLUMNS(COLUMN_ENUM) COLUMN_COUNT
#undef COLUMN_ENUM
};

#define BIT(name) (UINT64_C(1) << COLUMN_##name)
#define COLUMN_SUM(name, ...) BIT(name) |
#define ALL_ATTRS (ATTRS_COLUMNS(COLUMN_SUM) 0)
#define ALL_ROWS (BIT(tick) | BIT(op) | BIT(id))

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
    uint64_t takes;
    uint64_t needs;
} op_rule;

static const op_rule rules[PHX_TRACE_OP_COUNT] = {
    [PHX_TRACE_OP_ENTER] = {"enter", ALL_ATTRS, BIT(x) | BIT(y)},
    [PHX_TRACE_OP_LEAVE] = {"leave", 0, 0},
    [PHX_TRACE_OP_MOVE] = {"move", BIT(x) | BIT(y) | BIT(z), 0}, /* and one of them: check_move() */
    [PHX_TRACE_OP_SET] = {"set", ALL_ATTRS, 0},
    [PHX_TRACE_OP_PAIR] = {"pair", BIT(other) | BIT(view) | BIT(margin), BIT(other) | BIT(view)},
    [PHX_TRACE_OP_UNPAIR] = {"unpair", BIT(other), BIT(other)},
    [PHX_TRACE_OP_LINK] = {"link", BIT(other), BIT(other)},
    [PHX_TRACE_OP_UNLINK] = {"unlink", BIT(other), BIT(other)},
    [PHX_TRACE_OP_HIDE] = {"hide", BIT(other), BIT(other)},
    [PHX_TRACE_OP_UNHIDE] = {"unhide", BIT(other), BIT(other)},
    [PHX_TRACE_OP_REVEAL] = {"reveal", BIT(other), BIT(other)},
    [PHX_TRACE_OP_UNREVEAL] = {"unreveal", BIT(other), BIT(other)},
    [PHX_TRACE_OP_ATTACH] = {"attach", BIT(other), BIT(other)},
    [PHX_TRACE_OP_DETACH] = {"detach", BIT(other),
                             0}, /* a child has one parent: naming it again is allowed and not needed */
    [PHX_TRACE_OP_RESEND] = {"resend", 0, 0},
    [PHX_TRACE_OP_BROADCAST] = {"broadcast", BIT(text) | BIT(bytes) | BIT(self) | BIT(kind) | BIT(radius) | BIT(seen),
                                0},
    [PHX_TRACE_OP_BROADCAST_AT] = {"broadcast_at",
                                   BIT(text) | BIT(bytes) | BIT(kind) | BIT(x) | BIT(y) | BIT(radius) | BIT(layers) |
                                       BIT(instance),
                                   BIT(x) | BIT(y) | BIT(radius)},
    [PHX_TRACE_OP_AREA] = {"area",
                           BIT(x) | BIT(y) | BIT(z) | BIT(kind) | BIT(radius) | BIT(x2) | BIT(y2) | BIT(z2) |
                               BIT(corners) | BIT(margin) | BIT(layers) | BIT(instance) | BIT(follow),
                           0},
    [PHX_TRACE_OP_UNAREA] = {"unarea", 0, 0},
    [PHX_TRACE_OP_APPLY] = {"apply", 0, 0},
    [PHX_TRACE_OP_IMPORT] = {"import", BIT(bytes), BIT(bytes)},
    [PHX_TRACE_OP_CONFIG] = {"config", BIT(text) | BIT(bytes), 0},
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
        if (columns->present & (UINT64_C(1) << place))
            return phx_trace_refuse(error, PHX_TRACE_BAD_VALUE, "column %s stands twice in the header", name);
        columns->present |= UINT64_C(1) << place;
        columns->order[columns->count++] = (uint8_t)place;
    }
    for (uint32_t i = 0; i < COLUMN_COUNT; i++)
        if ((ALL_ROWS & ~columns->present) & (UINT64_C(1) << i))
            return phx_trace_refuse(error, PHX_TRACE_BAD_VALUE, "the header has no column %s", columns_known[i].name);
    PHX_ASSERT(columns->count <= COLUMN_COUNT);
    return true;
}

/* ---- values: each parser gets a field that is not empty and ends with a zero byte ---- */

typedef struct text_field {
    char *text;
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

static int digit_of(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char lower = (char)(c >= 'A' && c <= 'F' ? c + ('a' - 'A') : c);
    const char *digit = memchr(digits, lower, sizeof digits - 1);
    return digit ? (int)(digit - digits) : -1;
}

static bool read_hex(const char *text, size_t length, uint64_t *value)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < length; i++) {
        const int digit = digit_of(text[i]);
        if (digit < 0 || sum >> 60) return false;
        sum = sum << 4 | (uint64_t)digit;
    }
    *value = sum;
    return length > 0;
}

/* Two digits a byte; the bytes take the place of the digits, in the line. */
static bool read_bytes(const text_field *field, phx_trace_row *row, phx_trace_error *error)
{
    bool good = field->length % 2 == 0;
    for (size_t i = 0; good && i < field->length; i += 2) {
        const int high = digit_of(field->text[i]), low = digit_of(field->text[i + 1]);
        good = high >= 0 && low >= 0;
        if (good) field->text[i / 2] = (char)(unsigned char)(high << 4 | low);
    }
    if (!good) return refuse_value(error, PHX_TRACE_BAD_VALUE, field, "is not hexadecimal, two digits a byte");
    row->text = field->text;
    row->text_bytes = (uint32_t)(field->length / 2); /* a line is not that long */
    return true;
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
    for (uint32_t i = 0; i < PHX_TRACE_OP_COUNT; i++) {
        if (strcmp(field->text, rules[i].word) == 0) {
            *op = (phx_trace_op)i;
            return true;
        }
    }
    return refuse_value(error, PHX_TRACE_BAD_OP, field,
                        "is unknown; there are: enter leave move set pair unpair link "
                        "unlink hide unhide reveal unreveal attach detach resend broadcast broadcast_at area unarea "
                        "apply import config");
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

/* A class by its name, or #NUMBER: a kind that has no class of its own. */
static bool read_kind(const phx_trace_reading *reading, const text_field *field, char *name, size_t length,
                      uint32_t *kind, phx_trace_error *error)
{
    uint64_t number = 0;
    if (length == 0 || (name[0] == '#' && !phx_parse_u64(name + 1, length - 1, 0, PH_KINDS_MAX - 1, &number)))
        return refuse_value(error, PHX_TRACE_BAD_VALUE, field, "is no name of a class, and no #NUMBER of a kind");
    if (name[0] == '#') *kind = (uint32_t)number;
    else *kind = reading->kind ? reading->kind(reading->kind_user, name) : 0;
    return true;
}

/* NAME;NAME;...: the kinds of an area or a broadcast; an entity has one. */
static bool read_kinds(const phx_trace_reading *reading, const text_field *field, phx_trace_row *row,
                       phx_trace_error *error)
{
    ph_area *area = &row->area;
    for (char *at = field->text, *next; at; at = next) {
        char *mark = strchr(at, ';');
        const size_t length = mark ? (size_t)(mark - at) : strlen(at);
        next = mark ? mark + 1 : NULL;
        if (area->kind_count == PH_AREA_KINDS_MAX)
            return refuse_value(error, PHX_TRACE_BAD_VALUE, field, "has more kinds than 16");
        at[length] = '\0';
        const bool good = read_kind(reading, field, at, length, &area->kinds[area->kind_count++], error);
        if (mark) *mark = ';';
        if (!good) return false;
    }
    row->attrs.kind = area->kinds[0];
    return true;
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
    case VALUE_U64:
        return read_integer(field, UINT64_MAX, to, error);
    case VALUE_TEXT:
        row->text = field->text;
        row->text_bytes = (uint32_t)field->length; /* a line is not that long */
        return true;
    case VALUE_BYTES:
        return read_bytes(field, row, error);
    case VALUE_KIND:
        return read_kinds(reading, field, row, error);
    }
    PHX_ASSERT(false); /* every type of value has a parser */
    return false;
}

/* ---- rows ---- */

/* Reads all fields; *filled gets a bit per column that is not empty. */
static bool read_fields(const phx_trace_reading *reading, char *line, size_t length, uint64_t *filled,
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
        *filled |= UINT64_C(1) << which;
        row->attrs.given |= field.column->given;
    }
    return true;
}

/* The first of the columns in `bits`. */
static const char *column_name(uint64_t bits)
{
    PHX_ASSERT(bits != 0);
    return columns_known[__builtin_ctzll(bits)].name;
}

static bool check_move(const phx_trace_columns *columns, phx_trace_row *row, phx_trace_error *error)
{
    ph_attrs *attrs = &row->attrs;
    if (attrs->given == 0) return phx_trace_refuse(error, PHX_TRACE_BAD_MISSING, "move needs x, y or z");
    if (attrs->given == (PH_X | PH_Y) && !(columns->present & BIT(z)))
        attrs->given = PH_POSITION; /* a flat world: z is 0, as at enter */
    return true;
}

/* A circle, a box or a polygon, by the columns that are filled. */
static bool check_area(uint64_t filled, phx_trace_row *row, phx_trace_error *error)
{
    const uint64_t shapes[] = {BIT(x) | BIT(y) | BIT(radius), BIT(x) | BIT(y) | BIT(x2) | BIT(y2), BIT(corners)};
    const uint64_t given = filled & (shapes[0] | shapes[1] | shapes[2]);
    uint32_t shape = 0;
    while (shape < 3 && given != shapes[shape]) shape++;
    if (shape == 3)
        return phx_trace_refuse(error, PHX_TRACE_BAD_MISSING, "area needs x y radius, or x y x2 y2, or corners");
    ph_area *area = &row->area;
    area->shape = (ph_area_shape)shape;
    area->center[0] = area->low[0] = row->attrs.x;
    area->center[1] = area->low[1] = row->attrs.y;
    area->high[0] = row->x2;
    area->high[1] = row->y2;
    if (((filled & BIT(z)) != 0) != ((filled & BIT(z2)) != 0))
        return phx_trace_refuse(error, PHX_TRACE_BAD_MISSING, "area needs both of z and z2, or none");
    area->flags = (filled & BIT(z) ? PH_AREA_HEIGHT : 0u) | (filled & BIT(instance) ? PH_AREA_IN_INSTANCE : 0u) |
                  (filled & BIT(follow) ? PH_AREA_FOLLOW : 0u);
    area->instance = row->attrs.instance;
    area->z_low = row->attrs.z;
    area->margin = row->attrs.margin;
    area->layers = row->attrs.layers;
    return true;
}

static bool check_row(const phx_trace_columns *columns, uint64_t filled, phx_trace_row *row, phx_trace_error *error)
{
    if (ALL_ROWS & ~filled)
        return phx_trace_refuse(error, PHX_TRACE_BAD_MISSING, "%s is empty", column_name(ALL_ROWS & ~filled));
    PHX_ASSERT(row->op < PHX_TRACE_OP_COUNT);
    const op_rule *rule = &rules[row->op];
    uint64_t missing = rule->needs & ~filled;
    uint64_t extra = filled & ~(ALL_ROWS | rule->takes);
    if (missing) return phx_trace_refuse(error, PHX_TRACE_BAD_MISSING, "%s needs %s", rule->word, column_name(missing));
    if (extra) return phx_trace_refuse(error, PHX_TRACE_BAD_EXTRA, "%s takes no %s", rule->word, column_name(extra));
    if ((filled & BIT(text)) && (filled & BIT(bytes)))
        return phx_trace_refuse(error, PHX_TRACE_BAD_EXTRA, "%s takes text or bytes, not both", rule->word);
    if (row->op == PHX_TRACE_OP_CONFIG && row->text_bytes == 0)
        return phx_trace_refuse(error, PHX_TRACE_BAD_MISSING, "config needs text: KEY=VALUE");
    if (row->op != PHX_TRACE_OP_AREA && row->op != PHX_TRACE_OP_BROADCAST && row->op != PHX_TRACE_OP_BROADCAST_AT &&
        row->area.kind_count > 1)
        return phx_trace_refuse(error, PHX_TRACE_BAD_VALUE, "kind: an entity has one");
    if (row->op == PHX_TRACE_OP_AREA) return check_area(filled, row, error);
    return row->op != PHX_TRACE_OP_MOVE || check_move(columns, row, error);
}

bool phx_trace_read_row(const phx_trace_reading *reading, char *line, size_t length, phx_trace_row *row,
                        phx_trace_error *error)
{
    PHX_ASSERT(reading->columns.count > 0);
    PHX_ASSERT(line[length] == '\0');
    memset(row, 0, sizeof *row);
    uint64_t filled = 0;
    if (memchr(line, '\0', length)) return phx_trace_refuse(error, PHX_TRACE_BAD_ZERO_BYTE, "a zero byte in the line");
    return read_fields(reading, line, length, &filled, row, error) && check_row(&reading->columns, filled, row, error);
}
