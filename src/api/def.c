/*
 * The world's definition: its defaults, its checks and the keys that can change while a
 * world lives; all made from the lists of base/keys.h. Called by hosts before a world is
 * made or reconfigured, by the config library, and by ph_world_create() and
 * ph_world_reconfigure(). Reads no state but the table of crews; any thread, outside of ticks.
 */
#include "api/def.h"

#include <stdarg.h>

#include <pharos/pharos.h>

#include "api/handles.h"
#include "base/c_locale.h"
#include "base/key_text.h"
#include "base/lengths.h"
#include "base/simd.h"
#include "base/tower_choice.h"
#include "shards/classical/registry.h"
#include "shards/index/index.h"

/* ph_world_def.cookie: tells a definition made by ph_world_def_default() from mere memory. */
#define DEF_COOKIE 0x50484431u /* "PHD1" */

static const phx_key world_keys[PHX_WORLD_KEY_COUNT] = PHX_WORLD_KEY_TABLE;
static const phx_key class_keys[PHX_CLASS_KEY_COUNT] = PHX_CLASS_KEY_TABLE;
static const phx_key band_keys[PHX_BAND_KEY_COUNT] = PHX_BAND_KEY_TABLE;

/* ================================ defaults ================================ */

#define WORLD_INIT_f32(name, a, b) .name = (float)(a),
#define WORLD_INIT_f64(name, a, b) .name = (a),
#define WORLD_INIT_u32(name, a, b) .name = (a),
#define WORLD_INIT_u64 WORLD_INIT_u32
#define WORLD_INIT_flag WORLD_INIT_u32
#define WORLD_INIT_f32x2(name, a, b) .name = {(float)(a), (float)(b)},
#define WORLD_INIT_u32x2(name, a, b) .name = {(a), (b)},
#define WORLD_INIT_range WORLD_INIT_u32
#define WORLD_INIT_shape WORLD_INIT_u32
#define WORLD_INIT_index WORLD_INIT_u32
#define WORLD_INIT_simd WORLD_INIT_u32
#define WORLD_INIT(type, name, a, b, min, max, live, meaning) WORLD_INIT_##type(name, a, b)

#define CLASS_INIT(type, name, value, min, max, meaning) .name = (value),

static const ph_class class_default = {.name = "default", PHX_CLASS_KEYS(CLASS_INIT)};

ph_world_def ph_world_def_default(void)
{
    ph_world_def def = {.cookie = DEF_COOKIE, PHX_WORLD_KEYS(WORLD_INIT)};

    def.classes = &class_default;
    def.class_count = 1;
    return def;
}

ph_class ph_class_default(const char *name)
{
    ph_class class = class_default;

    memset(class.name, 0, sizeof class.name);
    if (name != NULL) {
        memcpy(class.name, name, strnlen(name, sizeof class.name - 1));
    }
    return class;
}

/* ================================= checks ================================= */

/* Where the reason goes; text may be NULL. */
typedef struct def_reason {
    char *text;
    size_t size;
} def_reason;

__attribute__((format(printf, 2, 3))) static ph_status refuse(def_reason reason, const char *format, ...)
{
    va_list list;

    if (reason.text != NULL && reason.size > 0) {
        va_start(list, format);
        (void)vsnprintf(reason.text, reason.size, format, list);
        va_end(list);
    }
    return PH_BAD_DEF;
}

typedef struct number_text {
    char bytes[PHX_NUMBER_SIZE];
} number_text;

static number_text f32_text(float value)
{
    number_text text;

    phx_number_write((double)value, false, text.bytes, sizeof text.bytes);
    return text;
}

/* Towers along an axis, at least 1; may be far above the limit. */
static double towers_along(const ph_world_def *def, uint32_t axis, float side)
{
    double towers = (double)def->world_size[axis] / (double)side;
    double whole = towers < 0x1p53 ? (double)(uint64_t)towers : towers; /* from 2^53 on every double is whole */

    whole = whole < towers ? whole + 1 : whole; /* ceil(), without libm for this alone */
    PHX_ASSERT(towers > 0 && whole >= 1);
    return whole;
}

