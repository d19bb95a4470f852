/*
 * Temporary files and folders; see temp_path.h.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* nftw() */
#endif
#include "support/temp_path.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/check.h"

static void make_template(char path[TEMP_PATH_SIZE], const char *name)
{
    const char *folder = getenv("TMPDIR");
    if (folder == NULL || folder[0] != '/') folder = "/tmp";
    const int length = snprintf(path, TEMP_PATH_SIZE, "%s/pharos-%s-XXXXXX", folder, name);
    REQUIRE(length > 0 && length < TEMP_PATH_SIZE);
}

void temp_file(char path[TEMP_PATH_SIZE], const char *name)
{
    make_template(path, name);
    const int file = mkstemp(path);
    REQUIRE(file >= 0);
    REQUIRE(close(file) == 0);
}

void temp_folder(char path[TEMP_PATH_SIZE], const char *name)
{
    make_template(path, name);
    REQUIRE(mkdtemp(path) != NULL);
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
    (void)status, (void)kind, (void)walk;
    return remove(path);
}

void temp_remove(const char *folder)
{
    enum { OPEN_FILES = 8 };
    CHECK(nftw(folder, remove_one, OPEN_FILES, FTW_DEPTH | FTW_PHYS) == 0, "%s can not be removed", folder);
}
