/*
 * Saving, loading, recording, replaying: through the gate, then src/world/image and journal. See save.h.
 */
#include <pharos/save.h>

#include <stdio.h>

#include "api/def.h"
#include "api/handles.h"
#include "api/world_slots.h"
#include "base/float_env.h"
#include "base/simd.h"
#include "world/image/capture.h"
#include "world/image/definition.h"
#include "world/image/read.h"
#include "world/image/restore.h"
#include "world/image/write.h"
#include "world/journal/record.h"
#include "world/journal/replay.h"
#include "world/table/gate.h"
#include "world/tick/lifecycle.h"

/* ---- save ---- */

/* The image itself is not of its own memory. */
static phx_image *make_image(ph_allocator allocator)
{
    phx_mem outer;
    phx_mem_init(&outer, allocator);
    phx_image *image = phx_alloc(&outer, sizeof *image, PHX_CACHE_LINE);
    if (image) phx_image_init(image, allocator);
    return image;
}

void ph_image_free(ph_image *image)
{
    phx_mem outer;
    if (!image) return;
    phx_mem_init(&outer, image->mem.allocator);
    atomic_store_explicit(&outer.bytes, sizeof *image, memory_order_relaxed);
    phx_image_release(image);
    phx_free(&outer, image, sizeof *image, PHX_CACHE_LINE);
}

ph_status ph_image_capture(ph_world handle, ph_image **image)
{
    PHX_FLOAT_DEFAULT;
    phx_world *world = phx_resolve_world(handle);
    if (!image) return PH_BAD_ARGUMENT;
    *image = NULL;
    if (!world) return PH_BAD_HANDLE;
    if (!phx_gate_read_begin(&world->gate)) return PH_BUSY;
    phx_image *made = make_image(world->def.allocator);
    const ph_status status = made ? phx_image_capture(world, made) : PH_NO_MEMORY;
    phx_gate_read_end(&world->gate);
    if (status == PH_OK) *image = made;
    else ph_image_free(made);
    return status;
}

ph_status ph_image_write(const ph_image *image, ph_write_fn write, void *user)
{
    if (!image || !write) return PH_BAD_ARGUMENT;
    return phx_image_write(image, write, user) ? PH_OK : PH_IO;
}

ph_status ph_save(ph_world world, ph_write_fn write, void *user)
{
    ph_image *image;
    if (!write) return PH_BAD_ARGUMENT;
    ph_status status = ph_image_capture(world, &image);
    if (status != PH_OK) return status;
    status = ph_image_write(image, write, user);
    ph_image_free(image);
    return status;
}

/* ---- load ---- */

/* One call of ph_load(). */
typedef struct loading {
    const ph_load_options *options;
    phx_image *image;
    ph_world_def def, next; /* next: without classes, if there is none */
    phx_image_reason reason;
} loading;

static void apply_options(const ph_load_options *options, ph_world_def *def)
{
    if (options->given & PH_LOAD_SHARDS) memcpy(def->shards, options->shards, sizeof def->shards);
    if (options->given & PH_LOAD_WORKERS) def->workers = options->workers;
    if (options->given & PH_LOAD_INDEX) def->index = options->index;
    if (options->given & PH_LOAD_SIMD) def->simd = options->simd;
    else if ((uint32_t)def->simd <= PH_SIMD_AVX512 && !phx_simd_supported(def->simd)) def->simd = PH_SIMD_AUTO;
    def->allocator = options->allocator;
    def->log = options->log;
    def->log_user = options->log_user;
    def->tasks = options->tasks;
    def->crew = options->crew;
    def->batches = options->batches;
}

/* A definition of the image with the options, checked. */
static ph_status read_definition(loading *at, phx_image_def_tables tables, ph_world_def *def)
{
    const ph_class class = ph_class_default("");
    *def = ph_world_def_default();
    const ph_status status = phx_image_read_def(at->image, tables, &class, def, at->reason);
    if (status != PH_OK) return status;
    apply_options(at->options, def);
    return ph_world_def_check(def, at->reason.text, at->reason.size);
}

static ph_status read_definitions(loading *at)
{
    const char *name;
    ph_status status = read_definition(at, PHX_IMAGE_DEF, &at->def);
    if (status != PH_OK || PHX_IMAGE_COUNT(at->image, next_keys) == 0) return status;
    status = read_definition(at, PHX_IMAGE_NEXT_DEF, &at->next);
    if (status == PH_OK && phx_def_live_difference(&at->def, &at->next, &name))
        return phx_image_refuse(at->reason, "section NKEY: %s: can not change while the world lives", name);
    return status;
}

/* Makes and restores a world. */
static ph_status restore_world(loading *at, phx_world **world)
{
    ph_status status = phx_world_create(&at->def, phx_resolve_crew(at->def.crew), world);
    if (status != PH_OK) return status;
    status = phx_image_restore(at->image, *world, at->reason);
    if (status == PH_OK && at->next.classes) status = phx_world_reconfigure(*world, &at->next);
    if (at->options->given & PH_LOAD_FRESH) phx_image_renew(*world);
    if (status == PH_OK && (at->options->given & PH_LOAD_REPLAY)) phx_image_keep_consumers(at->image, *world);
    if (status != PH_OK) phx_world_destroy(*world);
    return status;
}

