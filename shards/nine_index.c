/*
 * The index phase of crowds, and their tick's end; see nine.h. What was noted and what was added becomes crossings,
 * in the order of events; those become cards; then every tower from which one of them was seen, or is seen now, has
 * a job. Called by the shard's owner.
 */
#include "shards/nine.h"

#include <string.h>

#include "shards/rank.h"

enum { STAGE_CROSSINGS = 0, STAGE_CARDS, STAGE_JOBS, STAGE_DONE };

/* ---- room for cards ---- */

static uint32_t room(uint8_t size_class)
{
    return size_class == PHX_LIST_NONE ? 0 : 2u << size_class;
}

static void release_cards(phx_nine *nine, phx_crowd *crowd, uint32_t t)
{
    uint8_t size_class = crowd->room[t];
    if (size_class == PHX_LIST_NONE) return;
    nine->cards[crowd->tower[t].first].slot = nine->free_first[size_class];
    nine->free_first[size_class] = crowd->tower[t].first;
    crowd->room[t] = PHX_LIST_NONE;
}

/* Room for one more card in the tower. */
static bool reserve_card(phx_nine *nine, phx_mem *mem, phx_crowd *crowd, uint32_t t)
{
    phx_tower *tower = &crowd->tower[t];
    if (tower->count < room(crowd->room[t])) return true;
    uint8_t size_class = crowd->room[t] == PHX_LIST_NONE ? 0 : (uint8_t)(crowd->room[t] + 1);
    PHX_ASSERT(size_class < PHX_NINE_SIZES);
    uint32_t first = nine->free_first[size_class];
    if (first != PHX_NINE_NONE) {
        nine->free_first[size_class] = nine->cards[first].slot;
    } else {
        size_t needed = (size_t)nine->cards_used + room(size_class);
        if (!phx_grow(mem, (void **)&nine->cards, &nine->cards_capacity, nine->cards_used, needed, sizeof(phx_card)))
            return false;
        first = nine->cards_used;
        nine->cards_used = (uint32_t)needed;
    }
    if (tower->count > 0) memcpy(nine->cards + first, nine->cards + tower->first, tower->count * sizeof(phx_card));
    release_cards(nine, crowd, t);
    tower->first = first;
    crowd->room[t] = size_class;
    return true;
}

/* The crowd of a tower, made where there is none; NULL = no memory. */
static phx_crowd *crowd_ensure(phx_nine *nine, phx_mem *mem, uint16_t tx, uint16_t ty)
{
    uint16_t bx = tx >> PHX_BLOCK_BITS, by = ty >> PHX_BLOCK_BITS;
    phx_crowd *crowd = phx_nine_crowd(nine, bx, by);
    if (PHX_LIKELY(crowd)) return crowd;
    if (!phx_idmap_reserve(&nine->index, nine->crowd_count + 1) ||
        !phx_grow(mem, (void **)&nine->crowds, &nine->crowds_capacity, nine->crowd_count,
                  (size_t)nine->crowd_count + 1, sizeof(phx_crowd)))
        return NULL;
    phx_idmap_insert(&nine->index, ((uint64_t)by << 16 | bx) + 1, nine->crowd_count);
    crowd = &nine->crowds[nine->crowd_count++];
    memset(crowd, 0, sizeof *crowd);
    crowd->bx = bx;
    crowd->by = by;
    memset(crowd->room, PHX_LIST_NONE, sizeof crowd->room);
    return crowd;
}

/* ---- crossings ---- */

static bool before(uint16_t kind, uint64_t id, uint16_t other_kind, uint64_t other_id)
{
    return kind != other_kind ? kind < other_kind : id < other_id;
}

/* Where in its tower the card of a slot stands that was of that kind. */
static uint32_t find_card(const phx_nine *nine, const phx_tower *tower, uint16_t kind, uint64_t id)
{
    const phx_card *cards = nine->cards + tower->first;
    uint32_t lo = 0, hi = tower->old;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (before(cards[mid].kind, cards[mid].id, kind, id)) lo = mid + 1;
        else hi = mid;
    }
    PHX_ASSERT(lo < tower->old && cards[lo].id == id);
    return lo;
}

static phx_crossing crossing_of(const phx_store *store, uint32_t slot)
{
    const phx_body *body = &store->body[slot];
    return (phx_crossing){.id = store->name[slot].id,
                          .user_data = store->name[slot].user_data,
                          .slot = slot,
                          .incarnation = store->name[slot].incarnation,
                          .bx = body->tx,
                          .by = body->ty,
                          .kind = store->name[slot].kind,
                          .is = body->state & PHX_SLOT_LIVE,
                          .special = body->state & PHX_SLOT_SPECIAL};
}