/* One key of the world (prefix "") or of a class. */
static ph_status check_key(const phx_key *key, const void *base, const char *prefix, def_reason reason)
{
    char range[PHX_RANGE_TEXT_SIZE];
    number_text text[2];
    uint32_t width = phx_key_width(key->type);
    bool good = true;

    if (phx_key_is_64_bit(key->type) || key->type == PHX_KEY_flag) {
        return PH_OK;
    }
    for (uint32_t i = 0; i < width; i++) {
        good = good && phx_key_in_range(key, phx_key_number(key, base, i));
    }
    if (good) {
        return PH_OK;
    }
    for (uint32_t i = 0; i < width; i++) {
        phx_number_write(phx_key_number(key, base, i), phx_key_is_f64(key->type), text[i].bytes, PHX_NUMBER_SIZE);
    }
    phx_key_range_text(key, range);
    if (width == 2) {
        return refuse(reason, "%s%s = {%s, %s} is outside %s", prefix, key->name, text[0].bytes, text[1].bytes, range);
    }
    return refuse(reason, "%s%s = %s is outside %s", prefix, key->name, text[0].bytes, range);
}

/* The towers, of the side that the world will have, and the shards; classes are good already. */
static ph_status check_towers(const ph_world_def *def, def_reason reason)
{
    static const char axis_name[2] = {'x', 'y'};
    const float chosen = phx_tower_side(def, phx_views_of_classes(def));
    number_text width = f32_text(def->world_size[0]);
    number_text height = f32_text(def->world_size[1]);
    number_text side = f32_text(chosen);

    for (uint32_t axis = 0; axis < 2; axis++) {
        double towers = towers_along(def, axis, chosen);

        if (towers > PH_TOWERS_AXIS_MAX) {
            return refuse(reason, "tower_size = %s: %.9g towers along %c of world_size = {%s, %s} is outside [1, %d]",
                          side.bytes, towers, axis_name[axis], width.bytes, height.bytes, PH_TOWERS_AXIS_MAX);
        }
        if (def->shards[axis] > towers) {
            return refuse(reason,
                          "shards = {%u, %u}: %u along %c is outside [1, %.9g], one a tower "
                          "(world_size = {%s, %s}, tower_size = %s)",
                          def->shards[0], def->shards[1], def->shards[axis], axis_name[axis], towers, width.bytes,
                          height.bytes, side.bytes);
        }
    }
    return PH_OK;
}

/* Rules between fields; each field by itself is good already. */
static ph_status check_together(const ph_world_def *def, def_reason reason)
{
    uint32_t shards = def->shards[0] * def->shards[1];

    PHX_ASSERT(def->shards[0] <= PH_SHARDS_MAX && def->shards[1] <= PH_SHARDS_MAX);
    if (shards > PH_SHARDS_MAX) {
        return refuse(reason, "shards = {%u, %u}: %u in all is outside [1, %d]", def->shards[0], def->shards[1], shards,
                      PH_SHARDS_MAX);
    }
    if (def->crowd_entities > 0 && def->range == PH_RANGE_TOWERS) {
        return refuse(reason, "crowd_entities = %u: range = towers has no views to shrink; it is for range = radius",
                      def->crowd_entities);
    }
    if (def->crew.index1 != 0 && phx_resolve_crew(def->crew) == NULL) {
        return refuse(reason, "crew = {%u, %u}: there is no such crew, or no more", def->crew.index1,
                      def->crew.generation);
    }
    if (def->index != PH_INDEX_LIGHTHOUSE) {
        static const char *const words[] = {PHX_INDEX_WORDS};
        const phx_index_ops *ops = phx_index_ops_of(def->index);
        if (ops == NULL) {
            return refuse(reason, "index = %s: it is not built in", words[def->index]);
        }
        if (def->range == PH_RANGE_TOWERS && !ops->serves_towers) {
            return refuse(reason, "index = %s does not serve range = towers; it is for range = radius",
                          words[def->index]);
        }
    }
    if (!phx_simd_supported(def->simd)) {
        static const char *const words[] = {PHX_SIMD_WORDS};
        return refuse(reason, "simd = %s: this machine does not have it", words[def->simd]);
    }
    return PH_OK;
}

static ph_status check_class_name(const ph_class *class, uint32_t kind, def_reason reason)
{
    size_t length = strnlen(class->name, sizeof class->name);

    if (length == sizeof class->name) {
        return refuse(reason, "class %u: its name has no end; it may be %d bytes", kind, PH_NAME_SIZE - 1);
    }
    if (length == 0) {
        return refuse(reason, "class %u: its name is empty; it must be 1 to %d bytes", kind, PH_NAME_SIZE - 1);
    }
    for (size_t i = 0; i < length; i++) {
        if (!phx_is_name_byte(class->name[i])) {
            return refuse(reason, "class %u: byte 0x%02x in its name is none of letters, digits, '_', '-' and '.'",
                          kind, (unsigned)(unsigned char)class->name[i]);
        }
    }
    if (kind == 0 && strcmp(class->name, "default") != 0) {
        return refuse(reason, "class 0 is named '%s'; the first one must be 'default'", class->name);
    }
    return PH_OK;
}

