/*
 * Glances in range = towers; see nine_glance.h. Runs in the interest phase on any worker.
 */
#include "shards/nine_glance.h"

#include <string.h>

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
    const phx_attr *attr = phx_store_attr(&shard->store, slot);
    return phx_observes(attr) && phx_unlimited(attr) && (attr->sees & 1) && shard->far.global_count == 0 &&
           !(shard->store.body[slot].state & PHX_SLOT_RELATED);
}

/* ---- who stayed ---- */

/* The crossings of a job that an observer may see, leaves first; to the scratch's targets. */
static void tell_crossings(phx_scratch *scratch, const phx_shard *shard, const phx_nine_job *job, phx_change *change)
{
    const phx_nine *nine = &shard->nine;
    const phx_attr *attr = job->special ? phx_store_attr(&shard->store, change->slot) : NULL;
    uint32_t *to = scratch->targets + change->target_first, n = 0;
    for (uint32_t i = 0; i < job->leave_count + job->enter_count; i++) {
        const phx_crossing *c = &nine->crossings[nine->pairs[job->pair + i]];
        if (i == job->leave_count) change->leave_count = n;
        if (c->special && !phx_eligible(attr, phx_store_attr(&shard->store, c->slot))) continue;
        to[n++] = c->slot;
    }
    if (job->enter_count == 0) change->leave_count = n;
    change->enter_count = n - change->leave_count;
    scratch->target_count += n;
}

static phx_glance_result glance_stayed(phx_scratch *scratch, phx_shard *shard, const phx_nine_job *job, phx_card *card,
                                       phx_nine_told *told)
{
    uint32_t count = job->leave_count + job->enter_count;
    if (count == 0) return PHX_GLANCE_DONE;
    if (!phx_interest_reserve(scratch, count, 0)) return PHX_GLANCE_NO_MEMORY;
    scratch->counts.glanced++;
    scratch->counts.pairs_tested += count;
    phx_change change = {
        .slot = card->slot, .target_first = scratch->target_count, .list_first = PHX_SLOT_NONE, .ordered = true};
    if (told->job == job) {
        change.target_first = told->target_first;
        change.leave_count = told->leave_count;
        change.enter_count = told->enter_count;
    } else {
        tell_crossings(scratch, shard, job, &change);
        if (!job->special) *told = (phx_nine_told){job, change.target_first, change.leave_count, change.enter_count};
    }
    if (change.leave_count + change.enter_count == 0) return PHX_GLANCE_DONE;
    if (card->watches == PHX_WATCH_FRESH) {
        change.flags = PH_CHANGE_FRESH;
        shard->store.fresh[card->slot] = 0;
        card->watches = PHX_WATCH_PLAIN;
    }
    scratch->changes[scratch->change_count++] = change;
    scratch->counts.enters += change.enter_count;
    scratch->counts.leaves += change.leave_count;
    return PHX_GLANCE_DONE;
}

/* ---- who crossed ---- */

enum { STRIP_TOWERS = 8 };

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
    return !(card->flags & PHX_CARD_SPECIAL) || phx_eligible(at->attr, phx_store_attr(&at->shard->store, card->slot));
}

/* Who stayed in a tower that it now sees and did not. */
static uint32_t gain_stayed(const crosser *at, const phx_tower *tower, uint32_t *out)
{
    const phx_nine *nine = &at->shard->nine;
    uint32_t n = 0;
    for (uint32_t i = tower->first; i < tower->first + tower->old; i++) {
        const phx_card *card = &nine->cards[i];
        if (!(card->flags & PHX_CARD_WENT) && may_see(at, card)) out[n++] = card->slot;
    }
    return n;
}

/* Who came to a tower that it now sees and did not, from where it could not see them. */
static uint32_t gain_came(const crosser *at, const phx_tower *tower, uint32_t *out)
{
    const phx_nine *nine = &at->shard->nine;
    uint32_t n = 0;
    for (uint32_t i = tower->first + tower->old; i < tower->first + tower->count; i++) {
        const phx_card *card = &nine->cards[i];
        const phx_crossing *c = &nine->crossings[card->move];
        if (c->was && phx_rect_has(at->from, c->ax, c->ay)) continue;
        if (may_see(at, card)) out[n++] = card->slot;
    }
    return n;
}

/* Who was in a tower that it saw and does not now. */
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

/* The towers of a rectangle that are not in another, some at a time: their cards come from memory together. */
typedef struct strip {
    phx_crowd_walk walk;
    phx_rect but;
    const phx_crowd *crowd;
    uint64_t left;
    uint32_t count;
    const phx_tower *tower[STRIP_TOWERS];
} strip;

