/*
 * Glances in range = towers; see nine_glance.h. Runs in the interest phase on any worker.
 */
#include "shards/nine_glance.h"

const phx_nine_job *phx_nine_job_of(const phx_nine *nine, uint32_t item)
{
    uint32_t lo = 0, hi = nine->job_count;
    while (hi - lo > 1) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (nine->jobs[mid].first <= item) lo = mid;
        else hi = mid;
    }
    return &nine->jobs[lo];
}

bool phx_nine_plain(const phx_shard *shard, uint32_t slot)
{
    const phx_attr *attr = &shard->store.attr[slot];
    return phx_observes(attr) && attr->cap == 0 && (attr->sees & 1) && shard->far.global_count == 0 &&
           !(shard->store.body[slot].state & PHX_SLOT_RELATED);
}

/* ---- telling ---- */

static phx_change *open_change(phx_scratch *scratch, phx_shard *shard, phx_card *card)
{
    phx_change *change = &scratch->changes[scratch->change_count++];
    *change = (phx_change){
        .slot = card->slot, .target_first = scratch->target_count, .list_first = PHX_SLOT_NONE, .ordered = true};
    if (card->watches == PHX_WATCH_FRESH) {
        change->flags = PH_CHANGE_FRESH;
        shard->store.tail[card->slot].list.flags &= (uint8_t)~PHX_LIST_FRESH;
        card->watches = PHX_WATCH_PLAIN;
    }
    return change;
}

static void count_change(phx_scratch *scratch, const phx_change *change)
{
    scratch->counts.enters += change->enter_count;
    scratch->counts.leaves += change->leave_count;
}

/* ---- who stayed ---- */

/* Crossings that the observer may see. */
static uint32_t tell_crossings(phx_scratch *scratch, const phx_shard *shard, const phx_nine_job *job,
                               const phx_card *card, uint32_t first, uint32_t count)
{
    const phx_nine *nine = &shard->nine;
    const phx_attr *attr = job->special ? &shard->store.attr[card->slot] : NULL;
    uint32_t before = scratch->target_count;
    for (uint32_t i = first; i < first + count; i++) {
        const phx_crossing *c = &nine->crossings[nine->pairs[i]];
        if (c->special && !phx_eligible(attr, &shard->store.attr[c->slot])) continue;
        scratch->targets[scratch->target_count++] = c->slot;
    }
    return scratch->target_count - before;
}

static phx_glance_result glance_stayed(phx_scratch *scratch, phx_shard *shard, const phx_nine_job *job, phx_card *card)
{
    uint32_t leaves = job->leave_count, enters = job->enter_count;
    if (leaves + enters == 0) return PHX_GLANCE_DONE;
    if (!phx_interest_reserve(scratch, leaves + enters, 0)) return PHX_GLANCE_NO_MEMORY;
    uint32_t first = scratch->target_count;
    scratch->counts.pairs_tested += leaves + enters;
    leaves = tell_crossings(scratch, shard, job, card, job->pair, leaves);
    enters = tell_crossings(scratch, shard, job, card, job->pair + job->leave_count, enters);
    if (leaves + enters == 0) return PHX_GLANCE_DONE;
    phx_change *change = open_change(scratch, shard, card);
    change->target_first = first;
    change->leave_count = leaves;
    change->enter_count = enters;
    count_change(scratch, change);
    return PHX_GLANCE_DONE;
}

/* ---- who crossed ---- */

/* One observer that crossed. */
typedef struct crosser {
    const phx_shard *shard;
    const phx_attr *attr;
    uint32_t slot;
    phx_rect from, to; /* it sees */
} crosser;

static bool may_see(const crosser *at, const phx_card *card)
{
    if (card->slot == at->slot) return false;
    return !(card->flags & PHX_CARD_SPECIAL) || phx_eligible(at->attr, &at->shard->store.attr[card->slot]);
}

/* Slots on cards of a tower that it now sees and did not. */
static uint32_t gain_tower(const crosser *at, const phx_tower *tower, uint32_t *out)
{
    const phx_nine *nine = &at->shard->nine;
    uint32_t n = 0;
    for (uint32_t i = tower->first; i < tower->first + tower->count; i++) {
        const phx_card *card = &nine->cards[i];
        if (card->flags & PHX_CARD_WENT) continue;
        if (card->flags & PHX_CARD_CAME) {
            const phx_crossing *c = &nine->crossings[card->move];
            if (c->was && phx_rect_has(at->from, c->ax, c->ay)) continue;
        }
        if (may_see(at, card)) out[n++] = card->slot;
    }
    return n;
}

