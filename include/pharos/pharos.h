/**
 * @file pharos.h
 * Pharos: an area-of-interest engine. Every tick reports, for each observer, the entities that entered its interest
 * list and the entities that left it. It also carries broadcasts and position updates to the observers of an entity.
 *
 * Threads. Each call names the thread that may make it:
 *  - any: any thread, at any time;
 *  - producer: one thread at a time per producer, also while a tick runs;
 *  - consumer: one thread at a time per consumer, also while a tick runs;
 *  - reader: any number of threads, but between ticks: while a tick runs the call
 *              returns PH_BUSY and does nothing; a tick asked for meanwhile returns PH_BUSY
 *              (a visit lets ticks in while its callback runs);
 *  - ticker: one thread at a time per world.
 *
 * The floating-point environment of the caller's thread (rounding, denormals, traps, sticky flags) has no influence,
 * and each call leaves it as it was; the host's allocator, log and parallel_for may be called in the default one.
 * No call waits for another thread, except for workers. A tick, an apply, ph_find_many(), ph_monitor_fill() and all
 * calls that save, load or replay a world wait until each worker has done its part; ph_world_destroy() and
 * ph_crew_destroy() wait until their threads have ended.
 */
#ifndef PHAROS_PHAROS_H
#define PHAROS_PHAROS_H

#include <pharos/base.h>
#include <pharos/monitor.h>
#include <pharos/query.h>
#include <pharos/save.h>
#include <pharos/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ================================ worlds ================================ */

/** @return a definition with every field at its default, one class "default". @thread any */
PH_API ph_world_def ph_world_def_default(void);

/** @return a class with every field at its default and this name (cut at 31 bytes). @thread any */
PH_API ph_class ph_class_default(const char *name);

/**
 * Checks a definition. On PH_BAD_DEF, `reason` (of `reason_size` bytes, may be NULL) gets
 * one line that names the field, its value and its range. @thread any
 */
PH_NODISCARD PH_API ph_status ph_world_def_check(const ph_world_def *def, char *reason, size_t reason_size);

/**
 * Makes a world. @return PH_OK and *world; PH_BAD_DEF: the reason, one line with the key, its value and its range, goes
 * to def->log as PH_LOG_ERROR, if there is one (ph_world_def_check() gives the same line into a buffer);
 * PH_NO_MEMORY, PH_TAKEN (PH_WORLDS_MAX worlds live): *world is null then. @thread any
 */
PH_NODISCARD PH_API ph_status ph_world_create(const ph_world_def *def, ph_world *world);

/**
 * Destroys a world: stops its threads and frees all its memory. Commands that wait, refusals, and batches that no
 * consumer took are discarded with it; a tick without memory is not finished first. All producers and consumers become
 * invalid, open or not, and so do batches that were taken and not returned. All other threads must have stopped using
 * the world, its producers, its consumers and their batches; later calls with these handles return PH_BAD_HANDLE. A
 * visit whose callback runs does not count as a reader: the callback may destroy the world, but visits on other threads
 * must have ended. @return PH_OK, PH_BAD_HANDLE (also the second time), PH_BUSY in a tick or while a reader is inside,
 * which changes nothing. @thread ticker
 */
PH_API ph_status ph_world_destroy(ph_world world);

/**
 * Applies all commands submitted before the call, in the order (producer, sequence), finds
 * every list anew and publishes the differences.
 * @param tick NULL, or gets the tick's number (the first is 1; 0 = nothing ran).
 * @return PH_OK; PH_BUSY (a tick runs, or a reader is inside; nothing was done);
 * PH_NO_MEMORY: the tick stopped half way, nothing was published. Another call goes on with the same tick, once there
 * is memory; ph_tick_finish() ends it without. Until then reads return PH_BUSY.
 * @thread ticker
 */
PH_NODISCARD PH_API ph_status ph_tick(ph_world world, uint64_t *tick);

/**
 * Finishes a tick that ph_tick() left half way with PH_NO_MEMORY, as far as that is possible without the memory: for a
 * host that can not free any. No tick is so short of memory that it can not be finished. Memory that the library keeps
 * for later ticks is given back first. Then
 *  - an observer whose list, events or updates need memory that is not there gets nothing of this tick, and its list is
 *    emptied (ph_stats.observers_reset). The next tick sends its whole list as PH_CHANGE_FRESH, also an empty one. If
 *    that needs memory which is not there either, that tick can be finished in the same way;
 *  - if there is no memory to find the observers of broadcasts, all broadcasts of the tick are refused (PH_NO_MEMORY).
 *    If there is none to deliver them, that consumer does not get them, and they are counted, like broadcasts beyond
 *    consumer_bytes;
 *  - commands that the tick has no memory to take wait for the next tick, as if submitted later (ph_stats.queued);
 *  - an entity that can not follow its parent, or a changed class (ph_world_reconfigure()), follows in a later tick; so
 *    do views that crowd control changes;
 *  - an edge of an NPC or area without memory is sent in a later tick, unless the entity is as before by then
 *    (ph_stats.edges_waiting counts edges that are found and wait);
 *  - if there is no memory to sort the entities of a shard by towers, or for its copies of other shards' entities, the
 *    lists of all its observers are emptied. If there is none for migrations, that happens in all shards; entities
 *    change their shard in a later tick. Queries of places find all entities where they are, if more slowly.
 * All other observers get the same as in any tick. Afterwards reads work, and the next tick applies the queued
 * commands: leaves among them need no memory, and make the world smaller.
 * @return PH_OK: the tick is over, *tick (or NULL) has its number; PH_EMPTY: no tick is half way; PH_BUSY.
 * @thread ticker
 */