static void open_strip(strip *at, const phx_nine *nine, phx_rect rect, phx_rect but)
{
    at->walk = phx_nine_walk(nine, rect);
    at->but = but;
    at->left = 0;
}

/* false = through. */
static bool next_towers(strip *at)
{
    at->count = 0;
    while (at->count < STRIP_TOWERS) {
        if (!at->left) {
            if (!(at->crowd = phx_nine_next(&at->walk))) break;
            at->left = phx_crowd_mask(at->crowd, at->walk.rect) & ~phx_crowd_mask(at->crowd, at->but);
            continue;
        }
        at->tower[at->count++] = &at->crowd->tower[__builtin_ctzll(at->left)];
        at->left &= at->left - 1;
    }
    for (uint32_t i = 0; i < at->count; i++) __builtin_prefetch(&at->walk.nine->cards[at->tower[i]->first]);
    return at->count > 0;
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
        if (c->special && !phx_eligible(at->attr, phx_store_attr(&at->shard->store, c->slot))) continue;
        out[n++] = c->slot;
    }
    return n;
}

/* The job of a tower that was or is watched, in this tick. */
static const phx_nine_job *job_at(const phx_nine *nine, uint16_t tx, uint16_t ty)
{
    const phx_crowd *crowd = phx_nine_crowd(nine, tx >> PHX_BLOCK_BITS, ty >> PHX_BLOCK_BITS);
    uint32_t t = phx_block_tower(tx, ty);
    return crowd && (crowd->jobs >> t & 1) ? &nine->jobs[crowd->tower[t].job] : NULL;
}

static phx_glance_result glance_crosser(phx_scratch *scratch, phx_shard *shard, const phx_nine_job *job,
                                        phx_card *card)
{
    const phx_nine *nine = &shard->nine;
    const phx_crossing *own = &nine->crossings[card->move];
    const phx_nine_job *left = job_at(nine, own->ax, own->ay);
    PHX_ASSERT(own->was && own->is);
    if (left && left->look) return PHX_GLANCE_LOOK;
    uint32_t span = shard->rules->span, enters = 0, came = 0, leaves = 0;
    crosser at = {.shard = shard,
                  .attr = phx_store_attr(&shard->store, card->slot),
                  .slot = card->slot,
                  .from = phx_nine_rect(shard->rules, span, own->ax, own->ay),
                  .to = phx_nine_rect(shard->rules, span, own->bx, own->by)};
    __builtin_prefetch(&shard->store.tail[card->slot]);
    strip seen = {0};
    /* those of a tower who stayed are in the order of events: the long ones come first, the few others behind them */
    open_strip(&seen, nine, at.to, at.from);
    while (next_towers(&seen)) {
        for (uint32_t i = 0; i < seen.count; i++) {
            came += gain_came(&at, seen.tower[i], scratch->hits + came);
            enters += gain_stayed(&at, seen.tower[i], scratch->enter + enters);
        }
    }
    memcpy(scratch->enter + enters, scratch->hits, came * sizeof *scratch->enter);
    enters += came;
    open_strip(&seen, nine, at.from, at.to);
    while (next_towers(&seen))
        for (uint32_t i = 0; i < seen.count; i++) leaves += lose_tower(&at, seen.tower[i], scratch->leave + leaves);
    if (left) enters += pick_crossings(&at, left, true, scratch->enter + enters);
    leaves += pick_crossings(&at, job, false, scratch->leave + leaves);
    if (!phx_interest_reserve(scratch, enters + leaves, 0)) return PHX_GLANCE_NO_MEMORY;
    scratch->counts.glanced++;
    scratch->counts.pairs_tested += enters + leaves;
    if (enters + leaves == 0) return PHX_GLANCE_DONE;
    phx_interest_record(scratch, shard, card->slot, enters, leaves);
    if (card->watches == PHX_WATCH_FRESH) card->watches = PHX_WATCH_PLAIN;
    return PHX_GLANCE_DONE;
}

phx_glance_result phx_nine_glance(phx_scratch *scratch, phx_shard *shard, const phx_nine_job *job, phx_card *card,
                                  phx_nine_told *told)
{
    if (job->look || card->watches == PHX_WATCH_LOOK) return PHX_GLANCE_LOOK;
    if (card->flags & PHX_CARD_CAME) return glance_crosser(scratch, shard, job, card);
    return glance_stayed(scratch, shard, job, card, told);
}