static ph_status load_image(loading *at, ph_world *world)
{
    phx_world *made;
    ph_status status = read_definitions(at);
    if (status != PH_OK) return status;
    phx_world_slot *slot = phx_world_slot_acquire();
    if (!slot) return PH_TAKEN;
    status = restore_world(at, &made);
    if (status == PH_OK) *world = phx_world_slot_fill(slot, made);
    else phx_world_slot_drop(slot);
    return status;
}

static bool options_good(const ph_load_options *options)
{
    const uint32_t both = PH_LOAD_FRESH | PH_LOAD_REPLAY;
    return (options->given & ~(uint32_t)PH_LOAD_GIVEN_ALL) == 0 && (options->given & both) != both &&
           phx_is_zero(options->reserved, sizeof options->reserved) && phx_allocator_is_good(&options->allocator);
}

ph_status ph_load(const ph_load_options *options, ph_read_fn read, void *user, ph_world *world, char *reason,
                  size_t reason_size)
{
    PHX_FLOAT_DEFAULT;
    static const ph_load_options as_saved;
    loading at = {.options = options ? options : &as_saved, .reason = {reason, reason_size}};
    if (reason && reason_size > 0) reason[0] = '\0';
    if (!world) return PH_BAD_ARGUMENT;
    *world = (ph_world){0};
    if (!read || !options_good(at.options)) return PH_BAD_ARGUMENT;
    at.image = make_image(at.options->allocator);
    if (!at.image) return PH_NO_MEMORY;
    ph_status status = phx_image_read(at.image, read, user, at.reason);
    if (status == PH_OK) status = load_image(&at, world);
    if (at.def.classes) phx_image_free_classes(at.image, &at.def);
    if (at.next.classes) phx_image_free_classes(at.image, &at.next);
    ph_image_free(at.image);
    return status;
}

/* ---- journal ---- */

ph_status ph_journal_set(ph_world handle, const ph_journal *journal)
{
    phx_world *world = phx_resolve_world(handle);
    if (!world) return PH_BAD_HANDLE;
    if (journal && (!journal->room || !journal->done)) return PH_BAD_ARGUMENT;
    if (journal && (journal->flags & ~(uint64_t)PH_JOURNAL_UNSUMMED)) return PH_BAD_ARGUMENT;
    if (journal && !phx_is_zero(journal->reserved, sizeof journal->reserved)) return PH_BAD_ARGUMENT;
    if (!phx_gate_tick_begin(&world->gate)) return PH_BUSY;
    const bool rests = world->stage == PHX_STAGE_IDLE, taken = journal && phx_journal_is_attached(world);
    if (rests && !taken) phx_journal_attach(world, journal);
    phx_gate_tick_end(&world->gate, !rests);
    return !rests ? PH_BUSY : taken ? PH_TAKEN : PH_OK;
}

ph_status ph_journal_sum(void *record, size_t bytes)
{
    if (!record || (uintptr_t)record % sizeof(uint64_t) != 0 || !phx_record_may_have(bytes)) return PH_BAD_ARGUMENT;
    phx_record_put_sum(record, bytes);
    return PH_OK;
}

/* Gives the world the definition of a record; what no world changes is as in this one. */
static ph_status adopt_recorded_definition(phx_world *world, phx_image *image, phx_image_reason reason)
{
    const ph_class class = ph_class_default("");
    const ph_world_def *now = &world->def;
    ph_world_def def = ph_world_def_default();
    const char *name;
    ph_status status = phx_image_read_def(image, PHX_IMAGE_DEF, &class, &def, reason);
    memcpy(def.shards, now->shards, sizeof def.shards);
    def.workers = now->workers;
    def.index = now->index;
    def.simd = now->simd;
    if (status == PH_OK) status = ph_world_def_check(&def, reason.text, reason.size);
    if (status == PH_OK && phx_def_live_difference(now, &def, &name))
        status = phx_image_refuse(reason, "definition: %s: can not change while the world lives", name);
    if (status == PH_OK) status = phx_world_reconfigure(world, &def);
    if (def.classes) phx_image_free_classes(image, &def);
    return status == PH_OK || status == PH_NO_MEMORY ? status : PH_BAD_RECORD;
}

static ph_status replay_record(phx_world *world, phx_image *def, const void *record, size_t size,
                               phx_image_reason reason)
{
    phx_record_head head;
    ph_status status = phx_replay_submit(world, record, size, def, &head, reason);
    if (status != PH_OK) return status;
    if (head.flags & PHX_RECORD_DEF) status = adopt_recorded_definition(world, def, reason);
    if (status == PH_OK) return phx_replay_run(world, &head, reason);
    phx_replay_drop(world);
    return status;
}

ph_status ph_journal_replay(ph_world handle, const void *record, size_t size, char *reason, size_t reason_size)
{
    PHX_FLOAT_DEFAULT;
    phx_world *world = phx_resolve_world(handle);
    if (reason && reason_size > 0) reason[0] = '\0';
    if (!world) return PH_BAD_HANDLE;
    if (!record) return PH_BAD_ARGUMENT;
    phx_image def; /* for the tables of a definition */
    phx_image_init(&def, world->def.allocator);
    const ph_status status = replay_record(world, &def, record, size, (phx_image_reason){reason, reason_size});
    phx_image_release(&def);
    return status;
}