/* As an observer: who changed what decides about its list has to be evaluated, once, whatever its list was. */
static uint8_t watches_now(const phx_nine *nine, const phx_store *store, uint32_t slot)
{
    const phx_body *body = &store->body[slot];
    uint8_t watches = phx_nine_watches(store, slot);
    bool other = (body->state & PHX_SLOT_NOTED) && nine->notes[body->row].attr != PHX_NINE_NONE;
    return other && watches != PHX_WATCH_NONE ? PHX_WATCH_LOOK : watches;
}

/* What a card says beside its place. */
static void write_card(const phx_nine *nine, phx_card *card, const phx_store *store, uint32_t slot, bool special)
{
    card->id = store->name[slot].id;
    card->user_data = store->name[slot].user_data;
    card->slot = slot;
    card->incarnation = store->name[slot].incarnation;
    card->kind = store->name[slot].kind;
    card->flags = (uint8_t)((card->flags & ~PHX_CARD_SPECIAL) | (special ? PHX_CARD_SPECIAL : 0));
    card->watches = watches_now(nine, store, slot);
}

static void mark_watching(phx_nine *nine, phx_crowd *crowd, uint32_t t, uint8_t watches)
{
    if (watches == PHX_WATCH_LOOK) {
        crowd->look |= 1ull << t;
        nine->marking = true;
    }
    if (watches != PHX_WATCH_NONE) crowd->watched |= 1ull << t;
}

/* The card of a noted slot follows it where it stays; else, or when observers have to look, that is a crossing. */
static void take_note(phx_nine *nine, const phx_store *store, const phx_note *note)
{
    const phx_body *body = &store->body[note->slot];
    phx_crowd *crowd = phx_nine_crowd(nine, note->tx >> PHX_BLOCK_BITS, note->ty >> PHX_BLOCK_BITS);
    PHX_ASSERT(crowd);
    uint32_t t = phx_block_tower(note->tx, note->ty);
    phx_crossing crossing = crossing_of(store, note->slot);
    crossing.place = find_card(nine, &crowd->tower[t], note->kind, crossing.id);
    phx_card *card = &nine->cards[crowd->tower[t].first + crossing.place];
    PHX_ASSERT(card->slot == note->slot);
    bool stays = crossing.is && note->tx == body->tx && note->ty == body->ty && note->kind == crossing.kind;
    if (stays) {
        write_card(nine, card, store, note->slot, crossing.special || note->recast);
        mark_watching(nine, crowd, t, card->watches);
        if (!note->recast) return;
    }
    crossing.ax = note->tx;
    crossing.ay = note->ty;
    crossing.was = true;
    crossing.recast = note->recast;
    crossing.special |= (card->flags & PHX_CARD_SPECIAL) || note->recast;
    nine->crossings[nine->crossing_count++] = crossing;
}

/* Into the order of events; mostly they are, as commands come in the order of ids. */
static bool sort_crossings(phx_nine *nine, phx_mem *mem)
{
    const phx_crossing *crossings = nine->crossings;
    uint32_t i = 1, count = nine->crossing_count;
    while (i < count && !before(crossings[i].kind, crossings[i].id, crossings[i - 1].kind, crossings[i - 1].id)) i++;
    if (i >= count) return true;
    if (!phx_grow(mem, (void **)&nine->keys, &nine->keys_capacity, 0, (size_t)count * 2, sizeof(phx_sorted)) ||
        !phx_grow(mem, (void **)&nine->spare, &nine->spare_capacity, 0, count, sizeof(phx_crossing)))
        return false;
    phx_sorted *keys = nine->keys;
    for (i = 0; i < count; i++)
        keys[i] = (phx_sorted){.id = crossings[i].id, .kind = crossings[i].kind, .slot = i};
    phx_order_many(keys, keys + count, count);
    for (i = 0; i < count; i++) nine->spare[i] = crossings[keys[i].slot];
    phx_crossing *spare = nine->crossings;
    nine->crossings = nine->spare;
    nine->spare = spare;
    uint32_t swap = nine->crossings_capacity;
    nine->crossings_capacity = nine->spare_capacity;
    nine->spare_capacity = swap;
    return true;
}