PH_NODISCARD PH_API ph_status ph_tick_finish(ph_world world, uint64_t *tick);

/**
 * Applies all commands submitted before the call, without lists, events or batches, so that queries see the entities
 * where they are now: for servers that move and ask in turn. The next tick tells the net difference to the last tick,
 * as if it had applied all commands itself, in the order of the applies. The cost is that of the commands: call it as
 * often as needed, once for each command too.
 *
 * After it, until the next tick:
 *  - ph_entity_get() and queries of places (ph_find*() by shape) see every entity as it was applied;
 *  - lists (ph_list(), ph_observers(), ph_sees(), their visits and queries) are of the last tick's end. They name
 *    entities of that time that are still in the world; an observer that is not ready any more has none.
 *    ph_observers() costs a look at each observer of the target's shards;
 *  - ph_explain() and ph_verify() return PH_BUSY: they ask rules about lists that are not made yet;
 *  - ph_world_hash() is over entities as applied and the lists of the last tick's end. Of applied commands that change
 *    neither (broadcasts, resends) it has nothing;
 *  - refusals are told at once, with the number of the tick that comes next;
 *  - broadcasts, edges, updates and the events of lists come in the next tick. Its bounds (broadcast_bytes) count for
 *    all applies before it, too. Positions, instances and layers are of the tick's end, as in any tick;
 *  - a change by ph_world_reconfigure() waits for the tick, and comes behind the applied commands;
 *  - an entity that left keeps its room until the tick.
 * @return PH_OK; PH_BUSY (a tick runs, is half way without memory, or a reader is inside; nothing was done);
 * PH_NO_MEMORY: it stopped half way. Another call goes on; so do ph_tick() and ph_tick_finish(), which then run
 * the tick, too. Until then reads return PH_BUSY.
 * @thread ticker
 */
PH_NODISCARD PH_API ph_status ph_apply(ph_world world);

/**
 * Ticks many worlds, each as ph_tick() does, with the same batches, order and hashes, by the crew of the first of them
 * that has one. A worker ticks a small world alone from begin to end, so that a thousand small worlds cost no barrier;
 * a world whose tick has work for all (ph_world_def.share_min) is ticked by all workers, behind the small ones. Worlds
 * of another crew, or with workers of their own, may be among them.
 * @param statuses gets the status of each world, as ph_tick() returns it: PH_NO_MEMORY, PH_BUSY or PH_BAD_HANDLE of one
 * does not stop the others. A world that is named again is PH_BUSY there, and ticks once.
 * @return PH_OK if all are; else the first other one; PH_BAD_ARGUMENT: an array is NULL and count is not 0, nothing
 * ran.
 * @thread ticker of all the worlds; their allocator and log are called by any worker, for several worlds at once
 */
PH_NODISCARD PH_API ph_status ph_tick_many(const ph_world *worlds, uint32_t count, ph_status *statuses);

/**
 * Changes the fields that may change while the world lives: sticky, height, shape, span, broadcast_bytes, events_max,
 * share_min, activation_span, activation_linger, crowd_entities, crowd_floor and the classes (values of
 * the present classes; further classes behind them). The next tick applies all of it or nothing, before its commands;
 * of several calls before it the last one counts.
 * @return PH_OK; PH_NOT_LIVE when any other field differs from the world's: `reason` names the first one and nothing
 * changes; PH_BAD_DEF; PH_NO_MEMORY; PH_BAD_HANDLE, PH_BAD_ARGUMENT. allocator, log, tasks, crew, workers and batches
 * are not compared: the world keeps its own. @thread ticker
 */
PH_NODISCARD PH_API ph_status ph_world_reconfigure(ph_world world, const ph_world_def *def, char *reason,
                                                   size_t reason_size);

/** Fills *stats. @thread reader */
PH_NODISCARD PH_API ph_status ph_world_stats(ph_world world, ph_stats *stats);

/**
 * Size and work of each shard, row by row: shard y * nx + x first.
 * @param stats caller's array, gets the first `capacity`; may be NULL when capacity is 0.
 * @param count gets the number of shards. @thread reader
 */
