/*
 * Damages a file in place. A file that is opened to be written anew costs a disk milliseconds, as its blocks are given
 * back; ten thousand of them cost a minute.
 */
#ifndef PHAROS_TESTS_SUPPORT_DAMAGED_FILE_H
#define PHAROS_TESTS_SUPPORT_DAMAGED_FILE_H

#include <stddef.h>

/* Flips a bit; again: it is as before. */
void damage_flip(const char *path, size_t bit);
/* Cuts the file off behind so many bytes. */
void damage_cut(const char *path, size_t bytes);

#endif
