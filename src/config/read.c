/*
 * Between libconfuse and a ph_config: the options, made from base/keys.h, and the
 * callbacks that put each value into its field while its line is known. libconfuse gives
 * the syntax, sections, lists, unknown and missing things; values and ranges are ours.
 */
#include "config/read.h"

#include <pthread.h>
#include <stdlib.h>

#include <confuse.h>
#include <pharos/pharos.h>

#include "config/error.h"
#include "config/scan.h"
#include "config/value.h"

#define SECTION "class"
#define BAND "band"

typedef struct reader {
    ph_config *config;
    const char *name;
    uint32_t source;
    ph_config_error *error;
    ph_status status; /* of the first thing that went wrong */
    cfg_t *root;
    uint32_t sections;   /* that were begun */
    uint32_t kind;       /* of the one begun last */
    const phx_key *half; /* a pair without its second value yet */
    uint32_t half_line;
    bool world_seen[PHX_WORLD_KEY_COUNT];                  /* in this text */
    bool class_seen[PHX_CLASS_KEY_COUNT];                  /* in this section */
    bool band_seen[PHX_BAND_KEY_COUNT];                    /* in this band */
    bool section_seen[PHX_SECTIONS][PHX_SECTION_KEYS_MAX]; /* in this text, which has one of each */
    bool bands_begun;                                      /* in this section: earlier ones are gone */
    ph_band band;
    phx_text_scan scan;
} reader;

/* libconfuse has one lexer for the process, and no context for its callbacks: they find it here. */
static pthread_mutex_t lexer_mutex = PTHREAD_MUTEX_INITIALIZER;
static reader *active; /* while lexer_mutex is held */

/* ================================= reasons ================================= */

/* Only the first reason counts: the rest follows from it. */
__attribute__((format(printf, 4, 5))) static bool fail(reader *r, ph_status status, uint32_t line, const char *format,
                                                       ...)
{
    va_list list;

    if (r->status == PH_OK) {
        va_start(list, format);
        r->status = phx_config_error_list(r->error, status, r->name, line, format, list);
        va_end(list);
    }
    return false;
}

static uint32_t line_of(const cfg_t *section)
{
    return section->line > 0 ? (uint32_t)section->line : 1;
}

static void on_error(cfg_t *section, const char *format, va_list list)
{
    reader *r = active;

    if (r->status == PH_OK) {
        r->status = phx_config_error_list(r->error, PH_BAD_DEF, r->name, line_of(section), format, list);
    }
}

static bool check_half(reader *r)
{
    if (r->half == NULL) {
        return true;
    }
    return fail(r, PH_BAD_DEF, r->half_line, "%s takes 2 values, {a, b}", r->half->name);
}

/* ================================= values ================================= */

/* One value of a key: element i of it. */
static bool take_value(reader *r, const phx_key *key, bool *seen, void *base, phx_key_origin *origin, uint32_t i,
                       uint32_t line, const char *text)
{
    char reason[PHX_VALUE_REASON_SIZE];

    if (i == 0 && !check_half(r)) {
        return false;
    }
    if (i == 0 && *seen) {
        return fail(r, PH_BAD_DEF, line, "%s is there a second time", key->name);
    }
    if (i >= phx_key_width(key->type)) {
        return phx_key_is_list(key->type)
                   ? fail(r, PH_BAD_DEF, line, "%s takes at most %d values", key->name, PHX_SERVERS_MAX)
                   : fail(r, PH_BAD_DEF, line, "%s takes 2 values, {a, b}", key->name);
    }
    if (!phx_value_read(key, base, i, text, reason)) {
        return fail(r, PH_BAD_DEF, line, "%s", reason);
    }
    *seen = true;
    *origin = (phx_key_origin){r->source, line};
    r->half = !phx_key_is_list(key->type) && i + 1 < phx_key_width(key->type) ? key : NULL;
    r->half_line = line;
    return true;
}

/* Steps into the section that libconfuse is in, if it is another one than before. */
static bool enter_section(reader *r, const char *title)
{
    uint32_t section = cfg_size(r->root, SECTION);
    const char *bad = phx_config_bad_name(title);
    uint32_t line;

    PHX_ASSERT(section >= r->sections && section <= r->scan.section_count);
    if (section == r->sections) {
        return true;
    }
    line = r->scan.section_lines[section - 1];
    if (!check_half(r)) {
        return false;
    }
    if (bad != NULL) {
        return fail(r, PH_BAD_DEF, line, "%s", bad);
    }
    r->sections = section;
    r->kind = phx_config_find_class(r->config, title);
    memset(r->class_seen, 0, sizeof r->class_seen);
    r->bands_begun = false;
    if (r->kind < r->config->def.class_count) {
        return true;
    }
    if (r->kind == PH_KINDS_MAX) {
        return fail(r, PH_BAD_DEF, line, "more than %d classes", PH_KINDS_MAX);
    }
    return phx_config_add_class(r->config, title) || fail(r, PH_NO_MEMORY, line, "out of memory");
}