/* The bands of a class: each by itself, and their radii ascending. */
static ph_status check_bands(const ph_class *class, uint32_t kind, def_reason reason)
{
    char prefix[PH_NAME_SIZE + 64];

    if (class->band_count > PH_BANDS_MAX) {
        return refuse(reason, "class %u '%s': band_count = %u is outside [0, %d]", kind, class->name, class->band_count,
                      PH_BANDS_MAX);
    }
    for (uint32_t band = 0; band < class->band_count; band++) {
        snprintf(prefix, sizeof prefix, "class %u '%s': band %u: ", kind, class->name, band + 1);
        for (uint32_t i = 0; i < PHX_BAND_KEY_COUNT; i++) {
            ph_status status = check_key(&band_keys[i], &class->bands[band], prefix, reason);
            if (status != PH_OK) {
                return status;
            }
        }
        if (band > 0 && class->bands[band].radius <= class->bands[band - 1].radius) {
            return refuse(reason, "%sradius = %s is not above that of the band before, %s", prefix,
                          f32_text(class->bands[band].radius).bytes, f32_text(class->bands[band - 1].radius).bytes);
        }
    }
    return PH_OK;
}

static uint32_t name_hash(const char *name)
{
    uint32_t hash = 2166136261u; /* FNV-1a */

    for (; *name != '\0'; name++) {
        hash = (hash ^ (unsigned char)*name) * 16777619u;
    }
    return hash;
}

/* Twice as many slots as classes keep the runs short; as it must know nothing of memory, they stand on the stack. */
enum { NAME_SLOTS = 2 * PH_KINDS_MAX };
_Static_assert((NAME_SLOTS & (NAME_SLOTS - 1)) == 0 && PH_KINDS_MAX < UINT16_MAX, "slots hold kind + 1, by mask");

static ph_status check_names_unique(const ph_world_def *def, def_reason reason)
{
    uint16_t slots[NAME_SLOTS] = {0};

    PHX_ASSERT(def->class_count <= PH_KINDS_MAX);
    for (uint32_t kind = 0; kind < def->class_count; kind++) {
        const char *name = def->classes[kind].name;
        uint32_t slot = name_hash(name) & (NAME_SLOTS - 1);

        for (; slots[slot] != 0; slot = (slot + 1) & (NAME_SLOTS - 1)) {
            if (strcmp(def->classes[slots[slot] - 1].name, name) == 0) {
                return refuse(reason, "class %u: the name '%s' is taken by class %d", kind, name, slots[slot] - 1);
            }
        }
        slots[slot] = (uint16_t)(kind + 1);
    }
    return PH_OK;
}

static ph_status check_classes(const ph_world_def *def, def_reason reason)
{
    char prefix[PH_NAME_SIZE + 32];

    if (def->class_count < 1 || def->class_count > PH_KINDS_MAX) {
        return refuse(reason, "class_count = %u is outside [1, %d]", def->class_count, PH_KINDS_MAX);
    }
    if (def->classes == NULL) {
        return refuse(reason, "classes is NULL; it must be the class_count = %u classes", def->class_count);
    }
    for (uint32_t kind = 0; kind < def->class_count; kind++) {
        const ph_class *class = &def->classes[kind];
        ph_status status = check_class_name(class, kind, reason);

        if (status == PH_OK) {
            snprintf(prefix, sizeof prefix, "class %u '%s': ", kind, class->name);
        }
        for (uint32_t i = 0; i < PHX_CLASS_KEY_COUNT && status == PH_OK; i++) {
            status = check_key(&class_keys[i], class, prefix, reason);
        }
        if (status == PH_OK && !phx_is_zero(class->reserved, sizeof class->reserved)) {
            status = refuse(reason, "%sreserved is not 0", prefix);
        }
        if (status == PH_OK) {
            status = check_bands(class, kind, reason);
        }
        if (status != PH_OK) {
            return status;
        }
    }
    return check_names_unique(def, reason);
}

