/*
 * A store's definition; see def.h.
 */
#include "store/def.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

ph_store_def ph_store_def_default(void)
{
    return (ph_store_def){.image_ticks = 1200, .images_kept = 3, .level = 1, .sync_ms = 100, .file_bytes = 64u << 20};
}

static ph_status refuse_text(char *reason, size_t size, const char *text)
{
    if (size > 0) snprintf(reason, size, "%s", text);
    return PH_BAD_DEF;
}

static ph_status check_number(const char *name, uint64_t value, uint64_t min, uint64_t max, char *reason, size_t size)
{
    if (value >= min && value <= max) return PH_OK;
    if (size > 0)
        snprintf(reason, size, "%s = %" PRIu64 " is outside [%" PRIu64 ", %" PRIu64 "]", name, value, min, max);
    return PH_BAD_DEF;
}

ph_status phx_store_check_place(const ph_store_def *def, char *reason, size_t reason_size)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    if (!def->folder || def->folder[0] == '\0') return refuse_text(reason, reason_size, "folder: it is not given");
    if (!def->name || def->name[0] == '\0') return refuse_text(reason, reason_size, "name: it is not given");
    const size_t bytes = strnlen(def->name, PH_STORE_NAME_MAX + 1);
    if (bytes > PH_STORE_NAME_MAX) return refuse_text(reason, reason_size, "name: it has more than 63 bytes");
    if (strspn(def->name, allowed) != bytes)
        return refuse_text(reason, reason_size, "name: it has another byte than letters, digits, - and _");
    return PH_OK;
}

ph_status phx_store_check(const ph_store_def *def, char *reason, size_t reason_size)
{
    uint64_t reserved = 0;
    for (uint32_t i = 0; i < sizeof def->reserved / sizeof *def->reserved; i++) reserved |= def->reserved[i];
    ph_status status = phx_store_check_place(def, reason, reason_size);
    if (status == PH_OK)
        status = check_number("images_kept", def->images_kept, 1, PH_STORE_IMAGES_MAX, reason, reason_size);
    if (status == PH_OK) status = check_number("level", def->level, 1, PH_STORE_LEVEL_MAX, reason, reason_size);
    if (status == PH_OK) status = check_number("sync_ms", def->sync_ms, 1, PH_STORE_SYNC_MAX, reason, reason_size);
    if (status == PH_OK && def->ring_bytes != 0)
        status = check_number("ring_bytes", def->ring_bytes, PH_STORE_RING_MIN, PH_STORE_RING_MAX, reason, reason_size);
    if (status == PH_OK)
        status = check_number("file_bytes", def->file_bytes, PH_STORE_RING_MIN, UINT64_MAX, reason, reason_size);
    if (status == PH_OK && reserved != 0) return refuse_text(reason, reason_size, "reserved: it is not 0");
    return status;
}
