/*
 * Messages between members of one process, by steps, with seeded faults: phc_loop of cluster.h. A message is a block of
 * its own, copied for each member that hears it. One thread.
 */
#include <string.h>

#include "base/mem.h"
#include "cluster/servers/faults.h"
#include "cluster/servers/subject.h"

typedef struct loop_message {
    uint64_t at; /* step in which it is there */
    size_t size;
    char subject[PHC_SUBJECT_MAX + 1];
    unsigned char bytes[];
} loop_message;

typedef struct loop_pattern {
    char text[PHC_SUBJECT_MAX + 1];
} loop_pattern;

typedef struct loop_member {
    phc_loop *loop;
    struct loop_member *next;
    bool cut_out, cut_in;
    loop_pattern *patterns;
    uint32_t pattern_count, pattern_capacity;
    loop_message **messages; /* in the order in which they were sent */
    uint32_t message_count, message_capacity, messages_max;
    phc_transport_state state;
} loop_member;

struct phc_loop {
    phx_mem mem;
    phc_faults faults;
    uint64_t step;
    loop_member *members;
};

ph_status phc_loop_create(phc_faults faults, ph_allocator allocator, phc_loop **loop)
{
    phx_mem mem;
    if (!loop || !phx_faults_are_good(&faults) || !phx_allocator_is_good(&allocator)) return PH_BAD_ARGUMENT;
    phx_mem_init(&mem, allocator);
    phc_loop *made = phx_alloc_zero(&mem, sizeof *made, _Alignof(phc_loop));
    if (!made) return PH_NO_MEMORY;
    phx_mem_init(&made->mem, allocator);
    made->faults = faults;
    *loop = made;
    return PH_OK;
}

void phc_loop_destroy(phc_loop *loop)
{
    phx_mem outer; /* its own memory is in the block that is released */
    if (!loop) return;
    PHX_ASSERT(!loop->members);
    PHX_ASSERT(atomic_load_explicit(&loop->mem.bytes, memory_order_relaxed) == 0);
    phx_mem_init(&outer, loop->mem.allocator);
    atomic_store_explicit(&outer.bytes, sizeof *loop, memory_order_relaxed);
    phx_free(&outer, loop, sizeof *loop, _Alignof(phc_loop));
}

static void free_message(phx_mem *mem, loop_message *message)
{
    phx_free(mem, message, sizeof *message + message->size, _Alignof(loop_message));
}

static ph_status loop_listen(void *user, phc_traffic traffic, const char *subject)
{
    loop_member *member = user;
    void *patterns = member->patterns;
    (void)traffic; /* one queue has both */
    if (!phx_subject_is_good(subject, true)) return PH_BAD_ARGUMENT;
    if (!phx_grow(&member->loop->mem, &patterns, &member->pattern_capacity, member->pattern_count,
                  (size_t)member->pattern_count + 1, sizeof *member->patterns))
        return PH_NO_MEMORY;
    member->patterns = patterns;
    memcpy(member->patterns[member->pattern_count++].text, subject, strlen(subject) + 1);
    return PH_OK;
}

static bool hears_subject(const loop_member *member, const char *subject)
{
    for (uint32_t i = 0; i < member->pattern_count; i++)
        if (phx_subject_matches(member->patterns[i].text, subject)) return true;
    return false;
}

/* One that there is no memory or no room for is lost. */
static void put_message(loop_member *member, const char *subject, const void *bytes, size_t size)
{
    phc_loop *loop = member->loop;
    void *messages = member->messages;
    loop_message *message = NULL;
    if (member->message_count < member->messages_max &&
        phx_grow(&loop->mem, &messages, &member->message_capacity, member->message_count,
                 (size_t)member->message_count + 1, sizeof(loop_message *))) {
        member->messages = messages;
        message = phx_alloc(&loop->mem, sizeof *message + size, _Alignof(loop_message));
    }
    if (!message) {
        member->state.overrun++;
        return;
    }
    message->at = loop->step + 1 + phx_fault_late_steps(&loop->faults);
    message->size = size;
    memcpy(message->subject, subject, strlen(subject) + 1);
    if (size > 0) memcpy(message->bytes, bytes, size);
    member->messages[member->message_count++] = message;
}

