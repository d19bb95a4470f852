/*
 * What pharos-cluster reads: any text as an export of a node, and any entries as the keys of a world. The first byte
 * chooses the kind of a change, and bit 7 an export. An export that is read has numbers in bounds. A listing is printed
 * in each form, checked, verified and balanced, and a change of its map is refused, or makes a sound one.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* memfd_create */
#endif

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/drawn_entries.h"
#include "tools/cluster_balance.h"
#include "tools/cluster_print.h"
#include "tools/cluster_verify.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { IS_EXPORT = 128, TAG = 1 };

/* ---- exports ---- */

/* ids: as many as a short text can mean; "1-9999999" means many. */
static void try_export(const uint8_t *text, size_t size)
{
    char path[32];
    phx_cluster_exports exports = {0};
    const int file = memfd_create("export", MFD_CLOEXEC);
    HOLDS(file >= 0 && write(file, text, size) == (ssize_t)size);
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    const bool read = phx_cluster_exports_read(&exports, path);
    HOLDS(read || exports.reason[0] != '\0');
    phx_cluster_exports_sort(&exports);
    for (size_t i = 0; i < exports.count; i++) {
        HOLDS(exports.items[i].id != 0 && exports.items[i].node != 0);
        HOLDS(i == 0 || exports.items[i - 1].id <= exports.items[i].id);
    }
    FILE *out = fopen("/dev/null", "w");
    HOLDS(out);
    phx_cluster_findings findings = {.out = out};
    phx_cluster_lists_compare(&findings, &exports.lists);
    HOLDS(fclose(out) == 0 && (!read || exports.with_lists <= exports.files));
    phx_cluster_exports_free(&exports);
    HOLDS(close(file) == 0);
}

/* ---- listings ---- */

/* The list that was asked for last. */
typedef struct listed_store {
    drawn_source *from;
    char prefix[PHC_KEY_MAX + 1];
} listed_store;

static ph_status ask_list(void *user, uint64_t tag, const char *prefix)
{
    listed_store *store = user;
    HOLDS(tag == TAG);
    (void)snprintf(store->prefix, sizeof store->prefix, "%s", prefix);
    return PH_OK;
}

static uint32_t give_list(void *user, uint32_t answers_max, phc_answer_fn fn, void *fn_user)
{
    static drawn_entry values[DRAWN_ENTRIES_MAX];
    const listed_store *store = user;
    phc_entry entries[DRAWN_ENTRIES_MAX];
    phc_answer told = {.tag = TAG, .outcome = PHC_DONE, .revision = 1 + draw(store->from), .reason = ""};
    HOLDS(answers_max > 0);
    told.count = draw_entries(store->from, store->prefix, values, entries);
    told.entries = entries;
    fn(fn_user, &told);
    return 1;
}

static void print_listing(const phx_cluster_listing *listing, FILE *out)
{
    phx_cluster_exports none = {0};
    phx_cluster_findings findings = {.out = out, .is_json = listing->balancer % 2 == 1};
    phx_cluster_print_status(out, listing);
    phx_cluster_print_map(out, listing);
    phx_cluster_json_status(out, listing);
    phx_cluster_verify(&findings, listing, &none);
}

static void balance_listing(const phx_cluster_listing *listing)
{
    static phx_cluster_balance balance;
    char text[256];
    phx_cluster_balance_look(&balance, listing);
    HOLDS(strlen(phx_cluster_balance_word(balance.verdict)) > 0);
    HOLDS(strlen(phx_cluster_balance_sentence(&balance, text, sizeof text)) > 0);
    if (balance.verdict == PHX_BALANCE_MOVE)
        HOLDS(balance.move.region < listing->map.region_count && balance.move.from != balance.move.to);
}

static void change_listing(drawn_source *from, uint8_t kind, phx_change_report *report, FILE *out)
{
    static phx_cluster_change change;
    static phx_cluster_map read;
    static unsigned char bytes[PHX_CLUSTER_MAP_BYTES_MAX];
    change = (phx_cluster_change){
        .kind = (phx_change_kind)(kind % 3), .number = draw(from) % 5, .is_forced = kind & 4, .region_count = 2};
    for (uint32_t i = 0; i < change.region_count; i++) change.regions[i] = draw(from) % (DRAWN_REGIONS + 1);
    const phx_change_result result = phx_cluster_change_apply(&change, report);
    HOLDS(result != PHX_CHANGE_FAILED && (result == PHX_CHANGE_REFUSED) == (report->reason[0] != '\0'));
    phx_cluster_json_change(out, &change, result, report);
    if (result != PHX_CHANGE_MADE) return;
    phx_cluster_print_change(out, &change, report);
    HOLDS(
        phx_cluster_map_decode(&read, PHX_FORMATS, bytes, phx_cluster_map_encode(&report->after, bytes, sizeof bytes)));
    HOLDS(read.version > report->before.map.version);
}

static void try_listing(drawn_source *from, uint8_t kind)
{
    static phx_change_report report;
    listed_store lists = {.from = from};
    phx_cluster_store store = {.store = {.list = ask_list, .poll = give_list, .user = &lists}};
    FILE *out = fopen("/dev/null", "w");
    HOLDS(out);
    HOLDS(phx_cluster_listing_read(&report.before, &store, "w"));
    HOLDS(report.before.listed_count <= PHX_CLUSTER_LISTED_MAX);
    print_listing(&report.before, out);
    balance_listing(&report.before);
    change_listing(from, kind, &report, out);
    HOLDS(fclose(out) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    drawn_source from = {.at = data, .end = data + size};
    const uint8_t kind = draw(&from);
    if (size == 0) return 0;
    if (kind & IS_EXPORT) try_export(data + 1, size - 1);
    else try_listing(&from, kind);
    return 0;
}