PH_NODISCARD PH_API ph_status ph_world_shard_stats(ph_world world, ph_shard_stats *stats, uint32_t capacity,
                                                   uint32_t *count);

/**
 * All of ph_stats and ph_shard_stats as text for Prometheus (exposition format 0.0.4): HELP
 * and TYPE of each metric, then its samples; names begin with pharos_, counters end in _total,
 * times are in seconds; labels shard, reason, phase. The same in every locale.
 * @param text caller's buffer, gets as much as fits, ended by 0; may be NULL when size is 0.
 * @param length gets the length of the whole text, without the 0: it fitted if that is less than size.
 * @thread reader
 */
PH_NODISCARD PH_API ph_status ph_stats_prometheus(ph_world world, char *text, size_t size, size_t *length);

/**
 * A hash over the state that decides future events and updates (attributes, lists, pairs, links, hides, reveals,
 * attachments, last ticks of motion, held targets and updates); independent of shards, workers and the
 * order of entering. @thread reader
 */
PH_NODISCARD PH_API ph_status ph_world_hash(ph_world world, uint64_t *hash);

/* ================================ crews ================================= */

/**
 * Makes a crew: workers for the worlds whose definition names it (ph_world_def.crew), in place of workers of their own.
 * Thousands of worlds can have one crew. It works for one call at a time: a tick or ph_find_many() of another thread
 * meanwhile does its work alone, on its own thread, with the same results. So it never waits, and is never refused.
 *
 * A tick with few commands (ph_world_def.share_min) is done by the thread that calls it, without the crew, or by one
 * worker of ph_tick_many(). That holds for worlds with workers of their own, too.
 * @return PH_OK and *crew; PH_BAD_ARGUMENT: workers out of range, reserved not 0, one function of an allocator alone;
 * PH_NO_MEMORY, also if a thread can not be had; PH_TAKEN (PH_CREWS_MAX live): *crew is null then. @thread any
 */
PH_NODISCARD PH_API ph_status ph_crew_create(const ph_crew_def *def, ph_crew *crew);

/**
 * Ends a crew and its threads. @return PH_OK; PH_BAD_HANDLE; PH_BUSY: a world still has it, destroy all its worlds
 * first. @thread any
 */
PH_API ph_status ph_crew_destroy(ph_crew crew);

/* ============================== producers =============================== */

/**
 * Opens a producer; its place in the order is the lowest free one (a closed one's is free
 * after the next tick). PH_TAKEN: there is none. @thread any
 */
PH_NODISCARD PH_API ph_status ph_producer_open(ph_world world, ph_producer *producer);

/** Closes it; the next tick still applies its queued commands. @thread producer */
PH_API ph_status ph_producer_close(ph_producer producer);

/**
 * @return in *sequence the number of the last command submitted (accepted or refused);
 * the next one has one more. @thread producer
 */
PH_NODISCARD PH_API ph_status ph_producer_sequence(ph_producer producer, uint64_t *sequence);

/**
 * Takes up to `capacity` refusals: commands that the last ticks could not apply,
 * and items refused inside a bulk call, which are here at once. The smallest sequence number that waits comes first.
 * So numbers ascend, with two exceptions. An item of a
 * bulk call can be taken before the end of the tick that refuses a command submitted before it. The
 * broadcasts that ph_tick_finish() refuses come behind the tick's other refusals.
 * @thread producer
 */
PH_NODISCARD PH_API ph_status ph_producer_refusals(ph_producer producer, ph_refusal *refusals, uint32_t capacity,
                                                   uint32_t *count);

/**
 * @name Commands
 * Each takes the next sequence number and returns PH_OK when it was queued for
 * the next tick. The call itself refuses with PH_BAD_ID, PH_BAD_POSITION, PH_BAD_RADIUS, PH_BAD_KIND, PH_BAD_VALUE,
 * PH_SAME_ID, PH_NOT_GIVEN (ph_attrs_check() says which attribute). PH_FULL: the producer's queue has no room;
 * PH_NO_MEMORY: it could not grow; neither takes a sequence number. A refusal that depends on the world's state
 * (PH_UNKNOWN_ID, PH_EXISTS, PH_CAPACITY, PH_ATTACHED, PH_CYCLE, PH_TOO_DEEP, PH_ABSENT, PH_TICK_FULL, PH_NO_MEMORY;
 * of ph_attach() also PH_BAD_VALUE) is made by the tick and comes through ph_producer_refusals(). A refused command
 * changes nothing.
 * @thread producer
 */

/**
 * Would ph_enter() (PH_COMMAND_ENTER) or ph_set() (PH_COMMAND_SET) refuse these attributes at once? Changes nothing.
 * @param reason of `reason_size` bytes, or NULL: gets one line, the first field that is refused with its value and
 * range, as "view = -1 is outside [0, 1e18]". If none is, it gets the first field that is not 0 but whose bit is not in
 * `given`, so that it does not count: forgotten, or left over from another use of the struct. Else it is empty.
 * @return the status that the call would return, but for id and queue; PH_BAD_ARGUMENT: another command, or a NULL.
 * @thread any
 */
