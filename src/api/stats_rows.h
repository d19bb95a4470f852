/*
 * Every number of ph_stats and ph_shard_stats as a Prometheus metric; one row a field,
 * and none may be missing (the assertions below). Used by prometheus.c only.
 *
 * X(type, field, name, labels, help)
 *   type   COUNTER: goes up for ever, its name ends in _total. GAUGE: as it is now.
 *          COUNTER_NS, GAUGE_NS: likewise, nanoseconds written in seconds. GAUGE_F64: a double.
 *   name   behind "pharos_". Rows of one name stand together: one metric, distinguished by
 *          labels, with the help of the first.
 */
#ifndef PHX_API_STATS_ROWS_H
#define PHX_API_STATS_ROWS_H

#include <pharos/types.h>

#define PHX_STATS_ROWS(X) \
    X(COUNTER, ticks, "ticks_total", "", "Ticks run.") \
    X(GAUGE, entities, "entities", "", "Entities in the world.") \
    X(GAUGE, instances, "instances", "", "Instances with entities in them.") \
    X(GAUGE, outside, "entities_outside", "", "Entities outside of all towers.") \
    X(GAUGE, attached, "attached_entities", "", "Entities that follow a parent.") \
    X(GAUGE, remote, "remote_entities", "", "Entities that another process simulates.") \
    X(GAUGE_F64, tower_size, "tower_size", "", "Side of a tower, given or chosen.") \
    X(GAUGE, observers, "observers", "", "Ready observers.") \
    X(GAUGE, list_entries, "list_entries", "", "Pairs: entries of all interest lists.") \
    X(GAUGE, ghosts, "halo_entities", "", "Halo copies of entities of other shards.") \
    X(COUNTER, commands, "commands_total", "", "Commands accepted into queues.") \
    X(COUNTER, applied, "commands_applied_total", "", "Commands applied by ticks.") \
    X(COUNTER, refused_in_tick, "commands_refused_in_tick_total", "", "Commands accepted, then refused by a tick.") \
    X(COUNTER, refusals_untold, "refusals_untold_total", "", "Refusals that a producer's queue had no room for.") \
    X(GAUGE, queued, "commands_queued", "", "Commands waiting for a tick.") \
    X(GAUGE, queued_max, "commands_queued_max", "", "Most commands that a tick took.") \
    X(COUNTER, enters, "enters_total", "", "Enter events made.") \
    X(COUNTER, leaves, "leaves_total", "", "Leave events made.") \
    X(COUNTER, broadcasts, "broadcasts_total", "", "Broadcasts applied.") \
    X(COUNTER, payload_bytes, "broadcast_payload_bytes_total", "", "Bytes of their payloads, each once.") \
    X(COUNTER, deliveries, "deliveries_total", "", "Broadcasts times observers that get them.") \
    X(COUNTER, deliveries_dropped, "deliveries_dropped_total", "", "Deliveries dropped behind a slow consumer.") \
    X(COUNTER, deliveries_void, "deliveries_void_total", "", \
      "Deliveries void because the observer left while they waited.") \
    X(COUNTER, updates, "updates_total", "", "Targets sent to observers because they moved or entered.") \
    X(COUNTER, adds_held, "adds_held_total", "", "Times that a target had to wait a tick to join a list.") \
    X(COUNTER, ticks_spread, "ticks_spread_total", "", "Ticks that had more events than events_max.") \
    X(COUNTER, ticks_short, "ticks_short_total", "", "Ticks that were finished without the memory that they wanted.") \
    X(COUNTER, applies, "applies_total", "", "Times that commands were applied between ticks.") \
    X(COUNTER, observers_reset, "observers_reset_total", "", \
      "Observers that got nothing of such a tick: their lists come anew later.") \
    X(COUNTER, updates_held, "updates_held_total", "", "Times that an update had to wait a tick for its budget.") \
    X(COUNTER, updates_replaced, "updates_replaced_total", "", "Updates that a slow consumer did not get.") \
    X(COUNTER, batches, "batches_total", "", "Batches handed to consumers.") \
    X(COUNTER, batch_bytes, "batch_bytes_total", "", "Bytes of records and payloads in them.") \
    X(GAUGE, batches_out, "batches_out", "", "Batches waiting for consumers, or taken.") \
    X(GAUGE, batches_out_max, "batches_out_max", "", "Most of them of one consumer so far.") \
    X(COUNTER, coalesced_ticks, "coalesced_ticks_total", "", "Consumer-ticks that became a net difference.") \
    X(GAUGE, net_events, "net_events", "", "Events in net differences, behind slow consumers.") \
    X(GAUGE, mail_waiting, "deliveries_waiting", "", "Deliveries that wait behind slow consumers.") \
    X(GAUGE, updates_waiting, "updates_waiting", "", "Updates that wait there.") \
    X(GAUGE, edges_waiting, "edges_waiting", "", "Edges of activation and areas that wait there.") \
    X(GAUGE, consumers_pending, "consumers_pending", "", "Consumers for which anything waits for a tick.") \
    X(GAUGE, awake, "npcs_awake", "", "NPCs awake.") \
    X(COUNTER, woken, "npcs_woken_total", "", "Awakenings of NPCs.") \
    X(COUNTER, slept, "npcs_slept_total", "", "Times that an NPC fell asleep.") \
    X(GAUGE, areas, "areas", "", "Areas.") \
    X(COUNTER, area_enters, "area_enters_total", "", "Entities that entered an area.") \
    X(COUNTER, area_leaves, "area_leaves_total", "", "Entities that left one.") \
    X(COUNTER, migrations, "migrations_total", "", "Entities that went from shard to shard.") \
    X(COUNTER, halo_records, "halo_records_total", "", "Halo copies sent.") \
    X(COUNTER, exchange_rounds, "exchange_rounds_total", "", "Rounds of exchange beyond the first.") \
    X(COUNTER, deferred_adds, "deferred_adds_total", "", "Adds that waited for an iteration to end.") \
    X(GAUGE, deferred_adds_max, "deferred_adds_max", "", "Most of them in one shard and tick.") \
    X(COUNTER, observers_glanced, "observers_glanced_total", "", "Observers done by comparing positions.") \
    X(COUNTER, observers_evaluated, "observers_evaluated_total", "", "Observers with a full evaluation of the list.") \
    X(COUNTER, towers_visited, "tower_ranges_total", "", "Tower ranges scanned.") \
    X(COUNTER, pairs_tested, "pairs_tested_total", "", "Distances computed.") \
    X(COUNTER, pairs_exact, "pairs_exact_total", "", "Pairs decided from float32 positions.") \
    X(COUNTER, index_moves, "index_moves_total", "", "Changes taken in by an index other than lighthouse.") \
    X(COUNTER, index_steps, "index_steps_total", "", "Cells, nodes, towers that these changes cost.") \
    X(GAUGE_NS, tick_ns, "last_tick_seconds", "", "Time of the last tick.") \
    X(GAUGE_NS, tick_ns_max, "tick_seconds_max", "", "Time of the longest tick so far.") \
    X(COUNTER_NS, tick_ns_sum, "tick_seconds_total", "", "Time of all ticks.") \
    X(GAUGE_NS, ingest_ns, "last_phase_seconds", "phase=\"ingest\"", "Time of the last tick by phase.") \
    X(GAUGE_NS, exchange_ns, "last_phase_seconds", "phase=\"exchange\"", "") \
    X(GAUGE_NS, index_ns, "last_phase_seconds", "phase=\"index\"", "") \
    X(GAUGE_NS, interest_ns, "last_phase_seconds", "phase=\"interest\"", "") \
    X(GAUGE_NS, publish_ns, "last_phase_seconds", "phase=\"publish\"", "") \
    X(COUNTER_NS, ingest_ns_sum, "phase_seconds_total", "phase=\"ingest\"", "Time of all ticks by phase.") \
    X(COUNTER_NS, exchange_ns_sum, "phase_seconds_total", "phase=\"exchange\"", "") \
    X(COUNTER_NS, index_ns_sum, "phase_seconds_total", "phase=\"index\"", "") \
    X(COUNTER_NS, interest_ns_sum, "phase_seconds_total", "phase=\"interest\"", "") \
    X(COUNTER_NS, publish_ns_sum, "phase_seconds_total", "phase=\"publish\"", "") \
    X(GAUGE, bytes, "memory_bytes", "", "Bytes held from the allocator.") \
    X(GAUGE, crowd_observers, "crowd_observers", "", "Observers with a view shrunk by crowd control.") \
    X(COUNTER, crowd_narrowed, "crowd_narrowed_total", "", "Steps that views went down.") \
    X(COUNTER, crowd_widened, "crowd_widened_total", "", "Steps that views went up again.") \
    X(GAUGE, crowd_most, "crowd_entities_around_max", "", "Most entities around an observer in the last tick.") \
    X(GAUGE, monitors, "monitors", "", "Open monitors.") \
    X(GAUGE_NS, monitor_ns, "last_monitor_seconds", "", "Time of the last tick for monitors, beside the tick's.") \
    X(COUNTER_NS, monitor_ns_sum, "monitor_seconds_total", "", "Time of all ticks for monitors.") \
    X(GAUGE, last_applied, "last_tick_commands_applied", "", "Commands applied by the last tick.") \
    X(GAUGE, last_refused, "last_tick_commands_refused", "", "Commands that it refused.") \
    X(GAUGE, last_enters, "last_tick_enters", "", "Enter events of the last tick.") \
    X(GAUGE, last_leaves, "last_tick_leaves", "", "Leave events of the last tick.") \
    X(GAUGE, last_deliveries, "last_tick_deliveries", "", "Deliveries of the last tick.") \
    X(GAUGE, last_payload_bytes, "last_tick_payload_bytes", "", "Bytes of the payloads of its broadcasts.") \
    X(GAUGE, last_batch_bytes, "last_tick_batch_bytes", "", "Bytes of records and payloads in its batches.") \
    X(GAUGE, last_updates, "last_tick_updates", "", "Updates of the last tick.") \
    X(GAUGE, last_migrations, "last_tick_migrations", "", "Entities that went from shard to shard in it.") \
    X(GAUGE, last_halo_records, "last_tick_halo_records", "", "Halo copies sent in it.") \
    X(GAUGE, last_pairs_tested, "last_tick_pairs_tested", "", "Distances computed in it.")

