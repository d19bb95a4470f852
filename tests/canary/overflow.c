/* Canary: a read one past an array on the heap; AddressSanitizer must report it. */
#include <stdlib.h>

int main(void)
{
    volatile char *volatile bytes = malloc(10); /* volatile: that no check but ASan's knows its size */
    if (bytes == NULL) {
        return 0;
    }
    bytes[0] = 1;
    volatile size_t index = 10;
    const int read = bytes[index];
    free((void *)bytes);
    return read == 1000;
}
