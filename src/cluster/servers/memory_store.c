/*
 * The control store in the memory of one process: phc_memory of cluster.h. Requests wait in order of their arrival and
 * are done at a step; then their answers wait for the member's poll(). One thread.
 */
#include "cluster/servers/memory_store.h"

#include <string.h>

#include "cluster/servers/faults.h"
#include "cluster/servers/memory_table.h"
#include "cluster/servers/subject.h"

enum {
    REQUESTS_MAX = 64, /* of one member under way */
    LEASE_MS_MIN = 1000,
    LEASE_MS_MAX = 3600 * 1000
};

typedef enum memory_kind {
    MEMORY_GET,
    MEMORY_LIST,
    MEMORY_CAS,
    MEMORY_LEASE_OPEN,
    MEMORY_LEASE_RENEW,
    MEMORY_LEASE_END
} memory_kind;

typedef struct memory_request {
    memory_kind kind;
    bool done;
    uint64_t tag, revision, lease;
    uint64_t at; /* step from which its answer is given */
    uint32_t ms;
    char key[PHC_KEY_MAX + 1];
    unsigned char *value;
    size_t size;
    phc_outcome outcome;
    phx_entries read;
} memory_request;

typedef struct memory_member {
    phc_memory *memory;
    struct memory_member *next;
    bool cut;
    memory_request requests[REQUESTS_MAX]; /* in order */
    uint32_t request_count;
    phc_store_state state;
} memory_member;

struct phc_memory {
    phx_mem mem;
    phc_faults faults;
    uint64_t step;
    memory_member *members;
    phx_memory_table table;
};

ph_status phc_memory_create(phc_faults faults, ph_allocator allocator, phc_memory **memory)
{
    phx_mem mem;
    if (!memory || !phx_faults_are_good(&faults) || faults.doubled != 0) return PH_BAD_ARGUMENT;
    if (!phx_allocator_is_good(&allocator)) return PH_BAD_ARGUMENT;
    phx_mem_init(&mem, allocator);
    phc_memory *made = phx_alloc_zero(&mem, sizeof *made, _Alignof(phc_memory));
    if (!made) return PH_NO_MEMORY;
    phx_mem_init(&made->mem, allocator);
    made->faults = faults;
    phx_memory_table_init(&made->table, &made->mem);
    *memory = made;
    return PH_OK;
}

void phc_memory_destroy(phc_memory *memory)
{
    phx_mem outer; /* its own memory is in the block that is released */
    if (!memory) return;
    PHX_ASSERT(!memory->members);
    phx_memory_table_free(&memory->table);
    PHX_ASSERT(atomic_load_explicit(&memory->mem.bytes, memory_order_relaxed) == 0);
    phx_mem_init(&outer, memory->mem.allocator);
    atomic_store_explicit(&outer.bytes, sizeof *memory, memory_order_relaxed);
    phx_free(&outer, memory, sizeof *memory, _Alignof(phc_memory));
}

ph_status phc_memory_set_faults(phc_memory *memory, phc_faults faults)
{
    if (!memory || !phx_faults_are_good(&faults) || faults.doubled != 0) return PH_BAD_ARGUMENT;
    memory->faults = faults;
    return PH_OK;
}

const phx_memory_table *phx_memory_table_of(const phc_memory *memory)
{
    return &memory->table;
}

void phx_memory_store_lose(phc_memory *memory)
{
    phx_memory_table_lose(&memory->table);
}

/* ---- steps ---- */

static phc_outcome do_request(phc_memory *memory, memory_request *request)
{
    phx_memory_table *table = &memory->table;
    phc_outcome outcome = PHC_DONE;
    switch (request->kind) {
    case MEMORY_LEASE_OPEN:
        return phx_memory_lease_open(table, &request->ms, &request->lease);
    case MEMORY_LEASE_RENEW:
        return phx_memory_lease_renew(table, request->lease, &request->ms);
    case MEMORY_LEASE_END:
        return phx_memory_lease_end(table, request->lease);
    case MEMORY_CAS:
        outcome =
            phx_memory_write(table, request->key, &request->revision, request->value, request->size, request->lease);
        if (outcome != PHC_CHANGED) return outcome;
        break;
    case MEMORY_GET:
    case MEMORY_LIST:
        break;
    }
    const bool read = phx_memory_read_keys(table, request->key, request->kind == MEMORY_LIST, &request->read);
    return read ? outcome : PHC_FAILED;
}

static void finish_request(memory_member *member, memory_request *request)
{
    phc_memory *memory = member->memory;
    const bool is_lost = phx_fault_is_drawn(&memory->faults, memory->faults.lost);
    request->done = true;
    request->at = memory->step + phx_fault_late_steps(&memory->faults);
    request->outcome = PHC_FAILED;
    member->state.attempts++;
    if (!member->cut && !(is_lost && phx_fault_is_drawn(&memory->faults, PHX_FAULT_ALWAYS / 2))) {
        const phc_outcome outcome = do_request(memory, request);
        if (!is_lost) request->outcome = outcome;
    }
    member->state.failed += request->outcome == PHC_FAILED;
}

void phc_memory_step(phc_memory *memory, uint64_t now_ns)
{
    phx_memory_table_time(&memory->table, now_ns);
    memory->step++;
    for (memory_member *member = memory->members; member; member = member->next)
        for (uint32_t i = 0; i < member->request_count; i++)
            if (!member->requests[i].done) finish_request(member, &member->requests[i]);
}

void phc_memory_cut(phc_memory *memory, const phc_store *member, bool cut)
{
    memory_member *of = member->user;
    PHX_ASSERT(of->memory == memory);
    (void)memory;
    of->cut = cut;
}

