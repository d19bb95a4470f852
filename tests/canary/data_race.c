/* Canary: two threads count in one plain variable; ThreadSanitizer must report it. */
#include <pthread.h>
#include <stddef.h>

static int counter;

static void *count(void *unused)
{
    (void)unused;
    for (int i = 0; i < 1000; i++) {
        counter++;
    }
    return NULL;
}

int main(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, count, NULL) != 0) {
        return 0;
    }
    (void)count(NULL);
    (void)pthread_join(thread, NULL);
    return 0;
}