/* Those that it saw and does not now. */
static uint32_t lose_tower(const crosser *at, const phx_tower *tower, uint32_t *out)
{
    const phx_nine *nine = &at->shard->nine;
    uint32_t n = 0;
    for (uint32_t i = tower->first; i < tower->first + tower->old; i++) {
        const phx_card *card = &nine->cards[i];
        if (card->flags & PHX_CARD_WENT) {
            const phx_crossing *c = &nine->crossings[card->move];
            if (c->is && phx_rect_has(at->to, c->bx, c->by)) continue;
        }
        if (may_see(at, card)) out[n++] = card->slot;
    }
    return n;
}

/* Of a job's crossings, those that begin or end where the observer is concerned. */
static uint32_t pick_crossings(const crosser *at, const phx_nine_job *job, bool enter, uint32_t *out)
{
    const phx_nine *nine = &at->shard->nine;
    uint32_t first = enter ? job->pair + job->leave_count : job->pair;
    uint32_t count = enter ? job->enter_count : job->leave_count, n = 0;
    for (uint32_t i = first; i < first + count; i++) {
        const phx_crossing *c = &nine->crossings[nine->pairs[i]];
        bool concerns = enter ? phx_rect_has(at->to, c->bx, c->by) : phx_rect_has(at->from, c->ax, c->ay);
        if (!concerns || c->slot == at->slot) continue;
        if (c->special && !phx_eligible(at->attr, &at->shard->store.attr[c->slot])) continue;
        out[n++] = c->slot;
    }
    return n;
}

/* The job of a tower that was or is watched, in this tick. */
static const phx_nine_job *job_at(const phx_nine *nine, uint16_t tx, uint16_t ty)
{
    const phx_crowd *crowd = phx_nine_crowd(nine, tx >> PHX_BLOCK_BITS, ty >> PHX_BLOCK_BITS);
    uint32_t t = phx_block_tower(tx, ty);
    bool has = crowd && crowd->epoch == nine->epoch && (crowd->jobs >> t & 1);
    return has ? &nine->jobs[crowd->tower[t].job] : NULL;
}

static phx_glance_result glance_crosser(phx_scratch *scratch, phx_shard *shard, const phx_nine_job *job,
                                        phx_card *card)
{
    const phx_nine *nine = &shard->nine;
    const phx_crossing *own = &nine->crossings[card->move];
    const phx_nine_job *left = job_at(nine, own->ax, own->ay);
    PHX_ASSERT(own->was && own->is);
    if (left && left->look) return PHX_GLANCE_LOOK;
    uint32_t span = shard->rules->span, enters = 0, leaves = 0;
    crosser at = {.shard = shard,
                  .attr = &shard->store.attr[card->slot],
                  .slot = card->slot,
                  .from = phx_nine_rect(shard->rules, span, own->ax, own->ay),
                  .to = phx_nine_rect(shard->rules, span, own->bx, own->by)};
    phx_crowd_walk walk = phx_nine_walk(nine, at.to);
    for (const phx_crowd *crowd; (crowd = phx_nine_next(&walk)) != NULL;) {
        uint64_t gained = phx_crowd_mask(crowd, at.to) & ~phx_crowd_mask(crowd, at.from);
        for (; gained; gained &= gained - 1)
            enters += gain_tower(&at, &crowd->tower[__builtin_ctzll(gained)], scratch->enter + enters);
    }
    walk = phx_nine_walk(nine, at.from);
    for (const phx_crowd *crowd; (crowd = phx_nine_next(&walk)) != NULL;) {
        uint64_t lost = phx_crowd_mask(crowd, at.from) & ~phx_crowd_mask(crowd, at.to);
        for (; lost; lost &= lost - 1)
            leaves += lose_tower(&at, &crowd->tower[__builtin_ctzll(lost)], scratch->leave + leaves);
    }
    if (left) enters += pick_crossings(&at, left, true, scratch->enter + enters);
    leaves += pick_crossings(&at, job, false, scratch->leave + leaves);
    if (enters + leaves == 0) return PHX_GLANCE_DONE;
    scratch->counts.pairs_tested += enters + leaves;
    if (!phx_interest_reserve(scratch, enters + leaves, 0)) return PHX_GLANCE_NO_MEMORY;
    phx_interest_record(scratch, shard, card->slot, enters, leaves);
    if (card->watches == PHX_WATCH_FRESH) card->watches = PHX_WATCH_PLAIN;
    return PHX_GLANCE_DONE;
}

phx_glance_result phx_nine_glance(phx_scratch *scratch, phx_shard *shard, const phx_nine_job *job, phx_card *card)
{
    if (job->look || card->watches == PHX_WATCH_LOOK) return PHX_GLANCE_LOOK;
    bool crossed = card->flags & PHX_CARD_CAME;
    phx_glance_result seen = crossed ? glance_crosser(scratch, shard, job, card)
                                     : glance_stayed(scratch, shard, job, card);
    scratch->counts.glanced += seen == PHX_GLANCE_DONE;
    return seen;
}