PH_NODISCARD PH_API ph_status ph_attrs_check(ph_world world, ph_command command, const ph_attrs *attrs, char *reason,
                                             size_t reason_size);

/** A new entity; x and y must be given, else PH_NOT_GIVEN. */
PH_NODISCARD PH_API ph_status ph_enter(ph_producer producer, uint64_t id, const ph_attrs *attrs);
/** It leaves every list; its pairs, links, hides and reveals end; its children stay in the world, detached. */
PH_NODISCARD PH_API ph_status ph_leave(ph_producer producer, uint64_t id);
/** Sets its position; any distance, any number of times a tick. */
PH_NODISCARD PH_API ph_status ph_move(ph_producer producer, uint64_t id, float x, float y, float z);
/**
 * Changes the given fields. With another consumer (PH_CONSUMER) the old one gets nothing more of the observer, and
 * its pending events of the observer are dropped; the new one gets the whole list (PH_CHANGE_FRESH). The same holds
 * where ready is set to no and to yes again in one tick, but there the list begins from nothing: without margin and
 * stickiness.
 */
PH_NODISCARD PH_API ph_status ph_set(ph_producer producer, uint64_t id, const ph_attrs *attrs);
/** For this ordered pair view and margin replace observer's view and margin, and target's reach and visible. A second
 * call replaces the first. */
PH_NODISCARD PH_API ph_status ph_pair(ph_producer producer, uint64_t observer, uint64_t target, float view,
                                      float margin);
/** The pair's own radii end; the radii of observer and target count again. */
PH_NODISCARD PH_API ph_status ph_unpair(ph_producer producer, uint64_t observer, uint64_t target);
/** target is in range of observer at any distance. Again: no change. */
PH_NODISCARD PH_API ph_status ph_link(ph_producer producer, uint64_t observer, uint64_t target);
/** The link ends; distance counts again. */
PH_NODISCARD PH_API ph_status ph_unlink(ph_producer producer, uint64_t observer, uint64_t target);
/** target stays out of observer's list, whatever the other rules say: a wall between them, a blocked player. Again: no
 * change. */
PH_NODISCARD PH_API ph_status ph_hide(ph_producer producer, uint64_t observer, uint64_t target);
/** The hide ends; the other rules count again. */
PH_NODISCARD PH_API ph_status ph_unhide(ph_producer producer, uint64_t observer, uint64_t target);
/** target's veil and stealth do not count for observer; layers and distance still do. Again: no change. */
PH_NODISCARD PH_API ph_status ph_reveal(ph_producer producer, uint64_t observer, uint64_t target);
/** The reveal ends; veil and stealth count again. */
PH_NODISCARD PH_API ph_status ph_unreveal(ph_producer producer, uint64_t observer, uint64_t target);
/**
 * The child takes the parent's position now and at its every move, in the same tick, however long the chain; its own
 * moves are refused. A child of another parent changes to this one. Chains are up to PH_ATTACH_DEPTH_MAX deep. The tick
 * refuses with PH_BAD_VALUE if one of the two is remote and the other one is not. ph_change has the order of parents
 * and children in events.
 */
PH_NODISCARD PH_API ph_status ph_attach(ph_producer producer, uint64_t child, uint64_t parent);
/**
 * The observer's next change is PH_CHANGE_FRESH and names the whole list, also an empty one: for a client that has lost
 * its own. It comes in the tick that applies this, if the observer is ready and has a view or a list; the list is the
 * same as without. Its targets count as enters, for events_max too.
 */
PH_NODISCARD PH_API ph_status ph_resend(ph_producer producer, uint64_t observer);
/** The child stays where the parent is now. */
PH_NODISCARD PH_API ph_status ph_detach(ph_producer producer, uint64_t child);

/**
 * Every observer that has source in its list at the end of the tick that applies this gets the
 * payload once, in that tick's batch (ph_batch.deliveries), in the order of the commands: (producer, sequence).
 * No observer gets it if source has left the
 * world by then, also if its id has entered again: that is another entity. The payload is
 * copied: `bytes` of any content, up to PH_PAYLOAD_MAX, 0 too. The tick refuses it with
 * PH_TICK_FULL when its payload and the payloads of the tick's broadcasts applied before
 * have more than broadcast_bytes together; a shorter one behind it may still fit.
 * @param options NULL = all observers of source, without source itself.
 * With options.radius distance decides, not lists (ph_broadcast_options); any radius, also beyond views, at the cost of
 * the observers within it.
 * @return as above, and PH_TOO_LARGE; PH_BAD_RADIUS, PH_BAD_KIND, PH_BAD_VALUE (also PH_BROADCAST_SEEN without a
 * radius): options.
 */
