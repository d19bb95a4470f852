/*
 * Texts to pages, as JSON; see hello.h. Numbers are written in the C locale, which callers on a host's thread may not
 * have: so each text takes it for the time.
 */
#include "view/hello.h"

#include "base/keys.h"
#include "view/frame.h"

#include <locale.h>
#include <pharos/pharos.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct json_text {
    FILE *out;
    char *bytes;
    size_t size;
    locale_t own, before;
} json_text;

static bool begin(json_text *text)
{
    *text = (json_text){.own = newlocale(LC_ALL_MASK, "C", (locale_t)0)};
    if (!text->own) return false;
    text->before = uselocale(text->own);
    text->out = open_memstream(&text->bytes, &text->size);
    if (text->out) return true;
    uselocale(text->before);
    freelocale(text->own);
    return false;
}

static char *end(json_text *text)
{
    const bool failed = ferror(text->out) != 0;
    const bool closed = fclose(text->out) == 0;
    uselocale(text->before);
    freelocale(text->own);
    if (!failed && closed) return text->bytes;
    free(text->bytes);
    return NULL;
}

/* Bytes of the character at the front, by RFC 3629 (UTF-8); 0: there is none. */
static size_t character_bytes(const unsigned char *bytes, size_t count)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000}; /* of a character of so many bytes */
    const size_t ones = (size_t)__builtin_clz(~((uint32_t)bytes[0] << 24)), length = ones == 0 ? 1 : ones;
    if (ones == 1 || ones > 4 || length > count) return 0;
    uint32_t code = bytes[0] & (0xffu >> (ones + 1));
    for (size_t i = 1; i < length; i++) {
        if (bytes[i] >> 6 != 2) return 0;
        code = code << 6 | (bytes[i] & 0x3f);
    }
    return code < least[length] || code > 0x10ffff || code >> 11 == 0xd800 >> 11 ? 0 : length;
}

/* A string of JSON. A browser closes a connection with a text that is no UTF-8: bytes that are none become U+FFFD. */
static void write_string(FILE *out, const char *bytes, size_t count)
{
    fputc('"', out);
    while (count > 0) {
        const unsigned char byte = (unsigned char)*bytes;
        const size_t length = character_bytes((const unsigned char *)bytes, count), taken = length > 0 ? length : 1;
        if (length == 0) fputs("\\ufffd", out);
        else if (byte == '"' || byte == '\\') fprintf(out, "\\%c", byte);
        else if (byte == '\n') fputs("\\n", out);
        else if (byte < 0x20) fprintf(out, "\\u%04x", byte);
        else fwrite(bytes, 1, length, out);
        bytes += taken;
        count -= taken;
    }
    fputc('"', out);
}

static const char *yes(bool is)
{
    return is ? "true" : "false";
}

static void write_classes(FILE *out, const ph_world_def *def)
{
    fputs("\"classes\":[", out);
    for (uint32_t i = 0; i < def->class_count; i++) {
        const ph_class *class = &def->classes[i];
        fprintf(out, "%s{\"name\":", i > 0 ? "," : "");
        write_string(out, class->name, strlen(class->name));
        fprintf(out, ",\"view\":%.9g,\"bands\":[", (double)class->view);
        for (uint32_t j = 0; j < class->band_count; j++)
            fprintf(out, "%s{\"radius\":%.9g,\"every\":%u}", j > 0 ? "," : "", (double)class->bands[j].radius,
                    class->bands[j].every);
        fputs("]}", out);
    }
    fputc(']', out);
}

/* "PH_REASON_TOO_FAR": the page shows "too far". */
static void write_reason(FILE *out, const char *name, int number, const char *sentence)
{
    fprintf(out, "%s\"%d\":{\"short\":\"", number == PH_REASON_NOT_READY ? "" : ",", number);
    for (const char *at = name + strlen("PH_REASON_"); *at != '\0'; at++)
        fputc(*at == '_' ? ' ' : *at + ('a' - 'A'), out);
    fputs("\",\"text\":", out);
    write_string(out, sentence, strlen(sentence));
    fputc('}', out);
}

static void write_rules(FILE *out)
{
    fputs(",\"reasons\":{", out);
#define WRITE_REASON(name, number, sees, sentence) write_reason(out, #name, number, sentence);
    PH_REASON_LIST(WRITE_REASON)
#undef WRITE_REASON
    fputs("},\"causes\":[", out);
    for (uint32_t i = 0; i < PH_CAUSE_COUNT; i++) {
        fputs(i > 0 ? "," : "", out);
        write_string(out, ph_cause_name((ph_cause)i), strlen(ph_cause_name((ph_cause)i)));
    }
    fputs("]", out);
}

