/*
 * Answers; see answers.h.
 */
#include "world/monitor/answers.h"

#include "base/clock.h"
#include "world/read/find.h"
#include "world/read/query.h"

static ph_query query_of(const ph_monitor_question *question)
{
    switch (question->kind) {
    case PH_ASK_LIST:
        return (ph_query){.shape = PH_QUERY_LIST, .of = question->id};
    case PH_ASK_OBSERVERS:
        return (ph_query){.shape = PH_QUERY_OBSERVERS, .of = question->id};
    case PH_ASK_NEAREST:
    case PH_ASK_EXPLAIN:
    case PH_ASK_ENTITY:
        break;
    }
    return (ph_query){.shape = PH_QUERY_NEAREST,
                      .nearest = question->most,
                      .x = question->x,
                      .y = question->y,
                      .radius = question->radius,
                      .flags = question->flags & PH_MONITOR_ANY_INSTANCE ? 0 : PH_QUERY_IN_INSTANCE,
                      .instance = question->instance};
}

/* Entities go behind the ones of the answers before. */
static void find_hits(const phx_world *world, phx_monitor *monitor, ph_monitor_answer *answer)
{
    ph_monitor_frame *frame = &monitor->frame;
    const ph_query query = query_of(&answer->question);
    const uint32_t left = monitor->def.hits_max - frame->hit_count, most = answer->question.most;
    const uint32_t room = most < left ? most : left;
    answer->first = frame->hit_count;
    answer->status = phx_find(world, &query, monitor->hits + frame->hit_count, room, &answer->total);
    answer->count = answer->total < room ? answer->total : room;
    frame->hit_count += answer->count;
}

static void answer_question(const phx_world *world, phx_monitor *monitor, ph_monitor_answer *answer)
{
    const ph_monitor_question *question = &answer->question;
    switch (question->kind) {
    case PH_ASK_LIST:
    case PH_ASK_OBSERVERS:
    case PH_ASK_NEAREST:
        find_hits(world, monitor, answer);
        break;
    case PH_ASK_EXPLAIN:
        answer->status = phx_query_explain(world, question->id, question->other, &answer->explanation);
        break;
    case PH_ASK_ENTITY:
        answer->status = phx_query_entity(world, question->id, &answer->attrs);
        break;
    }
}

void phx_answers_fill(const phx_world *world, phx_monitor *monitor)
{
    ph_monitor_frame *frame = &monitor->frame;
    const uint64_t asked = atomic_load_explicit(&monitor->asked, memory_order_acquire);
    uint64_t at = atomic_load_explicit(&monitor->answered, memory_order_relaxed);
    const uint64_t end = phx_now_ns() + monitor->def.question_ns;
    frame->answer_count = frame->hit_count = 0;
    for (; at != asked && (frame->answer_count == 0 || phx_now_ns() < end); at++) {
        ph_monitor_answer *answer = &monitor->answers[frame->answer_count++];
        *answer = (ph_monitor_answer){.question = monitor->questions[at % monitor->def.questions]};
        answer_question(world, monitor, answer);
    }
    frame->questions_waiting = (uint32_t)(asked - at);
    atomic_fetch_add_explicit(&monitor->answers_given, frame->answer_count, memory_order_relaxed);
    atomic_store_explicit(&monitor->answered, at, memory_order_release);
}