PH_NODISCARD PH_API ph_status ph_broadcast(ph_producer producer, uint64_t source, const void *payload, uint32_t bytes,
                                           const ph_broadcast_options *options);

/**
 * The same from a place without an entity: source and user_data of its message are 0, as is the id in a refusal of it.
 * It takes its place in the order of the broadcasts, and counts against broadcast_bytes, as any other.
 * @return as above; PH_BAD_POSITION, PH_BAD_RADIUS, PH_TOO_LARGE, PH_BAD_KIND, PH_BAD_VALUE: the place.
 */
PH_NODISCARD PH_API ph_status ph_broadcast_at(ph_producer producer, const ph_broadcast_place *place,
                                              const void *payload, uint32_t bytes);

/**
 * The area has this shape from the tick on that applies the command; again: replaced, it moved. Areas have
 * ids of their own, which have nothing to do with ids of entities. See "Areas" below.
 * Refused at once: PH_BAD_ID (0, also as the entity that it follows), PH_BAD_POSITION (a coordinate beyond
 * PH_COORDINATE_MAX), PH_BAD_RADIUS (also the margin), PH_BAD_KIND, PH_BAD_VALUE (no such shape or flag, a box or the
 * heights the wrong way round, a margin of a polygon, an instance beside PH_AREA_FOLLOW, a polygon with too few or too
 * many corners, or not convex); in the tick: PH_UNKNOWN_ID (the entity that it follows), PH_CAPACITY (areas_max),
 * PH_NO_MEMORY.
 */
PH_NODISCARD PH_API ph_status ph_area_set(ph_producer producer, uint64_t area, const ph_area *shape);
/** Every entity inside leaves the area. In the tick: PH_ABSENT. */
PH_NODISCARD PH_API ph_status ph_area_remove(ph_producer producer, uint64_t area);

/**
 * @name Bulk forms
 * Item i is as one call with sequence number first + i. A refused item does not stop the call (its refusal
 * comes through ph_producer_refusals() too); only a full queue does, or one that can not grow.
 * @param done NULL, or gets the number of items that were queued or
 * refused. @return PH_OK when all were queued; PH_FULL or PH_NO_MEMORY when it stopped: submit the rest,
 * from *done on, after a tick; else the status of the first item refused.
 */
/** ph_enter() for ids[i], attrs[i]. */
PH_NODISCARD PH_API ph_status ph_enter_many(ph_producer producer, uint32_t count, const uint64_t *ids,
                                            const ph_attrs *attrs, uint32_t *done);
/** ph_move() for ids[i], positions[i]: the way to move thousands. */
PH_NODISCARD PH_API ph_status ph_move_many(ph_producer producer, uint32_t count, const uint64_t *ids,
                                           const ph_position *positions, uint32_t *done);
/** ph_leave() for ids[i]. */
PH_NODISCARD PH_API ph_status ph_leave_many(ph_producer producer, uint32_t count, const uint64_t *ids, uint32_t *done);
/** ph_hide() for observers[i], targets[i]: lines of sight that the host checks change by thousands. */
PH_NODISCARD PH_API ph_status ph_hide_many(ph_producer producer, uint32_t count, const uint64_t *observers,
                                           const uint64_t *targets, uint32_t *done);
/** ph_unhide() for observers[i], targets[i]. */
PH_NODISCARD PH_API ph_status ph_unhide_many(ph_producer producer, uint32_t count, const uint64_t *observers,
                                             const uint64_t *targets, uint32_t *done);
/** ph_reveal() for observers[i], targets[i]. */
PH_NODISCARD PH_API ph_status ph_reveal_many(ph_producer producer, uint32_t count, const uint64_t *observers,
                                             const uint64_t *targets, uint32_t *done);
/** ph_unreveal() for observers[i], targets[i]. */
PH_NODISCARD PH_API ph_status ph_unreveal_many(ph_producer producer, uint32_t count, const uint64_t *observers,
                                               const uint64_t *targets, uint32_t *done);

/* ============================== instances =============================== */

/**
 * @name Instances
 * Copies of the map: dungeon runs, matches, channels. An entity is in one, its attribute `instance`, any number of 32
 * bits, 0 unless given. Entities of different instances never meet: no list has a target of another one, whatever link,
 * pair, reach or `global` there is (these stay, and count again once both are in one instance); none keeps an NPC of
 * another awake, and none counts for its crowd control. A broadcast with a radius reaches
 * observers in its source's instance, one from a place the observers in the instance that it names. Areas and queries
 * are of all instances, or with PH_AREA_IN_INSTANCE, PH_QUERY_IN_INSTANCE of one.
 *
 * ph_set() with PH_INSTANCE takes an entity to another one: its list, and the lists that had it, change in that tick as
 * after a jump. An attached child is in its parent's instance, from the attachment on and at every change; a set of its
 * own with PH_INSTANCE is PH_ATTACHED. Detached, it stays where it is.
 *
 * A number needs no opening and no closing: with its last entity nothing of it is left. ph_stats.instances says how
 * many have entities.
 */