static void write_world(FILE *out, const ph_world_def *def)
{
    static const char *const shapes[] = {"circle", "square", "cylinder", "sphere"};
    fprintf(out,
            ",\"world\":{\"x\":%.9g,\"y\":%.9g,\"width\":%.9g,\"height\":%.9g,\"towerSize\":%.9g,\"crowdFloor\":%.9g,"
            "\"shape\":\"%s\",",
            (double)def->world_origin[0], (double)def->world_origin[1], (double)def->world_size[0],
            (double)def->world_size[1], (double)def->tower_size, (double)def->crowd_floor, shapes[def->shape]);
    write_classes(out, def);
    write_rules(out);
    fputc('}', out);
}

char *phx_hello_text(const char *title, uint32_t flags, const ph_world_def *def)
{
    json_text text;
    if (!begin(&text)) return NULL;
    fputs("{\"type\":\"hello\",\"title\":", text.out);
    write_string(text.out, title, strlen(title));
    fprintf(text.out, ",\"controls\":%s,\"seek\":%s,\"set\":%s,\"slice\":%s", yes(flags & PH_VIEW_CONTROLS),
            yes(flags & PH_VIEW_SEEK), yes(flags & PH_VIEW_SET), yes(flags & PH_VIEW_SLICE));
    fputs(",\"stats\":[", text.out);
    for (uint32_t i = 0; i < phx_frame_stat_count; i++)
        fprintf(text.out, "%s\"%s\"", i > 0 ? "," : "", phx_frame_stats[i].name);
    fputs("]", text.out);
    if (def) write_world(text.out, def);
    fputs("}", text.out);
    return end(&text);
}

/* Memory of the process, as a page shows it; 0: the system does not tell. */
static uint64_t resident_bytes(void)
{
    unsigned long long size = 0, resident = 0;
    FILE *statm = fopen("/proc/self/statm", "r");
    if (!statm) return 0;
    const int fields = fscanf(statm, "%llu %llu", &size, &resident);
    const long page_bytes = sysconf(_SC_PAGESIZE);
    return fclose(statm) == 0 && fields == 2 && page_bytes > 0 ? resident * (uint64_t)page_bytes : 0;
}

char *phx_state_text(const ph_view_state *state)
{
    json_text text;
    if (!begin(&text)) return NULL;
    fprintf(text.out,
            "{\"type\":\"state\",\"paused\":%s,\"over\":%s,\"speed\":%.9g,\"first\":%llu,\"last\":%llu,\"at\":%llu,"
            "\"offset\":%lld,\"resident\":%llu}",
            yes(state->paused), yes(state->over), state->speed, (unsigned long long)state->first,
            (unsigned long long)state->last, (unsigned long long)state->at, (long long)state->offset,
            (unsigned long long)resident_bytes());
    return end(&text);
}

/* All keys of a class, as in a config. */
static void write_class_keys(FILE *out, const ph_class *class)
{
#define WRITE_f32(name) fprintf(out, ",\"" #name "\":%.9g", (double)class->name);
#define WRITE_u32(name) fprintf(out, ",\"" #name "\":%u", class->name);
#define WRITE_u8(name) WRITE_u32(name)
#define WRITE_mask(name) fprintf(out, ",\"" #name "\":\"%llu\"", (unsigned long long)class->name);
#define WRITE_flag(name) fprintf(out, ",\"" #name "\":%s", yes(class->name));
#define WRITE_KEY(type, name, value, min, max, meaning) WRITE_##type(name)
    PHX_CLASS_KEYS(WRITE_KEY)
#undef WRITE_KEY
#undef WRITE_flag
#undef WRITE_mask
#undef WRITE_u8
#undef WRITE_u32
#undef WRITE_f32
}

char *phx_class_text(uint32_t kind, const ph_class *class)
{
    json_text text;
    if (!begin(&text)) return NULL;
    fprintf(text.out, "{\"type\":\"class\",\"kind\":%u", kind);
    write_class_keys(text.out, class);
    fputs("}", text.out);
    return end(&text);
}

char *phx_lost_text(const uint64_t *tags, uint32_t count)
{
    json_text text;
    if (!begin(&text)) return NULL;
    fputs("{\"type\":\"lost\",\"tags\":[", text.out);
    for (uint32_t i = 0; i < count; i++) fprintf(text.out, "%s\"%llu\"", i > 0 ? "," : "", (unsigned long long)tags[i]);
    fputs("]}", text.out);
    return end(&text);
}

char *phx_line_text(const char *type, const char *line, size_t bytes)
{
    json_text text;
    if (!begin(&text)) return NULL;
    fprintf(text.out, "{\"type\":\"%s\",\"text\":", type);
    write_string(text.out, line, bytes);
    fputs("}", text.out);
    return end(&text);
}