static ph_status loop_send(void *user, phc_traffic traffic, const char *subject, const void *bytes, size_t size)
{
    loop_member *from = user;
    phc_loop *loop = from->loop;
    (void)traffic;
    if (size > PHC_MESSAGE_MAX || !phx_subject_is_good(subject, false)) {
        from->state.refused++;
        return PH_BAD_ARGUMENT;
    }
    from->state.sent++;
    for (loop_member *to = loop->members; to; to = to->next) {
        if (to == from || !hears_subject(to, subject)) continue;
        if (from->cut_out || to->cut_in || phx_fault_is_drawn(&loop->faults, loop->faults.lost)) {
            from->state.dropped++;
            continue;
        }
        put_message(to, subject, bytes, size);
        if (phx_fault_is_drawn(&loop->faults, loop->faults.doubled)) put_message(to, subject, bytes, size);
    }
    return PH_OK;
}

static uint32_t loop_poll(void *user, uint32_t messages_max, phc_message_fn fn, void *fn_user)
{
    loop_member *member = user;
    uint32_t given = 0, left = 0;
    for (uint32_t i = 0; i < member->message_count; i++) { /* fn may let another member send to this one */
        loop_message *message = member->messages[i];
        if (given == messages_max || message->at > member->loop->step) {
            member->messages[left++] = message;
            continue;
        }
        fn(fn_user, message->subject, message->bytes, message->size);
        free_message(&member->loop->mem, message);
        given++;
    }
    member->message_count = left;
    member->state.received += given;
    return given;
}

static void loop_state(void *user, phc_transport_state *state)
{
    const loop_member *member = user;
    *state = member->state;
    for (uint32_t i = 0; i < PHC_TRAFFICS; i++) state->connected[i] = !member->cut_out && !member->cut_in;
}

static void loop_close(void *user)
{
    loop_member *member = user;
    phx_mem *mem = &member->loop->mem;
    void *patterns = member->patterns, *messages = member->messages;
    loop_member **link = &member->loop->members;
    while (*link != member) link = &(*link)->next;
    *link = member->next;
    for (uint32_t i = 0; i < member->message_count; i++) free_message(mem, member->messages[i]);
    phx_release(mem, &patterns, &member->pattern_capacity, sizeof *member->patterns);
    phx_release(mem, &messages, &member->message_capacity, sizeof(loop_message *));
    phx_free(mem, member, sizeof *member, _Alignof(loop_member));
}

ph_status phc_loop_join(phc_loop *loop, uint32_t messages_max, phc_transport *transport)
{
    if (!loop || !transport || messages_max == 0) return PH_BAD_ARGUMENT;
    loop_member *member = phx_alloc_zero(&loop->mem, sizeof *member, _Alignof(loop_member));
    if (!member) return PH_NO_MEMORY;
    member->loop = loop;
    member->messages_max = messages_max;
    member->next = loop->members;
    loop->members = member;
    *transport = (phc_transport){.listen = loop_listen,
                                 .send = loop_send,
                                 .poll = loop_poll,
                                 .state = loop_state,
                                 .close = loop_close,
                                 .user = member};
    return PH_OK;
}

void phc_loop_step(phc_loop *loop)
{
    loop->step++;
}

ph_status phc_loop_set_faults(phc_loop *loop, phc_faults faults)
{
    if (!loop || !phx_faults_are_good(&faults)) return PH_BAD_ARGUMENT;
    loop->faults = faults;
    return PH_OK;
}

void phc_loop_cut(phc_loop *loop, const phc_transport *member, bool out, bool in)
{
    loop_member *cut = member->user;
    PHX_ASSERT(cut->loop == loop);
    (void)loop;
    cut->cut_out = out;
    cut->cut_in = in;
}
