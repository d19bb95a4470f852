/*
 * src/store/folder.c: the files of a store by name and tick. Other names, other endings and other stores in the folder
 * are never listed, removed or put aside.
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "store/folder.h"
#include "support/temp_path.h"

static char path[TEMP_PATH_SIZE];
static phx_folder folder;

static void set_up(void)
{
    temp_folder(path, "unit_store");
    if (!phx_folder_init(&folder, path, "zone")) abort();
}

static void tear_down(void)
{
    phx_folder_free(&folder);
    temp_remove(path);
}

TestSuite(folder, .init = set_up, .fini = tear_down);

static void make_file(const char *name)
{
    char file[TEMP_PATH_SIZE + 64];
    snprintf(file, sizeof file, "%s/%s", path, name);
    FILE *made = fopen(file, "wx");
    cr_assert_not_null(made, "%s", file);
    cr_assert_eq(fclose(made), 0);
}

static void make_tick(uint64_t tick, const char *ending)
{
    char name[64];
    snprintf(name, sizeof name, "zone.%020llu.%s", (unsigned long long)tick, ending);
    make_file(name);
}

/* The files with this ending are of these ticks, the newest first. */
static void expect_ticks(const char *ending, const uint64_t *expected, size_t count)
{
    phx_ticks ticks;
    cr_assert_eq(phx_folder_list(&folder, ending, &ticks), 0);
    cr_assert_eq(ticks.count, count, "%zu files, not %zu", ticks.count, count);
    for (size_t i = 0; i < count; i++) cr_assert_eq(ticks.at[i], expected[i]);
    free(ticks.at);
}

Test(folder, files_of_this_store_alone_are_listed_the_newest_first)
{
    static const char *const others[] = {"zone.7.phs", "zone.00000000000000000008.phsx",
                                         "zones.00000000000000000009.phs", "zone.0000000000000000000x.phs", "zone"};
    const uint64_t ticks[] = {UINT64_MAX, 1000, 30, 2};
    make_tick(30, PHX_STORE_IMAGE);
    make_tick(UINT64_MAX, PHX_STORE_IMAGE);
    make_tick(2, PHX_STORE_IMAGE);
    make_tick(1000, PHX_STORE_IMAGE);
    make_tick(5, PHX_STORE_JOURNAL);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) make_file(others[i]);
    expect_ticks(PHX_STORE_IMAGE, ticks, 4);
    phx_folder_prune(&folder, &phx_disk_posix, PHX_STORE_IMAGE, 1);
    expect_ticks(PHX_STORE_IMAGE, ticks, 1);
    expect_ticks(PHX_STORE_JOURNAL, (uint64_t[]){5}, 1);
}

Test(folder, the_journal_keeps_every_file_that_an_image_from_a_tick_on_needs)
{
    const uint64_t begins[] = {40, 30, 20, 10}; /* records 10..19, 20..29, 30..39, 40... */
    for (int i = 0; i < 4; i++) make_tick(begins[i], PHX_STORE_JOURNAL);
    phx_folder_prune_journal(&folder, &phx_disk_posix, 18);
    expect_ticks(PHX_STORE_JOURNAL, begins, 4); /* 19 is in the first one */
    phx_folder_prune_journal(&folder, &phx_disk_posix, 19);
    expect_ticks(PHX_STORE_JOURNAL, begins, 3); /* 20 begins the second one */
    phx_folder_prune_journal(&folder, &phx_disk_posix, 38);
    expect_ticks(PHX_STORE_JOURNAL, begins, 2);
    phx_folder_prune_journal(&folder, &phx_disk_posix, 1000);
    expect_ticks(PHX_STORE_JOURNAL, begins, 1);
}

Test(folder, files_before_a_tick_go_and_files_behind_one_are_put_aside)
{
    for (uint64_t tick = 1; tick <= 5; tick++) make_tick(tick, PHX_STORE_IMAGE);
    phx_folder_prune_before(&folder, &phx_disk_posix, PHX_STORE_IMAGE, 2);
    expect_ticks(PHX_STORE_IMAGE, (uint64_t[]){5, 4, 3, 2}, 4);
    cr_assert_eq(phx_folder_put_aside(&folder, &phx_disk_posix, PHX_STORE_IMAGE, 3), 0);
    expect_ticks(PHX_STORE_IMAGE, (uint64_t[]){3, 2}, 2);
    expect_ticks(PHX_STORE_IMAGE PHX_STORE_OLD, (uint64_t[]){5, 4}, 2);
}

Test(folder, a_second_lock_of_a_name_is_turned_away_and_another_name_is_not)
{
    phx_folder other;
    cr_assert(phx_folder_init(&other, path, "zone2"));
    const int lock = phx_folder_lock(&folder);
    cr_assert_geq(lock, 0);
    cr_assert_lt(phx_folder_lock(&folder), 0);
    const int second = phx_folder_lock(&other);
    cr_assert_geq(second, 0);
    (void)close(second);
    (void)close(lock);
    const int again = phx_folder_lock(&folder);
    cr_assert_geq(again, 0, "a closed one is free");
    (void)close(again);
    phx_folder_free(&other);
}
