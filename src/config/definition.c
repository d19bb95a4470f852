/*
 * Definitions as text; see definition.h.
 */
#include "config/definition.h"

#include <pharos/pharos.h>

#include "base/c_locale.h"
#include "config/config.h"
#include "config/value.h"

enum { ASSIGNMENT_SIZE = PH_NAME_SIZE + PH_BANDS_MAX * 2 * 32 + PHX_VALUE_SIZE };

/* ---- a file ---- */

static void write_class(const ph_class *class, FILE *out)
{
    char value[PHX_VALUE_SIZE], every[PHX_VALUE_SIZE];
    fprintf(out, "class %s {\n", class->name);
    for (uint32_t i = 0; i < PHX_CLASS_KEY_COUNT; i++)
        fprintf(out, "    %s = %s\n", phx_config_class_keys[i].name,
                phx_value_write(&phx_config_class_keys[i], class, value));
    for (uint32_t i = 0; i < class->band_count; i++)
        fprintf(out, "    band { radius = %s every = %s }\n",
                phx_value_write(&phx_config_band_keys[PHX_BAND_KEY_radius], &class->bands[i], value),
                phx_value_write(&phx_config_band_keys[PHX_BAND_KEY_every], &class->bands[i], every));
    fputs("}\n", out);
}

bool phx_definition_write(const ph_world_def *def, FILE *out)
{
    char value[PHX_VALUE_SIZE];
    const phx_c_locale scope = phx_c_locale_begin();
    for (uint32_t i = 0; i < PHX_WORLD_KEY_COUNT; i++)
        fprintf(out, "%s = %s\n", phx_config_world_keys[i].name,
                phx_value_write(&phx_config_world_keys[i], def, value));
    for (uint32_t i = 0; i < def->class_count; i++) write_class(&def->classes[i], out);
    phx_c_locale_end(scope);
    return fflush(out) == 0 && !ferror(out);
}

/* ---- assignments ---- */

typedef struct changes {
    phx_assignment_fn assign;
    void *user;
    const char *class_name; /* NULL: of the world */
} changes;

/* Keys with different values. */
static void tell_keys(const changes *to, const phx_key *keys, uint32_t count, const void *was, const void *now)
{
    char before[PHX_VALUE_SIZE], value[PHX_VALUE_SIZE], text[ASSIGNMENT_SIZE];
    for (uint32_t i = 0; i < count; i++) {
        if (!keys[i].live || strcmp(phx_value_write(&keys[i], was, before), phx_value_write(&keys[i], now, value)) == 0)
            continue;
        (void)snprintf(text, sizeof text, "%s%s%s=%s", to->class_name ? to->class_name : "", to->class_name ? "." : "",
                       keys[i].name, value);
        to->assign(to->user, text);
    }
}

/* NAME.band=RADIUS:EVERY,...; without any: none */
static void tell_bands(const changes *to, const ph_class *was, const ph_class *now)
{
    char text[ASSIGNMENT_SIZE], radius[PHX_VALUE_SIZE];
    bool same = was->band_count == now->band_count;
    for (uint32_t i = 0; same && i < now->band_count; i++)
        same = was->bands[i].radius == now->bands[i].radius && was->bands[i].every == now->bands[i].every;
    if (same) return;
    int used = snprintf(text, sizeof text, "%s.band=%s", now->name, now->band_count > 0 ? "" : "none");
    for (uint32_t i = 0; i < now->band_count; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%s%s:%u", i > 0 ? "," : "",
                         phx_value_write(&phx_config_band_keys[PHX_BAND_KEY_radius], &now->bands[i], radius),
                         now->bands[i].every);
    PHX_ASSERT((size_t)used < sizeof text);
    to->assign(to->user, text);
}

void phx_definition_changes(const ph_world_def *was, const ph_world_def *now, phx_assignment_fn assign, void *user)
{
    changes to = {assign, user, NULL};
    const phx_c_locale scope = phx_c_locale_begin();
    PHX_ASSERT(was->class_count <= now->class_count);
    tell_keys(&to, phx_config_world_keys, PHX_WORLD_KEY_COUNT, was, now);
    for (uint32_t i = 0; i < now->class_count; i++) {
        char made[ASSIGNMENT_SIZE];
        const ph_class fresh = ph_class_default("");
        const ph_class *before = i < was->class_count ? &was->classes[i] : &fresh;
        to.class_name = now->classes[i].name;
        if (i >= was->class_count) { /* an assignment of any attribute makes it: all may be the defaults */
            (void)snprintf(made, sizeof made, "%s.band=none", to.class_name);
            assign(user, made);
        }
        tell_keys(&to, phx_config_class_keys, PHX_CLASS_KEY_COUNT, before, &now->classes[i]);
        tell_bands(&to, before, &now->classes[i]);
    }
    phx_c_locale_end(scope);
}