/* ============================== remote entities ============================== */

/**
 * @name Remote entities
 * A process that simulates a part of a world has the entities beside that part too, to be seen: copies of entities that
 * another process simulates. They enter with PH_REMOTE, and ph_set() with it makes an own entity of one, and back.
 *
 * A remote entity is a target like any other: own observers see it, its moves are updates, its broadcasts reach them,
 * it anchors areas, has relations, and counts in crowds. It can be attached to another remote one, and to no own one.
 * It is no observer, as if it were not ready: its list is empty, it gets nothing, and it is PH_REASON_NOT_READY as one.
 * It is no NPC and in no area, so it makes no edge. But it wakes NPCs as an own one would: a remote entity that is
 * ready, with a view above 0 and of a class with `wakes`, is a waker.
 *
 * An own entity that becomes remote stays in all lists that have it. Its own list is emptied without an event; an NPC
 * that was awake falls asleep with that, and it leaves its areas. One that becomes own begins as if it became ready. In
 * both all attachments of the entity end, as with ph_detach().
 *
 * So that nothing begins anew where an entity goes from one process to another, a capsule takes it there with all that
 * a world remembers of it: between two ticks ph_export(), then ph_set() with PH_REMOTE for each of its family here, and
 * ph_import() there. Edges that this world tells in that tick of an entity that it gave away are not for its
 * simulation any more: there it is awake and inside still. The bytes are the same on all machines; a capsule is checked
 * like any command's arguments, and its sum finds damage.
 *
 * @{
 */

/**
 * Writes an entity, and all that are attached below it, into a capsule: attributes and user data, position, interest
 * list, relations as an observer, the areas that it is in, whether an NPC is awake and since when no waker is near, the
 * last move and waiting updates (with bands), and the step of crowd control. Ticks are in it as ages. Nothing changes.
 * If the lists are too long for PH_CAPSULE_MAX, or the entity's consumer has not got all of its events, its whole list
 * is due where it goes (PH_CHANGE_FRESH).
 * @param stay numbers the stays of the targets in the list; may be NULL: all are 0
 * @param capsule gets it; `size` PH_CAPSULE_MAX is always enough, if any is. Behind a refusal it may hold anything
 * @param bytes gets its size, also with PH_TOO_LARGE; 0 with every other refusal
 * @return PH_OK; PH_TOO_LARGE; PH_UNKNOWN_ID; PH_ATTACHED: export the root; PH_BAD_VALUE: it is remote; PH_BUSY: also
 * after ph_apply(), and after a tick that was finished without memory, until the next tick; and for an entity in an
 * area or awake, while edges wait for its consumer, which is behind; PH_NO_MEMORY. @thread reader
 */
PH_NODISCARD PH_API ph_status ph_export(ph_world world, uint64_t id, ph_stay_fn stay, void *user, void *capsule,
                                        size_t size, size_t *bytes);

/**
 * The ids of a capsule's family, the root first, each before its children.
 * @param ids caller's array, gets the first `capacity`; may be NULL when capacity is 0
 * @param count gets the full count
 * @return PH_OK; PH_BAD_VALUE: it is no capsule, or is damaged; PH_BAD_ARGUMENT. @thread any
 */
PH_NODISCARD PH_API ph_status ph_capsule_ids(const void *capsule, size_t size, uint64_t *ids, uint32_t capacity,
                                             uint32_t *count);

/**
 * The family of a capsule enters, all of it or none. Where a remote entity has a member's id, that one becomes own in
 * place: it stays in all lists that have it, and gets all attributes of the capsule, and its position. Each observer
 * has the list of the capsule, and its consumer is told the difference to that alone. A target that is not here when
 * the command is applied leaves the list, by the name in the capsule; also one that is another stay of its id. So do
 * areas that this world does not have. A member that leaves in the tick of its import leaves its areas and falls asleep
 * here, as its consumer heard of them. Relations to entities that are not here are left out. Of the tick's broadcasts a
 * member hears the ones behind the import, in the order of the commands: it heard the others where it was.
 * @param stay as in ph_export(), of this world's entities, which may be some ticks older or newer here than there:
 * updates of the whole list are due in this tick. May be NULL: all are 0, and both worlds tick in step
 * @return PH_OK, PH_FULL, PH_NO_MEMORY, PH_TOO_LARGE and so on as any command; PH_BAD_VALUE: it is no capsule, or is
 * damaged, or says what can not be; or a status of ph_enter(). In the tick, of the root's id: PH_EXISTS: a member is
 * here, and not remote; PH_ATTACHED: a member is attached here to another parent, or has a child here that is no
 * member; PH_TOO_DEEP, PH_CAPACITY, PH_NO_MEMORY. @thread producer
 */
PH_NODISCARD PH_API ph_status ph_import(ph_producer producer, const void *capsule, size_t size, ph_stay_fn stay,
                                        void *user);