/* ---- a member ---- */

static ph_status add_request(memory_member *member, const char *key, bool prefix, memory_request request)
{
    if (!phx_key_is_good(key, prefix)) return PH_BAD_ARGUMENT;
    if (member->request_count == REQUESTS_MAX) return PH_FULL;
    memcpy(request.key, key, strlen(key) + 1);
    member->requests[member->request_count++] = request;
    return PH_OK;
}

static ph_status memory_get(void *user, uint64_t tag, const char *key)
{
    return add_request(user, key, false, (memory_request){.kind = MEMORY_GET, .tag = tag});
}

static ph_status memory_list(void *user, uint64_t tag, const char *prefix)
{
    return add_request(user, prefix, true, (memory_request){.kind = MEMORY_LIST, .tag = tag});
}

static ph_status memory_cas(void *user, uint64_t tag, const char *key, uint64_t revision, const void *value,
                            size_t size, uint64_t lease)
{
    memory_member *member = user;
    memory_request request = {.kind = MEMORY_CAS, .tag = tag, .revision = revision, .lease = lease, .size = size};
    if (size > PHC_VALUE_MAX) return PH_BAD_ARGUMENT;
    if (size > 0) {
        request.value = phx_alloc(&member->memory->mem, size, 1);
        if (!request.value) return PH_NO_MEMORY;
        memcpy(request.value, value, size);
    }
    const ph_status status = add_request(member, key, false, request);
    if (status != PH_OK && request.value) phx_free(&member->memory->mem, request.value, size, 1);
    return status;
}

static ph_status memory_lease_open(void *user, uint64_t tag, uint32_t ms)
{
    if (ms < LEASE_MS_MIN || ms > LEASE_MS_MAX) return PH_BAD_ARGUMENT;
    return add_request(user, "", true, (memory_request){.kind = MEMORY_LEASE_OPEN, .tag = tag, .ms = ms});
}

static ph_status memory_lease_renew(void *user, uint64_t tag, uint64_t lease)
{
    return add_request(user, "", true, (memory_request){.kind = MEMORY_LEASE_RENEW, .tag = tag, .lease = lease});
}

static ph_status memory_lease_end(void *user, uint64_t tag, uint64_t lease)
{
    return add_request(user, "", true, (memory_request){.kind = MEMORY_LEASE_END, .tag = tag, .lease = lease});
}

static void free_request(phx_mem *mem, memory_request *request)
{
    if (request->value) phx_free(mem, request->value, request->size, 1);
    phx_entries_free(&request->read, mem);
}

static void give_answer(const phc_memory *memory, const memory_request *request, phc_answer_fn fn, void *fn_user)
{
    const bool done = request->outcome == PHC_DONE;
    const bool leases = request->kind == MEMORY_LEASE_OPEN || request->kind == MEMORY_LEASE_RENEW;
    const bool reads = request->outcome != PHC_FAILED;
    fn(fn_user,
       &(phc_answer){.tag = request->tag,
                     .outcome = request->outcome,
                     .revision = done && request->kind == MEMORY_CAS ? request->revision : memory->table.revision,
                     .lease = done && leases ? request->lease : 0,
                     .lease_ms = done && leases ? request->ms : 0,
                     .entries = reads ? request->read.items : NULL,
                     .count = reads ? request->read.count : 0,
                     .reason = request->outcome == PHC_FAILED ? "lost within the process" : ""});
}

static uint32_t memory_poll(void *user, uint32_t answers_max, phc_answer_fn fn, void *fn_user)
{
    memory_member *member = user;
    uint32_t given = 0;
    for (uint32_t i = 0; i < member->request_count && given < answers_max;) {
        memory_request request = member->requests[i];
        if (!request.done || request.at > member->memory->step) {
            i++;
            continue;
        }
        member->request_count--;
        memmove(&member->requests[i], &member->requests[i + 1], (member->request_count - i) * sizeof request);
        give_answer(member->memory, &request, fn, fn_user);
        free_request(&member->memory->mem, &request);
        given++;
    }
    return given;
}

static void memory_state(void *user, phc_store_state *state)
{
    const memory_member *member = user;
    *state = member->state;
}

static void memory_close(void *user)
{
    memory_member *member = user;
    phx_mem *mem = &member->memory->mem;
    memory_member **link = &member->memory->members;
    for (uint32_t i = 0; i < member->request_count; i++)
        if (!member->requests[i].done && member->requests[i].kind == MEMORY_LEASE_END)
            finish_request(member, &member->requests[i]);
    while (*link != member) link = &(*link)->next;
    *link = member->next;
    for (uint32_t i = 0; i < member->request_count; i++) free_request(mem, &member->requests[i]);
    phx_free(mem, member, sizeof *member, _Alignof(memory_member));
}

ph_status phc_memory_join(phc_memory *memory, phc_store *store)
{
    if (!memory || !store) return PH_BAD_ARGUMENT;
    memory_member *member = phx_alloc_zero(&memory->mem, sizeof *member, _Alignof(memory_member));
    if (!member) return PH_NO_MEMORY;
    member->memory = memory;
    member->next = memory->members;
    memory->members = member;
    *store = (phc_store){.get = memory_get,
                         .list = memory_list,
                         .cas = memory_cas,
                         .lease_open = memory_lease_open,
                         .lease_renew = memory_lease_renew,
                         .lease_end = memory_lease_end,
                         .poll = memory_poll,
                         .state = memory_state,
                         .close = memory_close,
                         .user = member};
    return PH_OK;
}