/* The class section that libconfuse is in. */
static bool enter_class(reader *r)
{
    cfg_opt_t *classes = cfg_getopt(r->root, SECTION);

    return enter_section(r, cfg_title(cfg_opt_getnsec(classes, cfg_opt_size(classes) - 1)));
}

static bool take_band_value(reader *r, cfg_t *section, const char *name, uint32_t i, const char *text)
{
    phx_key_origin origin; /* a band has one for both, from where it ends */
    uint32_t key = 0;

    while (strcmp(phx_config_band_keys[key].name, name) != 0) {
        key++;
        PHX_ASSERT(key < PHX_BAND_KEY_COUNT);
    }
    return enter_class(r) &&
           take_value(r, &phx_config_band_keys[key], &r->band_seen[key], &r->band, &origin, i, line_of(section), text);
}

/* Of a section without a title. */
static bool take_section_value(reader *r, uint32_t number, cfg_t *section, const char *name, uint32_t i,
                               const char *text)
{
    const phx_key *key = phx_config_section_key(number, name);
    size_t place;

    PHX_ASSERT(key != NULL);
    place = (size_t)(key - phx_config_sections[number].keys);
    return take_value(r, key, &r->section_seen[number][place], phx_config_section_values(r->config, number),
                      &r->config->section_origins[number][place], i, line_of(section), text);
}

/* libconfuse met a value of the option; of a list, the next one. */
static int on_value(cfg_t *section, cfg_opt_t *option, const char *text, void *result)
{
    reader *r = active;
    uint32_t i = option->nvalues - 1;
    const uint32_t number = phx_config_section(cfg_name(section), strlen(cfg_name(section)));
    const phx_key *key;
    bool good;

    if (section == r->root) {
        key = phx_config_world_key(option->name);
        PHX_ASSERT(key != NULL);
        good = take_value(r, key, &r->world_seen[key - phx_config_world_keys], &r->config->def,
                          &r->config->origins[key - phx_config_world_keys], i, line_of(section), text);
    } else if (strcmp(cfg_name(section), BAND) == 0) {
        good = take_band_value(r, section, option->name, i, text);
    } else if (number < PHX_SECTIONS) {
        good = take_section_value(r, number, section, option->name, i, text);
    } else {
        key = phx_config_class_key(option->name);
        PHX_ASSERT(key != NULL);
        good =
            enter_section(r, cfg_title(section)) &&
            take_value(r, key, &r->class_seen[key - phx_config_class_keys], &r->config->classes[r->kind],
                       &r->config->class_origins[r->kind].of[key - phx_config_class_keys], i, line_of(section), text);
    }
    *(const char **)result = text;
    return good ? 0 : -1;
}

/* A band is at its end: it comes behind the bands that this text had for the class before. */
static int on_band(cfg_t *section, cfg_opt_t *option)
{
    reader *r = active;
    uint32_t line = line_of(cfg_opt_getnsec(option, cfg_opt_size(option) - 1));
    ph_class *class;

    (void)section;
    if (!enter_class(r)) {
        return -1;
    }
    class = &r->config->classes[r->kind];
    if (!r->bands_begun) {
        class->band_count = 0;
        memset(class->bands, 0, sizeof class->bands);
        r->bands_begun = true;
    }
    for (uint32_t key = 0; key < PHX_BAND_KEY_COUNT; key++) {
        if (!r->band_seen[key]) {
            fail(r, PH_BAD_DEF, line, "a band has no %s", phx_config_band_keys[key].name);
            return -1;
        }
    }
    if (class->band_count == PH_BANDS_MAX) {
        fail(r, PH_BAD_DEF, line, "more than %d bands", PH_BANDS_MAX);
        return -1;
    }
    if (class->band_count > 0 && r->band.radius <= class->bands[class->band_count - 1].radius) {
        fail(r, PH_BAD_DEF, line, "the radius of a band is not above that of the band before");
        return -1;
    }
    r->config->class_origins[r->kind].bands[class->band_count] = (phx_key_origin){r->source, line};
    class->bands[class->band_count++] = r->band;
    memset(r->band_seen, 0, sizeof r->band_seen);
    return 0;
}

/* A section is at its end; an empty one is seen here first. */
static int on_section(cfg_t *root, cfg_opt_t *option)
{
    cfg_t *section = cfg_opt_getnsec(option, cfg_opt_size(option) - 1);

    (void)root;
    return enter_section(active, cfg_title(section)) && check_half(active) ? 0 : -1;
}

/* ================================= the parse ================================= */

