/*
 * Every key of a world's definition, once: the parser, the defaults, the range checks, `pharos-config dump`, the
 * reference page and ph_world_reconfigure() are all made from these lists. Used by src/api and src/config; no code.
 *
 * X(type, name, default_a, default_b, min, max, live, meaning)
 *   type  f32, f32x2, f64, u32, u32x2, u64 (all values are good), flag, or an enumeration: range, shape, index, simd
 *   name  the key and the field of ph_world_def (or ph_class)
 *   default_b is the second of a pair, else 0; min and max are inclusive and hold for both of a pair; a float key
 *   also has to be finite. A min of F32_POSITIVE is the least float above 0.
 *   live  1 when ph_world_reconfigure() may change it
 *
 * Processes of a cluster compare the values of keys that all share, but for first defaults: a new key of a world, a
 * class, a band or a cluster has a line in src/cluster/member/first_defaults.h, which says what a changed default does.
 * Names, the order of such keys, and words of enumerations are part of what they compare: none of these ever changes
 * for a key that is here. A new key may come between others.
 */
#ifndef PHX_BASE_KEYS_H
#define PHX_BASE_KEYS_H

#include <float.h>

#define PHX_F32_POSITIVE FLT_MIN

#define PHX_WORLD_KEYS(X) \
    X(f32x2, world_origin, 0, 0, -PH_COORDINATE_MAX, PH_COORDINATE_MAX, 0, "lower corner (x, y) of the world") \
    X(f32x2, world_size, 10000, 10000, PHX_F32_POSITIVE, PH_LENGTH_MAX, 0, \
      "its width and height; entities may stand outside, their tower is clamped") \
    X(range, range, PH_RANGE_RADIUS, 0, 0, 1, 0, \
      "radius: exact distances; towers: all within `span` towers (nine-grid)") \
    X(shape, shape, PH_SHAPE_CIRCLE, 0, 0, 3, 1, \
      "of range = radius: circle, square, cylinder (circle and height) or sphere") \
    X(f32, height, 100, 0, 0, PH_LENGTH_MAX, 1, "of shape = cylinder: sees up to this far above and below") \
    X(f32, tower_size, 0, 0, 0, PH_LENGTH_MAX, 0, \
      "side of a tower; 0 = by the views, or 100 where events depend on towers: range = towers, a class with wakes, " \
      "crowd_entities; two to four times the usual view is right") \
    X(u32, span, 1, 0, 0, 65535, 1, "of range = towers: an observer sees so many towers around its own") \
    X(u32x2, shards, 1, 1, 1, PH_SHARDS_MAX, 0, "shards along x and y") \
    X(u32, workers, 1, 0, 1, PH_WORKERS_MAX, 0, "threads that work on a tick, the caller's included") \
    X(u32, share_min, 2048, 0, 0, 1u << 30, 1, \
      "a tick with fewer moves and other commands, which count 8, is done by one worker alone; entities count too " \
      "with " \
      "bands or crowd control") \
    X(index, index, PH_INDEX_LIGHTHOUSE, 0, 0, 8, 0, \
      "how near entities are found; the events are the same, docs/indexes.md has the worlds that each suits") \
    X(f32, cell_size, 0, 0, 0, PH_LENGTH_MAX, 0, \
      "of index = grid and hash: side of a cell; 0 = the median view of the observers") \
    X(u32, quadtree_capacity, 128, 0, 1, 1u << 20, 0, \
      "of index = quadtree: more entities in a leaf, and it is cut in four; fewer in four, and they are merged") \
    X(u32, quadtree_depth, 5, 0, 0, 16, 0, "of index = quadtree: how often a shard's rectangle may be cut in four") \
    X(simd, simd, PH_SIMD_AUTO, 0, 0, 3, 0, \
      "vector instructions: auto, portable, avx2, avx512; the events are the same") \
    X(u32, activation_span, 1, 0, 0, 255, 1, \
      "an NPC is awake while an observer of a waking kind is within this many towers of it") \
    X(u32, activation_linger, 20, 0, 0, INT32_MAX, 1, "ticks from when the last one has gone until it falls asleep") \
    X(f64, sticky, 1.1, 0, 1, 1e6, 1, \
      "at the cap, a target not yet in the list counts as this much farther (on the squared distance)") \
    X(u32, crowd_entities, 0, 0, 0, 1u << 30, 1, \
      "crowd control: more entities than this in the nine towers around an observer shrink its view; 0 = off") \
    X(f32, crowd_floor, 0.25, 0, 0.0625, 1, 1, "of crowd control: the least share of its view that an observer keeps") \
    X(u32, events_max, 0, 0, 0, 1u << 31, 1, \
      "events of one tick: past that enters wait for later ticks, nearest first; 0 = 4194304 + 64 for each entity") \
    X(u32, entities_max, 1u << 22, 0, 1, 1u << 30, 0, "entities in the world at once; one more is refused") \
    X(u32, areas_max, 100000, 0, 0, 1u << 20, 0, "areas in the world at once; one more is refused") \
    X(u32, producers_max, 16, 0, 1, PH_PRODUCERS_MAX, 0, "producers open at once") \
    X(u32, producer_bytes, 64u << 20, 0, 128u << 10, 1u << 30, 0, "bytes of commands that may wait per producer") \
    X(u32, broadcast_bytes, 64u << 20, 0, PH_PAYLOAD_MAX, 1u << 30, 1, \
      "bytes of payloads that one tick's broadcasts may have; more are refused") \
    X(u32, refusals_max, 4096, 0, 1, 1u << 20, 0, "refusals that may wait per producer; more are only counted") \
    X(u32, consumers, 1, 0, 0, PH_CONSUMERS_MAX, 0, "consumers of batches; 0 = lists only") \
    X(u32, consumer_batches, 64, 0, 1, 65536, 0, \
      "batches that may wait per consumer, then its observers are coalesced") \
    X(u32, consumer_bytes, 4u << 20, 0, 0, 1u << 30, 0, \
      "bytes of broadcasts kept per consumer past that bound, then the oldest ticks are dropped") \
    X(u64, hash_seed, 0, 0, 0, UINT64_MAX, 0, \
      "seed of the keys of the hash tables of ids and positions, so that clients can not choose ids that collide; " \
      "0 = a secret one from the system; the events are the same") \
    X(flag, positions, true, 0, 0, 1, 0, \
      "batches have the position of each target that enters a list; without it an event takes a third less memory") \
    X(u32, exchange_bytes, 1u << 20, 0, 16u << 10, 1u << 30, 0, \
      "bytes of records that a shard may have in flight to others in one round")

