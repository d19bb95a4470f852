/*
 * Runs a fuzz target once over every file of its corpus: so a build without libFuzzer
 * repeats the fuzzers' finds. A program of its own, called by ctest with the folder.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Exactly as long as the file, so that a read past its end is past the allocation too. */
static uint8_t *read_whole(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return NULL;
    }
    uint8_t *data = NULL;
    long end = -1;
    if (fseek(file, 0, SEEK_END) == 0 && (end = ftell(file)) >= 0 && fseek(file, 0, SEEK_SET) == 0) {
        *size = (size_t)end;
        data = malloc(*size > 0 ? *size : 1);
        if (data != NULL && fread(data, 1, *size, file) != *size) {
            free(data);
            data = NULL;
        }
    }
    (void)fclose(file);
    return data;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s CORPUS\n", argv[0]);
        return 2;
    }
    DIR *folder = opendir(argv[1]);
    if (folder == NULL) {
        fprintf(stderr, "%s: can not be opened\n", argv[1]);
        return 1;
    }
    unsigned ran = 0;
    const struct dirent *entry;
    while ((entry = readdir(folder)) != NULL) {
        if (entry->d_name[0] == '.') {
            continue;
        }
        char path[4096];
        (void)snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
        size_t size = 0;
        uint8_t *data = read_whole(path, &size);
        if (data == NULL) {
            fprintf(stderr, "%s: can not be read\n", path);
            (void)closedir(folder);
            return 1;
        }
        (void)LLVMFuzzerTestOneInput(data, size);
        free(data);
        ran++;
    }
    (void)closedir(folder);
    printf("%u inputs\n", ran);
    return ran > 0 ? 0 : 1;
}
