/*
 * A world of the newest image that is whole; see pharos/store.h. The calling thread; the folder is only read.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/def.h"
#include "store/folder.h"
#include "store/image_file.h"

/* One call of ph_store_recover(). */
typedef struct recovery {
    phx_folder folder;
    phx_ticks images;
    const ph_load_options *options;
    char *reason;
    size_t reason_size;
} recovery;

/* An image that another process's store has pruned since the folder was listed is none that is bad. */
static bool is_damage(ph_status status)
{
    return status == PH_BAD_IMAGE || status == PH_IO;
}

/* Loads the newest image that can be loaded. */
static ph_status load_newest(recovery *at, ph_world *world, uint64_t *tick)
{
    ph_status first = PH_EMPTY;
    for (size_t i = 0; i < at->images.count; i++) {
        char line[PH_STORE_REASON_SIZE] = "";
        char *path = phx_folder_file(&at->folder, at->images.at[i], PHX_STORE_IMAGE);
        if (!path) return PH_NO_MEMORY;
        const ph_status status = phx_image_file_load(path, at->options, world, line, sizeof line);
        if (status != PH_OK && first == PH_EMPTY && at->reason_size > 0)
            snprintf(at->reason, at->reason_size, "%s: %s", path, line);
        free(path);
        *tick = at->images.at[i];
        if (!is_damage(status)) return status;
        if (first == PH_EMPTY) first = status;
    }
    return first;
}

ph_status ph_store_recover(const ph_store_def *def, const ph_load_options *options, ph_world *world, uint64_t *tick,
                           char *reason, size_t reason_size)
{
    recovery at = {.options = options, .reason = reason, .reason_size = reason ? reason_size : 0};
    uint64_t found = 0;
    if (at.reason_size > 0) reason[0] = '\0';
    if (tick) *tick = 0;
    if (!world) return PH_BAD_ARGUMENT;
    *world = (ph_world){0};
    if (!def) return PH_BAD_ARGUMENT;
    ph_status status = phx_store_check_place(def, reason, at.reason_size);
    if (status != PH_OK) return status;
    if (phx_folder_init(&at.folder, def->folder, def->name)) {
        const int error = phx_folder_list(&at.folder, PHX_STORE_IMAGE, &at.images);
        status = error == 0 ? load_newest(&at, world, &found) : error == ENOMEM ? PH_NO_MEMORY : PH_IO;
        if (error != 0 && at.reason_size > 0) {
            char text[128];
            snprintf(reason, at.reason_size, "%s: %s", def->folder, strerror_r(error, text, sizeof text));
        }
    } else status = PH_NO_MEMORY;
    free(at.images.at);
    phx_folder_free(&at.folder);
    if (status == PH_OK && tick) *tick = found;
    return status;
}