/* Everything that was noted, and everybody who was added. */
static bool find_crossings(phx_nine *nine, phx_mem *mem, const phx_nine_input *in)
{
    size_t most = (size_t)nine->note_count + in->deferred->count;
    if (!phx_grow(mem, (void **)&nine->crossings, &nine->crossings_capacity, 0, most, sizeof(phx_crossing)))
        return false;
    nine->crossing_count = 0;
    for (uint32_t i = 0; i < nine->note_count; i++) take_note(nine, in->store, &nine->notes[i]);
    for (uint32_t i = 0; i < in->deferred->count; i++) {
        uint32_t slot = in->deferred->slots[i];
        if (in->store->body[slot].state & PHX_SLOT_LIVE)
            nine->crossings[nine->crossing_count++] = crossing_of(in->store, slot);
    }
    return sort_crossings(nine, mem);
}

/* ---- cards ---- */

/* The old card stays for this tick, and names its entity as it is now; its death tells that it has none any more. */
static void mark_old(phx_nine *nine, phx_store *store, uint32_t i, bool stays)
{
    const phx_crossing *crossing = &nine->crossings[i];
    phx_crowd *crowd = phx_nine_crowd(nine, crossing->ax >> PHX_BLOCK_BITS, crossing->ay >> PHX_BLOCK_BITS);
    uint32_t t = phx_block_tower(crossing->ax, crossing->ay);
    phx_card *card = &nine->cards[crowd->tower[t].first + crossing->place];
    PHX_ASSERT(card->slot == crossing->slot);
    card->move = i;
    crowd->untidy |= 1ull << t;
    if (stays) return;
    card->user_data = crossing->user_data;
    card->kind = crossing->kind;
    card->flags |= PHX_CARD_WENT;
    if (!crossing->is) store->body[crossing->slot].state &= (uint16_t)~PHX_SLOT_ROW;
}

/* Restartable: all room for a crossing is there before its first change. */
static bool place_crossing(phx_nine *nine, phx_mem *mem, const phx_nine_input *in, uint32_t i)
{
    const phx_crossing *crossing = &nine->crossings[i];
    phx_store *store = in->store;
    bool same = crossing->was && crossing->is && crossing->ax == crossing->bx && crossing->ay == crossing->by;
    bool stays = same && nine->notes[store->body[crossing->slot].row].kind == crossing->kind;
    if (crossing->is && !stays) {
        phx_crowd *crowd = crowd_ensure(nine, mem, crossing->bx, crossing->by);
        uint32_t t = phx_block_tower(crossing->bx, crossing->by);
        if (!crowd || !reserve_card(nine, mem, crowd, t)) return false;
        phx_tower *tower = &crowd->tower[t];
        uint32_t came = tower->count - tower->old + 1;
        if (!phx_grow(mem, (void **)&nine->came, &nine->came_capacity, 0, came, sizeof(phx_card))) return false;
        phx_card *card = &nine->cards[tower->first + tower->count++];
        *card = (phx_card){.move = i, .flags = PHX_CARD_CAME};
        write_card(nine, card, store, crossing->slot, crossing->special);
        mark_watching(nine, crowd, t, card->watches);
        crowd->untidy |= 1ull << t;
        crowd->cards++;
        nine->card_count++;
        store->body[crossing->slot].state |= PHX_SLOT_ROW;
        phx_nine_touch(nine, crossing->bx, crossing->by, in->tick);
    }
    if (crossing->was) mark_old(nine, store, i, stays);
    return true;
}

static bool place_crossings(phx_nine *nine, phx_mem *mem, const phx_nine_input *in)
{
    for (; nine->at < nine->crossing_count; nine->at++)
        if (!place_crossing(nine, mem, in, nine->at)) return false;
    /* a note for each at most, and notes are taken where nothing may fail */
    return phx_grow(mem, (void **)&nine->notes, &nine->notes_capacity, nine->note_count, nine->card_count,
                    sizeof(phx_note));
}

/* ---- jobs ---- */

/* The tower's job, made if it has none; NULL = no memory. */
static phx_nine_job *job_ensure(phx_nine *nine, phx_mem *mem, phx_crowd *crowd, uint32_t t)
{
    uint64_t bit = 1ull << t;
    if (crowd->epoch != nine->epoch) crowd->jobs = 0;
    crowd->epoch = nine->epoch;
    if (crowd->jobs & bit) return &nine->jobs[crowd->tower[t].job];
    if (!phx_grow(mem, (void **)&nine->jobs, &nine->jobs_capacity, nine->job_count, (size_t)nine->job_count + 1,
                  sizeof(phx_nine_job)))
        return NULL;
    crowd->jobs |= bit;
    crowd->tower[t].job = nine->job_count;
    phx_nine_job *job = &nine->jobs[nine->job_count++];
    *job = (phx_nine_job){.crowd = (uint32_t)(crowd - nine->crowds), .tower = t};
    return job;
}