/* Words for later versions in the structs that the definition has. */
static ph_status check_hooks(const ph_world_def *def, def_reason reason)
{
    const char *wrong = NULL;

    if (!phx_is_zero(def->batches.reserved, sizeof def->batches.reserved)) wrong = "batches";
    if (!phx_is_zero(def->tasks.reserved, sizeof def->tasks.reserved)) wrong = "tasks";
    if (!phx_is_zero(def->allocator.reserved, sizeof def->allocator.reserved)) wrong = "allocator";
    return wrong ? refuse(reason, "%s: reserved is not 0", wrong) : PH_OK;
}

static ph_status check_all(const ph_world_def *def, def_reason reason)
{
    ph_status status;

    if (def->cookie != DEF_COOKIE) {
        return refuse(reason, "cookie = 0x%08x is not 0x%08x: the definition was not made by ph_world_def_default()",
                      def->cookie, DEF_COOKIE);
    }
    for (uint32_t i = 0; i < PHX_WORLD_KEY_COUNT; i++) {
        status = check_key(&world_keys[i], def, "", reason);
        if (status != PH_OK) {
            return status;
        }
    }
    if (!phx_is_zero(def->reserved, sizeof def->reserved) ||
        !phx_is_zero(def->reserved_bytes, sizeof def->reserved_bytes)) {
        return refuse(reason, "reserved is not 0");
    }
    status = check_together(def, reason);
    if (status == PH_OK) {
        status = check_classes(def, reason);
    }
    if (status == PH_OK) {
        status = check_towers(def, reason);
    }
    if (status == PH_OK && (def->allocator.allocate == NULL) != (def->allocator.release == NULL)) {
        status = refuse(reason, "allocator: %s is NULL; both functions must be there, or neither",
                        def->allocator.allocate == NULL ? "allocate" : "release");
    }
    return status == PH_OK ? check_hooks(def, reason) : status;
}

ph_status ph_world_def_check(const ph_world_def *def, char *reason, size_t reason_size)
{
    def_reason to = {reason, reason_size};
    phx_c_locale scope;
    ph_status status;

    if (reason != NULL && reason_size > 0) {
        reason[0] = '\0';
    }
    if (def == NULL) {
        return refuse(to, "the definition is NULL");
    }
    scope = phx_c_locale_begin();
    status = check_all(def, to);
    phx_c_locale_end(scope);
    return status;
}

bool phx_def_is_ours(const ph_world_def *def)
{
    return def->cookie == DEF_COOKIE;
}

/* ============================= live differences ============================= */

/*
 * tower_size = 0 asks for nothing else than there is, but where `wanted` makes events depend on towers that the library
 * chose: an image of the world would not have them.
 */
static bool towers_stay(const ph_world_def *now, const ph_world_def *wanted)
{
    const bool kept = phx_is_long(now->tower_size) || !phx_towers_decide(wanted);

    return !phx_is_long(wanted->tower_size) && kept;
}

bool phx_def_live_difference(const ph_world_def *now, const ph_world_def *wanted, const char **name)
{
    PHX_ASSERT(now != NULL && wanted != NULL && name != NULL);
    PHX_ASSERT(now->cookie == DEF_COOKIE && wanted->cookie == DEF_COOKIE);
    for (uint32_t i = 0; i < PHX_WORLD_KEY_COUNT; i++) {
        const phx_key *key = &world_keys[i];
        bool compared = !key->live && key->offset != offsetof(ph_world_def, workers);

        if (phx_key_is_64_bit(key->type)) {
            if (compared && phx_key_64_bit(key, now) != phx_key_64_bit(key, wanted)) {
                *name = key->name;
                return true;
            }
            continue;
        }
        for (uint32_t j = 0; compared && j < phx_key_width(key->type); j++) {
            double before = phx_key_number(key, now, j);
            double after = phx_key_number(key, wanted, j);

            if (key->offset == offsetof(ph_world_def, tower_size)) {
                const bool same = before >= after && before <= after && phx_is_long(wanted->tower_size);

                if (!same && !towers_stay(now, wanted)) {
                    *name = key->name;
                    return true;
                }
            } else if (before < after || before > after) {
                *name = key->name;
                return true;
            }
        }
    }
    for (uint32_t kind = 0; kind < now->class_count; kind++) {
        if (kind >= wanted->class_count || strcmp(now->classes[kind].name, wanted->classes[kind].name) != 0) {
            *name = "class";
            return true;
        }
    }
    return false;
}
