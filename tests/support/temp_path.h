/*
 * Temporary files and folders of tests: below TMPDIR, or /tmp. The test removes them.
 */
#ifndef SUPPORT_TEMP_PATH_H
#define SUPPORT_TEMP_PATH_H

enum { TEMP_PATH_SIZE = 256 };

/* Makes an empty file with a new name, which begins with `name`; the test ends if there can be none. */
void temp_file(char path[TEMP_PATH_SIZE], const char *name);
/* The same for a folder. */
void temp_folder(char path[TEMP_PATH_SIZE], const char *name);
/* Removes a folder with all that is in it; a failure of the test if it can not. */
void temp_remove(const char *folder);

#endif