/** @} */

/* ============================== activation ============================== */

/**
 * @name Activation
 * Which NPCs are worth simulating. An NPC is an entity whose class has `sleeps` and not
 * `wakes`, and not remote. A waker is ready with view > 0, and its class has `wakes`; a remote one too. At the end
 * of each tick
 *     near(n)  = there is a waker w in n's instance with |tower(w).x - tower(n).x| <= activation_span and
 *                |tower(w).y - tower(n).y| <= activation_span, towers clamped to the world;
 *     awake(n) = n is an NPC, and: near(n), or n was awake at the end of the tick before
 *                and near(n) held at the end of one of the last activation_linger ticks.
 * So it awakes in the tick in which a waker comes near, and falls asleep activation_linger
 * ticks after the last waker went away. Layers, stealth and lists have no influence.
 * An entity that enters is asleep; the same id entering anew is another one. An NPC that leaves
 * the world, becomes remote, or gets a kind that is no NPC's, falls asleep with that.
 *
 * Each difference to the tick before is one edge in ph_batch.activations of the NPC's own
 * consumer, its attribute `consumer`. So within one incarnation awakenings and fallings asleep alternate; the
 * first edge is an awakening, and the last, after the NPC left, a falling asleep. Behind a slow consumer
 * they become the net difference: an awakening and a falling asleep of one incarnation cancel.
 * Class keys, span and linger can change while the world lives: see
 * ph_world_reconfigure(). While no class wakes, near(n) never holds: awake NPCs
 * fall asleep as their linger ends. Once none is awake, activation costs nothing.
 */

/* ================================ areas ================================= */

/**
 * @name Areas
 * Traps, quest zones, auras. At the end of each tick
 *     inside(e, a) = area a is there, its filter has no kinds or that of e, its layers are 0 or
 *                    e.layers & a.layers is not, with PH_AREA_HEIGHT z_low <= z of e <= z_high,
 *                    with PH_AREA_IN_INSTANCE e is in a's instance,
 *                    and (x, y) of e is in its shape:
 *     circle   dx*dx + dy*dy <= r*r, with dx = x - center x, dy = y - center y;
 *     box      low x <= x <= high x and low y <= y <= high y;
 *     polygon  the box of its corners, and side(p, q) = (q.x - p.x) * (y - p.y) -
 *              (q.y - p.y) * (x - p.x) of all its corners p, each with the next one q, is
 *              >= 0 for all, or <= 0 for all;
 * with r + margin, low - margin and high + margin for an entity that was inside at the end of the tick before (a box or
 * circle; kinds, layers and heights have no margin; an area that is set again keeps the entities in it);
 * in float32, every operation rounded on its own, in the order written. A polygon is taken
 * as convex when all its corners are in it by this rule, and each side has one off its line.
 * Every entity counts, observer or not, ready or not; stealth and veils have no influence.
 *
 * With PH_AREA_FOLLOW the area stands where the entity `follow`, its anchor, is at the end of each tick: x, y, z of the
 * anchor are added, in float32, to each coordinate of the shape and to the heights, and the area is in the anchor's
 * instance alone. The anchor itself is inside by the same rule. When the anchor leaves the world, the area is removed,
 * as by ph_area_remove() there and then; the same id entering anew has no area.
 *
 * Each difference to the tick before is one edge in ph_batch.crossings of the entity's own
 * consumer. Only the places of entity and area at the tick's end count: an entity inside
 * an area that appears enters it; an area that was moved, or removed and set again, in one
 * tick is left only by entities that are not inside any more. An entity that leaves the world
 * leaves its areas; the same id entering anew, even in that tick, is another one. Behind a
 * slow consumer edges become the net difference: an enter and a leave of one incarnation
 * cancel. A world without areas pays nothing for them.
 */

/* ============================== consumers =============================== */

/**
 * Opens consumer `index` of [0, ph_world_def.consumers). An observer chooses its consumer by the
 * attribute `consumer`. Until the consumer is opened its batches are kept, and coalesced beyond the
 * bound, as for a slow one. PH_TAKEN: it is open; PH_BAD_ARGUMENT: there is none of that index. @thread any
 */
PH_NODISCARD PH_API ph_status ph_consumer_open(ph_world world, uint32_t index, ph_consumer *consumer);

/** Closes it; batches taken and not returned come back; the others stay for the next open. @thread consumer */
PH_API ph_status ph_consumer_close(ph_consumer consumer);

/**
 * Takes the oldest batch. A tick without any change, broadcast, update or edge for this
 * consumer makes none. When consumer_batches wait or are taken, list changes
 * and edges become a net difference. Of the updates of one target only the last is kept, and none if
 * the target has left the list since. Broadcasts are kept as they are up to consumer_bytes;
 * beyond that all broadcasts of the oldest tick are dropped first, and counted in the next batch and
 * in ph_stats. In such a batch a message's source may not be in the observer's list any more.
 * @return PH_OK; PH_EMPTY: the consumer has everything up to the last tick that ended;
 * PH_PENDING: it has all batches, but a net difference, or anything else that could not be handed
 * over, is pending: the next tick that finds fewer than consumer_batches waiting or taken
 * hands it over. @thread consumer
 */
