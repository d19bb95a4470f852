/*
 * Explanations as text: the reason's sentence and the numbers that bear on it. Any thread; nothing is kept.
 */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include <pharos/query.h>

#include "base/c_locale.h"

const char *ph_reason_text(ph_reason reason)
{
    switch (reason) {
#define REASON_TEXT(name, number, sees, text) \
    case name: \
        return text;
        PH_REASON_LIST(REASON_TEXT)
#undef REASON_TEXT
    case PH_REASON_END:
        break;
    }
    return "no reason of this number";
}

/* The caller's text, and how much of it is written. */
typedef struct line {
    char *text;
    size_t size, used;
} line;

__attribute__((format(printf, 2, 3))) static void add(line *to, const char *format, ...)
{
    va_list arguments;
    if (to->used >= to->size) return;
    va_start(arguments, format);
    int length = vsnprintf(to->text + to->used, to->size - to->used, format, arguments);
    va_end(arguments);
    if (length > 0) to->used += (size_t)length;
}

static void add_range(line *to, const ph_explanation *e)
{
    if (e->range == PH_RANGE_TOWERS) {
        add(to, "%" PRIu32 " and %" PRIu32 " towers apart, span %" PRIu32, e->towers_x, e->towers_y, e->span);
        return;
    }
    if (e->shape == PH_SHAPE_SQUARE) add(to, "dx %.9g, dy %.9g", (double)e->dx, (double)e->dy);
    else add(to, "distance %.9g", sqrt((double)e->square));
    add(to, ", radius %.9g", (double)e->radius);
    if (e->margin > 0.0f) add(to, ", margin %.9g", (double)e->margin);
    if (e->shape == PH_SHAPE_CYLINDER) add(to, ", dz %.9g, height %.9g", (double)e->dz, (double)e->height);
}

static void add_numbers(line *to, const ph_explanation *e)
{
    switch (e->reason) {
    case PH_REASON_NOT_READY:
    case PH_REASON_NO_VIEW:
    case PH_REASON_SELF:
    case PH_REASON_HIDDEN:
    case PH_REASON_VEILED:
    case PH_REASON_END:
        return;
    case PH_REASON_LAYERS:
        add(to, " (sees 0x%" PRIx64 ", layers 0x%" PRIx64 ")", e->sees_mask, e->layers);
        return;
    case PH_REASON_STEALTH:
        add(to, " (stealth %u, detect %u)", e->stealth, e->detect);
        return;
    default:
        break;
    }
    add(to, " (");
    add_range(to, e);
    if (e->rank > 0) add(to, "; rank %" PRIu32 " of %" PRIu32 ", cap %" PRIu32, e->rank, e->passing, e->cap);
    add(to, ")");
}

char *ph_explanation_text(const ph_explanation *explanation, char *text, size_t size)
{
    line to = {.text = text, .size = size};
    phx_c_locale scope = phx_c_locale_begin();
    if (size > 0) text[0] = '\0';
    add(&to, "%s: %s", explanation->sees ? "seen" : "not seen", ph_reason_text(explanation->reason));
    add_numbers(&to, explanation);
    phx_c_locale_end(scope);
    return text;
}