/* These towers of a crowd see the crossing come or go. */
static bool show(phx_nine *nine, phx_mem *mem, phx_crowd *crowd, uint64_t towers, uint32_t crossing)
{
    for (; towers; towers &= towers - 1) {
        phx_nine_job *job = job_ensure(nine, mem, crowd, (uint32_t)__builtin_ctzll(towers));
        if (!job || !phx_grow(mem, (void **)&nine->found, &nine->found_capacity, nine->found_count,
                              (size_t)nine->found_count + 1, sizeof(phx_nine_pair)))
            return false;
        if (crossing & PHX_NINE_ENTER) job->enter_count++;
        else job->leave_count++;
        job->special |= nine->crossings[crossing & ~PHX_NINE_ENTER].special;
        nine->found[nine->found_count++] =
            (phx_nine_pair){.job = (uint32_t)(job - nine->jobs), .crossing = crossing};
    }
    return true;
}

/* The observers in these towers of a crowd evaluate. */
static bool look(phx_nine *nine, phx_mem *mem, phx_crowd *crowd, uint64_t towers)
{
    for (; towers; towers &= towers - 1) {
        phx_nine_job *job = job_ensure(nine, mem, crowd, (uint32_t)__builtin_ctzll(towers));
        if (!job) return false;
        job->look = true;
    }
    return true;
}

static phx_rect joined(phx_rect a, phx_rect b)
{
    return (phx_rect){a.x0 < b.x0 ? a.x0 : b.x0, a.y0 < b.y0 ? a.y0 : b.y0, a.x1 > b.x1 ? a.x1 : b.x1,
                      a.y1 > b.y1 ? a.y1 : b.y1};
}

/* What one rectangle's towers see of the crossing and the other's do not. */
static bool show_side(phx_nine *nine, phx_mem *mem, const phx_rules *rules, uint32_t i, bool is)
{
    const phx_crossing *crossing = &nine->crossings[i];
    bool other = is ? crossing->was : crossing->is;
    phx_rect from = phx_nine_rect(rules, rules->span, crossing->ax, crossing->ay);
    phx_rect to = phx_nine_rect(rules, rules->span, crossing->bx, crossing->by);
    phx_crowd_walk walk = phx_nine_walk(nine, is ? to : from);
    for (phx_crowd *crowd; (crowd = phx_nine_next(&walk)) != NULL;) {
        uint64_t here = phx_crowd_mask(crowd, is ? to : from) & crowd->watched;
        uint64_t seen = here & ~(other ? phx_crowd_mask(crowd, is ? from : to) : 0);
        if (!show(nine, mem, crowd, seen, is ? i | PHX_NINE_ENTER : i)) return false;
        if (crossing->recast && !look(nine, mem, crowd, here)) return false;
    }
    return true;
}

/* A step to a tower beside: both sides in one walk. */
static bool show_step(phx_nine *nine, phx_mem *mem, const phx_rules *rules, uint32_t i)
{
    const phx_crossing *crossing = &nine->crossings[i];
    phx_rect from = phx_nine_rect(rules, rules->span, crossing->ax, crossing->ay);
    phx_rect to = phx_nine_rect(rules, rules->span, crossing->bx, crossing->by);
    phx_crowd_walk walk = phx_nine_walk(nine, joined(from, to));
    for (phx_crowd *crowd; (crowd = phx_nine_next(&walk)) != NULL;) {
        uint64_t a = phx_crowd_mask(crowd, from), b = phx_crowd_mask(crowd, to);
        if (!show(nine, mem, crowd, a & ~b & crowd->watched, i)) return false;
        if (!show(nine, mem, crowd, b & ~a & crowd->watched, i | PHX_NINE_ENTER)) return false;
        if (crossing->recast && !look(nine, mem, crowd, (a | b) & crowd->watched)) return false;
    }
    return true;
}