PH_NODISCARD PH_API ph_status ph_batch_take(ph_consumer consumer, const ph_batch **batch);

/** @return "gone", "hidden", ...: the word of the cause, static, never NULL. @thread any */
PH_API const char *ph_cause_name(ph_cause cause);

/** Gives a batch back, in any order. PH_BAD_ARGUMENT: it was not taken here. @thread consumer */
PH_API ph_status ph_batch_return(ph_consumer consumer, const ph_batch *batch);

/**
 * Begins a walk over a taken batch by observer: each that has a change, a delivery or an update stands in one packet
 * with all of them, in the library's order. No host needs tables of its own to bring the three arrays together. Begin
 * and walk cost as much as reading the arrays once, whatever their sizes, and allocate nothing: the library links
 * deliveries and updates by their reserved words. One walk of a batch at a time; it ends by itself, and a new begin
 * starts over. Edges are not of observers: they stand in `activations` and `crossings`.
 * @return PH_OK; PH_BAD_ARGUMENT: a NULL, or the batch was not taken here. @thread consumer
 */
PH_NODISCARD PH_API ph_status ph_packets_begin(ph_consumer consumer, const ph_batch *batch, ph_packets *packets);

/** The next packet. @return false behind the last one: *packet is as it was. The batch is still taken. @thread consumer
 */
PH_API bool ph_packets_next(ph_packets *packets, ph_packet *packet);

/* =============================== queries ================================ */

/** The entity's attributes, with the defaults of its class; all bits of `given` are set. PH_UNKNOWN_ID. @thread reader
 */
PH_NODISCARD PH_API ph_status ph_entity_get(ph_world world, uint64_t id, ph_attrs *attrs);

/** Is target in observer's list? PH_UNKNOWN_ID if either is not in the world. @thread reader */
PH_NODISCARD PH_API ph_status ph_sees(ph_world world, uint64_t observer, uint64_t target, bool *sees);

/**
 * The observer's interest list, ordered by kind, then id.
 * @param ids caller's array, gets the first `capacity`; may be NULL when capacity is 0.
 * @param count gets the full count.
 * @return PH_OK, PH_UNKNOWN_ID, PH_NO_MEMORY (to sort in), PH_BUSY. @thread reader
 */
PH_NODISCARD PH_API ph_status ph_list(ph_world world, uint64_t observer, uint64_t *ids, uint32_t capacity,
                                      uint32_t *count);

/** The observers that have target in their list, ordered by id; arrays and statuses as in ph_list(). @thread reader */
PH_NODISCARD PH_API ph_status ph_observers(ph_world world, uint64_t target, uint64_t *ids, uint32_t capacity,
                                           uint32_t *count);

/**
 * Called for one entity of an iteration. It may submit any command (commands wait, as always, for the next tick, so the
 * iteration sees none of them), read, and end in any way: return, throw a C++ exception, longjmp() away, yield a
 * coroutine for good.
 *
 * So a visit holds nothing of the world while the callback runs. If a visit kept ticks out until it has
 * ended, a longjmp() (Lua raises errors with it, and no cleanup runs) would leave the world busy for ever; and
 * a copy of the list made for the visit would never be freed. A visit copies a piece of the list to its own stack,
 * 256 entities at most, and comes back for the next piece. A tick that runs meanwhile, on whichever thread, ends the
 * iteration behind the callback that is running: PH_BUSY. So all visited entities are of one list, as it was at the end
 * of one tick. The callback may call ph_tick() and ph_world_destroy() itself, with that result
 * (PH_BAD_HANDLE once the world is gone). For an iteration that ticks do not end, copy the list: ph_list().
 * @return false to stop.
 */
typedef bool (*ph_visit_fn)(void *user, uint64_t id, uint64_t user_data);

/**
 * Visits the observer's interest list in ph_list()'s order. Nests. Allocates nothing; every piece of 256 entities costs
 * a pass over the whole list: with many thousands of targets ph_list() is faster.
 * @return PH_OK: all were visited, or the callback stopped; PH_UNKNOWN_ID; PH_BUSY: a tick runs, or one came while the
 * list was visited: the entities behind were not. @thread reader
 */
PH_NODISCARD PH_API ph_status ph_list_visit(ph_world world, uint64_t observer, ph_visit_fn visit, void *user);
/** Visits the observers that have target in their list, in ph_observers()' order. All else as above. @thread reader */
PH_NODISCARD PH_API ph_status ph_observers_visit(ph_world world, uint64_t target, ph_visit_fn visit, void *user);

#ifdef __cplusplus
}
#endif
#endif