/* X(type, name, default, min, max, meaning): attributes of a class; all are live. Further types: mask, u8 */
#define PHX_CLASS_KEYS(X) \
    X(f32, view, 0, 0, PH_LENGTH_MAX, "enter radius of an observer of this kind; 0 = it does not observe") \
    X(f32, margin, 0, 0, PH_LENGTH_MAX, "hysteresis: a target leaves only beyond enter radius + margin") \
    X(f32, reach, 0, 0, PH_LENGTH_MAX, "distance from which it is seen, whatever the observer's view") \
    X(f32, visible, PH_LENGTH_MAX, 0, PH_LENGTH_MAX, \
      "the farthest at which a view takes it in (items 30, players 100); 1e18 = no bound") \
    X(mask, layers, 1, 0, UINT64_MAX, "64 bit: the layers (phases, teams) it is on") \
    X(mask, sees, UINT64_MAX, 0, UINT64_MAX, "64 bit: the layers it looks at") \
    X(u8, stealth, 0, 0, 255, "seen only by detect >= stealth") \
    X(u8, detect, 0, 0, 255, "how much stealth it sees through") \
    X(flag, global, false, 0, 1, "seen at any distance") \
    X(flag, veiled, false, 0, 1, \
      "seen only by observers that a reveal lifts the veil for (a quest NPC, private loot)") \
    X(flag, ready, true, 0, 1, "an observer that is not ready sees and gets nothing") \
    X(u32, cap, 0, 0, INT32_MAX, "most targets in its list; 0 = no cap") \
    X(u8, priority, 0, 0, 255, "rank as a target when a cap bites; higher first") \
    X(u32, adds_max, 0, 0, INT32_MAX, \
      "most targets that may join its list in a tick, nearest first, the others wait; 0 = no limit") \
    X(flag, wakes, false, 0, 1, "its observers wake NPCs near them; a kind that wakes does not sleep") \
    X(flag, sleeps, true, 0, 1, \
      "an NPC: it sleeps while no waker is near; without a class that wakes it falls asleep as its linger " \
      "ends") \
    X(u32, updates_max, 0, 0, INT32_MAX, \
      "most updates for an observer of this kind in a tick, the others wait; 0 = no limit")

