/*
 * Any bytes as an answer of etcd's JSON gateway. The first byte chooses the kind of request, the rest is the text. It
 * is an answer, of which every field can be, or a failure with a reason; and nothing of it is left behind.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/servers/etcd_json.h"
#include "cluster/servers/subject.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Holds in every build, unlike PHX_ASSERT. */
#define HOLDS(x) ((x) ? (void)0 : phx_panic(__FILE__, __LINE__, #x))

enum { KINDS = PHX_ETCD_LEASE_END + 1, LEASE = 7, REVISION = 3 };

static void check_answer(const phx_etcd_request *request, const phx_etcd_answer *answer)
{
    uint64_t bytes = 0;
    const bool failed = answer->outcome == PHC_FAILED;
    HOLDS(failed == (answer->reason[0] != '\0'));
    HOLDS(!failed || (answer->entries.count == 0 && answer->revision == 0 && answer->lease == 0));
    for (uint32_t i = 0; i < answer->entries.count; i++) {
        const phc_entry *entry = &answer->entries.items[i];
        HOLDS(strncmp(entry->key, request->key, strlen(request->key)) == 0);
        HOLDS(phx_key_is_good(entry->key, false) && entry->revision > 0 && entry->size <= PHC_VALUE_MAX);
        for (size_t n = 0; n < entry->size; n++) bytes += ((const unsigned char *)entry->value)[n];
    }
    HOLDS(bytes <= (uint64_t)answer->entries.block_bytes * UINT8_MAX);
    if (answer->outcome != PHC_DONE) return;
    if (request->kind == PHX_ETCD_CAS) HOLDS(answer->revision > REVISION);
    if (request->kind == PHX_ETCD_LEASE_OPEN) HOLDS(answer->lease > 0 && answer->lease_ms >= 1000);
    if (request->kind == PHX_ETCD_LEASE_RENEW) HOLDS(answer->lease == LEASE && answer->lease_ms >= 1000);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char body[PHX_ETCD_BODY_MAX];
    phx_mem mem;
    phx_etcd_answer answer;
    if (size == 0) return 0;
    phx_mem_init(&mem, (ph_allocator){0});
    phx_etcd_request request = {
        .kind = (phx_etcd_kind)(data[0] % KINDS), .revision = REVISION, .lease = LEASE, .key = "a"};
    char *text = malloc(size); /* of its own, so that a byte read behind it is found */
    HOLDS(text != NULL);
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    phx_etcd_read(&request, text, size - 1, &mem, &answer);
    check_answer(&request, &answer);
    phx_entries_free(&answer.entries, &mem);
    HOLDS(atomic_load_explicit(&mem.bytes, memory_order_relaxed) == 0);
    free(text);
    /* a key of these bytes, if it is one, goes into a body */
    if (size <= PHC_KEY_MAX) {
        memcpy(request.key, data + 1, size - 1);
        request.key[size - 1] = '\0';
        if (phx_key_is_good(request.key, request.kind == PHX_ETCD_LIST))
            HOLDS(phx_etcd_write(&request, body) == strlen(body));
    }
    return 0;
}