static bool show_crossing(phx_nine *nine, phx_mem *mem, const phx_rules *rules, uint32_t i)
{
    const phx_crossing *c = &nine->crossings[i];
    bool step = c->was && c->is && c->ax + 1 >= c->bx && c->bx + 1 >= c->ax && c->ay + 1 >= c->by && c->by + 1 >= c->ay;
    if (step) return show_step(nine, mem, rules, i);
    return (!c->was || show_side(nine, mem, rules, i, false)) && (!c->is || show_side(nine, mem, rules, i, true));
}

/* The crossings in the order of jobs: of each those that leave, then those that enter, both in their own order. */
static bool sort_pairs(phx_nine *nine, phx_mem *mem)
{
    uint32_t sum = 0, items = 0;
    if (!phx_grow(mem, (void **)&nine->pairs, &nine->pairs_capacity, 0, nine->found_count, sizeof(uint32_t)))
        return false;
    for (uint32_t i = 0; i < nine->job_count; i++) {
        phx_nine_job *job = &nine->jobs[i];
        job->pair = job->next_leave = sum;
        job->next_enter = sum + job->leave_count;
        sum = job->next_enter + job->enter_count;
        job->first = items;
        items += nine->crowds[job->crowd].tower[job->tower].count;
    }
    for (uint32_t i = 0; i < nine->found_count; i++) {
        phx_nine_pair pair = nine->found[i];
        phx_nine_job *job = &nine->jobs[pair.job];
        bool enter = pair.crossing & PHX_NINE_ENTER;
        nine->pairs[enter ? job->next_enter++ : job->next_leave++] = pair.crossing & ~PHX_NINE_ENTER;
    }
    nine->item_count = items;
    return true;
}

static bool find_jobs(phx_nine *nine, phx_mem *mem, const phx_nine_input *in)
{
    nine->epoch++;
    nine->job_count = nine->found_count = 0;
    for (uint32_t i = 0; i < nine->crossing_count; i++)
        if (!show_crossing(nine, mem, in->rules, i)) return false;
    for (uint32_t i = 0; i < nine->crossing_count; i++) {
        const phx_crossing *crossing = &nine->crossings[i];
        if (!crossing->is) continue;
        phx_crowd *crowd = phx_nine_crowd(nine, crossing->bx >> PHX_BLOCK_BITS, crossing->by >> PHX_BLOCK_BITS);
        uint32_t t = phx_block_tower(crossing->bx, crossing->by);
        if ((crowd->watched >> t & 1) && !job_ensure(nine, mem, crowd, t)) return false;
    }
    for (uint32_t i = 0; in->look_all && i < nine->crowd_count; i++)
        if (!look(nine, mem, &nine->crowds[i], nine->crowds[i].watched)) return false;
    for (uint32_t i = 0; in->changed && nine->marking && i < nine->crowd_count; i++)
        for (uint64_t left = nine->crowds[i].look; left; left &= left - 1)
            if (!job_ensure(nine, mem, &nine->crowds[i], (uint32_t)__builtin_ctzll(left))) return false;
    return sort_pairs(nine, mem);
}

bool phx_nine_index(phx_nine *nine, phx_mem *mem, const phx_nine_input *in)
{
    if (nine->stage == STAGE_CROSSINGS) {
        if (!find_crossings(nine, mem, in)) return false;
        nine->stage = STAGE_CARDS;
        nine->at = 0;
    }
    if (nine->stage == STAGE_CARDS) {
        if (!place_crossings(nine, mem, in)) return false;
        nine->stage = STAGE_JOBS;
    }
    if (nine->stage == STAGE_JOBS) {
        if (!find_jobs(nine, mem, in)) return false;
        nine->stage = STAGE_DONE;
    }
    return true;
}

/* ---- the tick's end ---- */

/* Who watches from this tower, as the cards say. */
static void read_watches(const phx_nine *nine, phx_crowd *crowd, uint32_t t)
{
    const phx_card *cards = nine->cards + crowd->tower[t].first;
    uint64_t bit = 1ull << t, watched = 0, looks = 0;
    for (uint32_t i = 0; i < crowd->tower[t].count; i++) {
        if (cards[i].watches != PHX_WATCH_NONE) watched = bit;
        if (cards[i].watches == PHX_WATCH_LOOK) looks = bit;
    }
    crowd->watched = (crowd->watched & ~bit) | watched;
    crowd->look = (crowd->look & ~bit) | looks;
}