/* X(type, name, default, min, max, meaning): of one `band` section of a class; there may be PH_BANDS_MAX; live too. */
#define PHX_BAND_KEYS(X) \
    X(f32, radius, 0, PHX_F32_POSITIVE, PH_LENGTH_MAX, \
      "targets up to this far away, on the ground; shape = sphere: in space") \
    X(u32, every, 1, 1, PH_BAND_EVERY_MAX, "are sent, if they moved, every so many ticks, with their latest position")

/*
 * X(type, name, default, min, max, meaning): of a store; fields of ph_store_def. Further types: bytes, ring (0, or a
 * number of bytes in the range), path and label: texts of min .. max bytes, which have no default here.
 */
#define PHX_STORE_KEYS(X) \
    X(path, folder, 0, 0, PHX_PATH_MAX, "where the files are; it exists; empty = the host says where") \
    X(label, name, 0, 1, PH_STORE_NAME_MAX, "of the store: files are FOLDER/NAME.TICK.phs; letters, digits, - and _") \
    X(u32, image_ticks, 1200, 0, UINT32_MAX, \
      "an image is due after so many ticks; 0 = by ph_store_save(), and behind a gap of the journal") \
    X(u32, images_kept, 3, 1, PH_STORE_IMAGES_MAX, \
      "images that stay; older ones are removed with their journal once a newer one is durable") \
    X(u32, level, 1, 1, PH_STORE_LEVEL_MAX, "of zstd: how well images are compressed") \
    X(u32, sync_ms, 100, 1, PH_STORE_SYNC_MAX, \
      "the journal is synced so often: a machine that stops loses so much of it") \
    X(ring, ring_bytes, 0, PH_STORE_RING_MIN, PH_STORE_RING_MAX, \
      "records of the journal that may wait for the disk; past that it has a gap; 0 = no journal") \
    X(bytes, file_bytes, 64u << 20, PH_STORE_RING_MIN, PHX_FILE_BYTES_MAX, \
      "a file of the journal ends behind so many bytes, and the next one begins")

/*
 * X(type, name, default_a, default_b, min, max, meaning): of a cluster; fields of phc_def, and the servers.
 * Further types: path, nats and etcd (addresses of servers, min .. max bytes each), u16, u32_or_0 (0, or a number in
 * the range), and the enumeration store_loss. Defaults of texts and servers are none.
 */