#define OPTION_ONE(name) CFG_STR_CB(#name, NULL, CFGF_NODEFAULT, on_value),
#define OPTION_MANY(name) CFG_STR_LIST_CB(#name, NULL, CFGF_NODEFAULT, on_value),
#define OPTION_f32 OPTION_ONE
#define OPTION_f64 OPTION_ONE
#define OPTION_u32 OPTION_ONE
#define OPTION_u64 OPTION_ONE
#define OPTION_u8 OPTION_ONE
#define OPTION_range OPTION_ONE
#define OPTION_shape OPTION_ONE
#define OPTION_index OPTION_ONE
#define OPTION_simd OPTION_ONE
#define OPTION_mask OPTION_ONE
#define OPTION_flag OPTION_ONE
#define OPTION_bytes OPTION_ONE
#define OPTION_ring OPTION_ONE
#define OPTION_path OPTION_ONE
#define OPTION_label OPTION_ONE
#define OPTION_store_loss OPTION_ONE
#define OPTION_u16 OPTION_ONE
#define OPTION_u32_or_0 OPTION_ONE
#define OPTION_f32x2 OPTION_MANY
#define OPTION_u32x2 OPTION_MANY
#define OPTION_nats OPTION_MANY
#define OPTION_etcd OPTION_MANY
#define WORLD_OPTION(type, name, a, b, min, max, live, meaning) OPTION_##type(name)
#define CLASS_OPTION(type, name, value, min, max, meaning) OPTION_##type(name)
#define BAND_OPTION CLASS_OPTION
#define STORE_OPTION CLASS_OPTION
#define CLUSTER_OPTION(type, name, a, b, min, max, meaning) OPTION_##type(name)

static cfg_t *make_parser(void)
{
    cfg_opt_t band_options[] = {PHX_BAND_KEYS(BAND_OPTION) CFG_END()};
    cfg_opt_t class_options[] = {PHX_CLASS_KEYS(CLASS_OPTION) CFG_SEC(BAND, band_options, CFGF_MULTI), CFG_END()};
    cfg_opt_t store_options[] = {PHX_STORE_KEYS(STORE_OPTION) CFG_END()};
    cfg_opt_t cluster_options[] = {PHX_CLUSTER_KEYS(CLUSTER_OPTION) CFG_END()};
    cfg_opt_t options[] = {PHX_WORLD_KEYS(WORLD_OPTION)
                               CFG_SEC(SECTION, class_options, CFGF_MULTI | CFGF_TITLE | CFGF_NO_TITLE_DUPES),
                           CFG_SEC(PHX_STORE_SECTION, store_options, CFGF_NONE),
                           CFG_SEC(PHX_CLUSTER_SECTION, cluster_options, CFGF_NONE), CFG_END()};
    cfg_t *root;

    class_options[PHX_CLASS_KEY_COUNT].validcb = on_band;
    root = cfg_init(options, CFGF_NONE); /* copies them */

    if (root != NULL) {
        (void)cfg_set_error_function(root, on_error);
        cfg_getopt(root, SECTION)->validcb = on_section;
    }
    return root;
}

static bool parse(reader *r, char *text, size_t length)
{
    FILE *file = fmemopen(text, length, "r");

    if (file == NULL) {
        return fail(r, PH_NO_MEMORY, 0, "out of memory");
    }
    r->root = make_parser();
    if (r->root == NULL) {
        fclose(file);
        return fail(r, PH_NO_MEMORY, 0, "out of memory");
    }
    if (cfg_parse_fp(r->root, file) != CFG_SUCCESS) {
        fail(r, PH_BAD_DEF, line_of(r->root), "this can not be read"); /* unless there is a better reason */
    }
    cfg_free(r->root);
    fclose(file);
    return r->status == PH_OK && check_half(r);
}

/* The last line of this text that set one of the keys in the reason. */
static uint32_t line_of_reason(const reader *r, const char *reason)
{
    uint32_t line = 0, count;
    const phx_key_origin *origins;
    const phx_key *keys = phx_config_keys_of(r->config, reason, &count, &origins);

    for (uint32_t i = 0; i < count; i++) {
        if (origins[i].source == r->source && origins[i].line > line && strstr(reason, keys[i].name) != NULL) {
            line = origins[i].line;
        }
    }
    return line;
}

/* The rules between keys, which no single value shows. */
static bool check_together(reader *r)
{
    char reason[PHX_VALUE_REASON_SIZE];

    if (phx_config_check(r->config, reason, sizeof reason) == PH_OK) {
        return true;
    }
    return fail(r, PH_BAD_DEF, line_of_reason(r, reason), "%s", reason);
}

ph_status phx_read_text(ph_config *staged, const char *name, char *text, size_t length, ph_config_error *error)
{
    reader *r = calloc(1, sizeof *r);
    ph_status status;

    if (r == NULL) {
        return phx_config_error(error, PH_NO_MEMORY, name, 0, "out of memory");
    }
    *r = (reader){.config = staged, .name = name, .error = error, .status = PH_OK};
    if (!phx_config_file(staged, name, &r->source, &status)) {
        free(r);
        return phx_config_error(error, status, name, 0,
                                status == PH_NO_MEMORY ? "out of memory" : "more files than one config can remember");
    }
    if (!phx_scan_text(text, length, &r->scan)) {
        fail(r, PH_BAD_DEF, r->scan.error_line, "%s", r->scan.reason);
    } else if (r->scan.length > 0) { /* fmemopen() has no empty files */
        pthread_mutex_lock(&lexer_mutex);
        active = r;
        (void)(parse(r, text, r->scan.length) && check_together(r));
        active = NULL;
        pthread_mutex_unlock(&lexer_mutex);
    }
    status = r->status;
    free(r);
    return status;
}
