/*
 * Damages a file; see damaged_file.h.
 */
#include "support/damaged_file.h"

#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

#include "support/check.h"

void damage_flip(const char *path, size_t bit)
{
    const off_t at = (off_t)(bit / 8);
    uint8_t byte;
    const int file = open(path, O_RDWR | O_CLOEXEC);
    REQUIRE(file >= 0 && pread(file, &byte, 1, at) == 1);
    byte ^= (uint8_t)(1u << bit % 8);
    REQUIRE(pwrite(file, &byte, 1, at) == 1 && close(file) == 0);
}

void damage_cut(const char *path, size_t bytes)
{
    REQUIRE(truncate(path, (off_t)bytes) == 0);
}