#define PHX_CLUSTER_KEYS(X) \
    X(label, name, 0, 0, 0, PHC_NAME_MAX, \
      "of the common world, the same for all members; letters, digits, - and _; empty = this process is no member") \
    X(nats, nats, 0, 0, 1, PHX_SERVER_MAX, \
      "servers of messages, all of them, tried in turn; user and password go before the host") \
    X(etcd, etcd, 0, 0, 1, PHX_SERVER_MAX, "servers of the control store, tried in turn") \
    X(path, nats_ca_file, 0, 0, 0, PHX_PATH_MAX, \
      "certificates in PEM that those of tls:// servers are verified by; empty = the system's") \
    X(path, nats_certificate_file, 0, 0, 0, PHX_PATH_MAX, \
      "of this process, for servers of messages that demand one; empty = none") \
    X(path, nats_key_file, 0, 0, 0, PHX_PATH_MAX, "its private key, without a passphrase") \
    X(path, etcd_ca_file, 0, 0, 0, PHX_PATH_MAX, \
      "certificates in PEM that those of https:// servers are verified by; empty = the system's") \
    X(path, etcd_certificate_file, 0, 0, 0, PHX_PATH_MAX, \
      "of this process, for control stores that demand one; empty = none") \
    X(path, etcd_key_file, 0, 0, 0, PHX_PATH_MAX, "its private key, without a passphrase") \
    X(u32x2, regions, 8, 8, 1, PHX_REGIONS_AXIS_MAX, \
      "columns and rows of the regions, which divide the world; the same for all members") \
    X(f32, hand_over_margin, 5, 0, 0, PH_LENGTH_MAX, \
      "an entity goes to another node once it is so far beyond the own regions; the same for all members") \
    X(f32, speed_max, 5, 0, 0, PH_LENGTH_MAX, \
      "units that an entity moves in a tick, at most, but for teleports; the same for all members") \
    X(f32, halo, 0, 0, 0, PH_LENGTH_MAX, \
      "width of the strip that nodes see of each other; 0 = the least; the same for all members") \
    X(u32, lag_max, 4, 0, 1, 1000, "ticks that a remote entity may be old; the same for all members") \
    X(u32, silent_ticks, 40, 0, 1, 1000000, "remote entities leave if their node is not heard for so many ticks") \
    X(u32, lease_ms, 5000, 0, PHX_LEASE_MS_MIN, PHX_CLUSTER_MS_MAX, \
      "a member that the control store does not hear for so long is put out; the same for all members") \
    X(u32, list_ms, 200, 0, 10, PHX_CLUSTER_MS_MAX, \
      "between two looks at the control store, and two heartbeats; the same for all members") \
    X(u32_or_0, link_timeout_ms, 5000, 0, PHX_LEASE_MS_MIN, PHX_CLUSTER_MS_MAX, \
      "of two members that do not hear each other one is put out, a lease after that time; 0 = none is; the same for " \
      "all members") \
    X(u32, moves_per_tick, 2000, 0, 1, 1000000, "families and single entities handed over in a tick, at most") \
    X(store_loss, store_loss, 0, 0, 0, 1, \
      "without the control store a node goes on until it hears of a newer map, or freezes: it owns nothing") \
    X(u16, number, 0, 0, 0, UINT16_MAX, \
      "that it wishes among the living members; 0 = the lowest that is free, or where many begin at once one of the " \
      "lowest") \
    X(flag, gateway, false, 0, 0, 1, "it has no world and owns nothing") \
    X(flag, balance, true, 0, 0, 1, \
      "it may be the one node that gives regions of a busy node to others; off at all of them: none does") \
    X(flag, adopt_map, false, 0, 0, 1, \
      "a control store that has lost all it had gets the newest map that members have; off: they end; the same for " \
      "all members")

#define PHX_SERVERS_MAX 5       /* of each kind, as PHC_SERVERS_MAX */
#define PHX_SERVER_MAX 255      /* bytes of an address; a word of a config file has no more */
#define PHX_REGIONS_AXIS_MAX 64 /* 64 * 64 are PHC_REGIONS_MAX */
#define PHX_LEASE_MS_MIN 1000   /* leases of etcd are whole seconds */
#define PHX_CLUSTER_MS_MAX 600000

#define PHX_PATH_MAX 255                /* bytes; a word of a config file has no more */
#define PHX_FILE_BYTES_MAX (1ull << 40) /* of a journal's file */

/* The words of the enumerations, in the order of their values. */
#define PHX_RANGE_WORDS "radius", "towers"
#define PHX_SHAPE_WORDS "circle", "square", "cylinder", "sphere"
#define PHX_INDEX_WORDS "lighthouse", "brute", "grid", "hash", "crosslist", "towers", "quadtree", "hex", "timer"
#define PHX_SIMD_WORDS "auto", "portable", "avx2", "avx512"
#define PHX_STORE_LOSS_WORDS "go_on", "freeze"

#endif