/* Those that came, sorted, go among those that stayed, sorted, from the last one down. */
static void merge_came(phx_nine *nine, phx_card *cards, uint32_t stayed, uint32_t came)
{
    const phx_card *from = nine->came;
    memcpy(nine->came, cards + stayed, came * sizeof *cards);
    while (came > 0 && stayed > 0) {
        const phx_card *a = &cards[stayed - 1], *b = &from[came - 1];
        bool last = before(b->kind, b->id, a->kind, a->id);
        cards[stayed + came - 1] = last ? *a : *b;
        if (last) stayed--;
        else came--;
    }
    memcpy(cards, from, came * sizeof *cards);
}

static void tidy(phx_nine *nine, const phx_store *store, phx_crowd *crowd, uint32_t t)
{
    phx_tower *tower = &crowd->tower[t];
    phx_card *cards = nine->cards + tower->first;
    uint32_t stayed = 0, came = 0;
    for (uint32_t i = 0; i < tower->count; i++) {
        if (cards[i].flags & PHX_CARD_WENT) continue;
        if (i != stayed + came) cards[stayed + came] = cards[i];
        phx_card *card = &cards[stayed + came];
        if (i < tower->old) stayed++;
        else came++;
        if (card->move == PHX_NINE_NONE) continue;
        card->move = PHX_NINE_NONE;
        card->flags = store->body[card->slot].state & PHX_SLOT_SPECIAL ? PHX_CARD_SPECIAL : 0;
    }
    if (came > 0) merge_came(nine, cards, stayed, came);
    uint32_t went = tower->count - stayed - came;
    crowd->cards -= went;
    nine->card_count -= went;
    tower->count = tower->old = stayed + came;
    crowd->untidy &= ~(1ull << t);
    read_watches(nine, crowd, t);
    if (tower->count == 0) release_cards(nine, crowd, t);
}

static void tidy_at(phx_nine *nine, const phx_store *store, uint16_t tx, uint16_t ty)
{
    phx_crowd *crowd = phx_nine_crowd(nine, tx >> PHX_BLOCK_BITS, ty >> PHX_BLOCK_BITS);
    uint32_t t = phx_block_tower(tx, ty);
    if (crowd->untidy >> t & 1) tidy(nine, store, crowd, t);
}

/* A crowd that nobody is left in goes; the last one takes its place. */
static void drop_empty(phx_nine *nine, uint16_t tx, uint16_t ty)
{
    phx_crowd *crowd = phx_nine_crowd(nine, tx >> PHX_BLOCK_BITS, ty >> PHX_BLOCK_BITS);
    if (!crowd || crowd->cards > 0) return;
    const phx_crowd *last = &nine->crowds[--nine->crowd_count];
    phx_idmap_remove(&nine->index, ((uint64_t)crowd->by << 16 | crowd->bx) + 1);
    if (last == crowd) return;
    *phx_idmap_find(&nine->index, ((uint64_t)last->by << 16 | last->bx) + 1) = (uint64_t)(crowd - nine->crowds);
    *crowd = *last;
}

void phx_nine_settle(phx_nine *nine, const phx_rules *rules, phx_store *store)
{
    for (uint32_t i = 0; i < nine->crossing_count; i++) {
        const phx_crossing *crossing = &nine->crossings[i];
        if (crossing->was) tidy_at(nine, store, crossing->ax, crossing->ay);
        if (crossing->is) tidy_at(nine, store, crossing->bx, crossing->by);
    }
    for (uint32_t i = 0; i < nine->job_count; i++) {
        phx_crowd *crowd = &nine->crowds[nine->jobs[i].crowd];
        if (!nine->jobs[i].look) continue;
        read_watches(nine, crowd, nine->jobs[i].tower);
        nine->marking |= crowd->look != 0;
    }
    for (uint32_t i = 0; i < nine->crossing_count; i++)
        if (nine->crossings[i].was) drop_empty(nine, nine->crossings[i].ax, nine->crossings[i].ay);
    bool marking = nine->marking;
    nine->marking = false;
    for (uint32_t c = 0; marking && c < nine->crowd_count; c++) {
        phx_crowd *crowd = &nine->crowds[c];
        for (uint64_t left = crowd->look; left; left &= left - 1)
            read_watches(nine, crowd, (uint32_t)__builtin_ctzll(left));
        nine->marking |= crowd->look != 0;
    }
    for (uint32_t i = 0; i < nine->note_count; i++)
        store->body[nine->notes[i].slot].state &= (uint16_t)~PHX_SLOT_NOTED;
    nine->note_count = nine->attr_count = nine->crossing_count = nine->job_count = nine->item_count = 0;
    nine->span = rules->span;
    nine->stage = STAGE_CROSSINGS;
}