/* One sample a shard, with the label shard before the row's own labels. */
#define PHX_SHARD_STATS_ROWS(X) \
    X(GAUGE, entities, "shard_entities", "", "Entities of the shard.") \
    X(GAUGE, observers, "shard_observers", "", "Its ready observers.") \
    X(GAUGE, ghosts, "shard_halo_entities", "", "Copies of other shards' entities in it.") \
    X(GAUGE, list_entries, "shard_list_entries", "", "Pairs: entries of the lists of its observers.") \
    X(GAUGE, bytes, "shard_memory_bytes", "", "Bytes that it holds from the allocator.") \
    X(GAUGE, touched, "shard_last_tick_changed", "", "Entities that changed in it in the last tick.") \
    X(COUNTER, enters, "shard_enters_total", "", "Enter events of its observers.") \
    X(COUNTER, leaves, "shard_leaves_total", "", "Leave events of its observers.") \
    X(COUNTER, observers_glanced, "shard_observers_glanced_total", "", "Observers done by comparing positions.") \
    X(COUNTER, observers_evaluated, "shard_observers_evaluated_total", "", \
      "Observers with a full evaluation of the list.") \
    X(COUNTER, towers_visited, "shard_tower_ranges_total", "", "Tower ranges scanned.") \
    X(COUNTER, pairs_tested, "shard_pairs_tested_total", "", "Distances computed.") \
    X(COUNTER, pairs_exact, "shard_pairs_exact_total", "", "Pairs decided from float32 positions.") \
    X(COUNTER, updates, "shard_updates_total", "", "Targets sent to its observers because they moved or entered.") \
    X(COUNTER, migrations, "shard_migrations_total", "", "Entities that left it for another shard.") \
    X(COUNTER, halo_records, "shard_halo_records_total", "", "Halo copies that came to it.") \
    X(COUNTER, deferred_adds, "shard_deferred_adds_total", "", "Adds that waited for an iteration to end.") \
    X(GAUGE, deferred_adds_max, "shard_deferred_adds_max", "", "Most of them in one tick.") \
    X(GAUGE, outbox_bytes_max, "shard_outbox_bytes_max", "", "Most bytes that it had for other shards in one round.") \
    X(GAUGE_NS, ingest_ns, "shard_last_phase_seconds", "phase=\"ingest\"", "Workers' time on it in the last tick.") \
    X(GAUGE_NS, exchange_ns, "shard_last_phase_seconds", "phase=\"exchange\"", "") \
    X(GAUGE_NS, index_ns, "shard_last_phase_seconds", "phase=\"index\"", "") \
    X(GAUGE_NS, interest_ns, "shard_last_phase_seconds", "phase=\"interest\"", "") \
    X(GAUGE_NS, publish_ns, "shard_last_phase_seconds", "phase=\"publish\"", "") \
    X(COUNTER_NS, ingest_ns_sum, "shard_phase_seconds_total", "phase=\"ingest\"", "Workers' time on it by phase.") \
    X(COUNTER_NS, exchange_ns_sum, "shard_phase_seconds_total", "phase=\"exchange\"", "") \
    X(COUNTER_NS, index_ns_sum, "shard_phase_seconds_total", "phase=\"index\"", "") \
    X(COUNTER_NS, interest_ns_sum, "shard_phase_seconds_total", "phase=\"interest\"", "") \
    X(COUNTER_NS, publish_ns_sum, "shard_phase_seconds_total", "phase=\"publish\"", "")

#define PHX_STATS_ROW_ONE(type, field, name, labels, help) +1

_Static_assert((0 PHX_STATS_ROWS(PHX_STATS_ROW_ONE)) + 2 * PH_STATUSES_MAX + 26 == sizeof(ph_stats) / sizeof(uint64_t),
               "each number of ph_stats has its row; refused[] and last_refused_by[] have loops, reserved[] has none");
_Static_assert((0 PHX_SHARD_STATS_ROWS(PHX_STATS_ROW_ONE)) + PH_STATUSES_MAX + 16 ==
                   sizeof(ph_shard_stats) / sizeof(uint64_t),
               "each number of ph_shard_stats has its row; refused[] has a loop, reserved[] none");

#endif
