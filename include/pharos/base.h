/**
 * @file base.h
 * Pharos: export macro, version, status codes, allocator and log hooks.
 * Stands alone; every other public header includes it.
 */
#ifndef PHAROS_BASE_H
#define PHAROS_BASE_H

#include <stddef.h>
#include <stdint.h>

/* The version of these headers, for #if. It is written here alone: the build reads it from these lines. */
#define PHAROS_VERSION_MAJOR 0
#define PHAROS_VERSION_MINOR 1
#define PHAROS_VERSION_PATCH 0

/** Numbers that compare as versions do: `PHAROS_VERSION_NUMBER >= PHAROS_VERSION_OF(0, 2, 0)` in a condition. */
#define PHAROS_VERSION_OF(major, minor, patch) ((major)*1000000 + (minor)*1000 + (patch))
#define PHAROS_VERSION_NUMBER PHAROS_VERSION_OF(PHAROS_VERSION_MAJOR, PHAROS_VERSION_MINOR, PHAROS_VERSION_PATCH)

/** "MAJOR.MINOR.PATCH" */
#define PHAROS_VERSION_STRING \
    PHAROS_VERSION_TEXT(PHAROS_VERSION_MAJOR) \
    "." PHAROS_VERSION_TEXT(PHAROS_VERSION_MINOR) "." PHAROS_VERSION_TEXT(PHAROS_VERSION_PATCH)
#define PHAROS_VERSION_TEXT(number) PHAROS_VERSION_TEXT_OF(number)
#define PHAROS_VERSION_TEXT_OF(number) #number

#if defined(PHAROS_STATIC)
#define PH_API
#elif defined(PHAROS_BUILDING)
#define PH_API __attribute__((visibility("default")))
#else
#define PH_API
#endif

#define PH_NODISCARD __attribute__((warn_unused_result))

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Every status, its number and its sentence. One list makes the enum, the text of
 * ph_status_text() and the tests' tables. Numbers never change meaning.
 */
#define PH_STATUS_LIST(X) \
    X(PH_OK, 0, "done") \
    X(PH_FULL, 1, "a bounded queue is full: run a tick (or take answers) and submit again") \
    X(PH_EMPTY, 2, "nothing to take at present") \
    X(PH_BUSY, 3, \
      "the world is in a tick or has one half way, is being read while a tick was asked for, or a tick ended the " \
      "visit; of a cluster: this node can not do it at present") \
    X(PH_NO_MEMORY, 4, "an allocation failed; nothing was changed, but a tick may be half way") \
    X(PH_BAD_HANDLE, 5, "the handle is null, was closed, or belongs to a world that is gone") \
    X(PH_BAD_ARGUMENT, 6, "an argument is outside its documented range") \
    X(PH_BAD_DEF, 7, "a field of the definition is outside its documented range") \
    X(PH_NOT_LIVE, 8, "this key can not be changed while the world lives") \
    X(PH_BAD_ID, 9, "id 0 is not an entity") \
    X(PH_UNKNOWN_ID, 10, "no entity of this id is in the world") \
    X(PH_EXISTS, 11, "an entity of this id is in the world already") \
    X(PH_BAD_POSITION, 12, "a coordinate is not a number from -1e18 to 1e18") \
    X(PH_BAD_RADIUS, 13, "a radius, margin, reach or visible is not a number from 0 to 1e18") \
    X(PH_BAD_KIND, 14, "the kind is not a class of this world") \
    X(PH_BAD_VALUE, 15, "an attribute is outside its range, or can not be set here") \
    X(PH_CAPACITY, 16, \
      "the world holds as many entities, or areas, as its definition allows; of a cluster: as many members, or pins") \
    X(PH_ATTACHED, 17, \
      "the entity is attached: its parent gives it position and instance, and takes it along into a capsule") \
    X(PH_CYCLE, 18, "the parent hangs on the child already, or is the child itself") \
    X(PH_TOO_DEEP, 19, "the chain of attachments would be deeper than 8") \
    X(PH_ABSENT, 20, "there is no such pair, link, hide, reveal, attachment or area") \
    X(PH_SAME_ID, 21, "the two ids of a pair, link, hide or reveal are the same") \
    X(PH_TAKEN, 22, \
      "all handles of this kind are taken, or this one; of a cluster: the region, or the number, is another member's") \
    X(PH_TOO_LARGE, 23, "the payload is larger than PH_PAYLOAD_MAX, or the capsule than PH_CAPSULE_MAX or its room") \
    X(PH_TICK_FULL, 24, "the tick carries as many bytes of broadcasts as broadcast_bytes allows") \
    X(PH_PENDING, 25, \
      "nothing to take at present, but more waits for a tick: return the batches and run one; of a cluster: " \
      "the entity is on its way") \
    X(PH_NOT_GIVEN, 26, "a field that is needed is not given: set its bit in ph_attrs.given (PH_X and PH_Y at enter)") \
    X(PH_IO, 27, "a read or write failed: of the host's function, a file or a socket; or a thread is not to be had") \
    X(PH_BAD_IMAGE, 28, "it is no image of a world, is damaged, of a later format, or says what can not be") \
    X(PH_BAD_RECORD, 29, "it is no record of a journal, is damaged, or is not the next one of this world") \
    X(PH_FENCED, 30, "this process is a member of its cluster no more, for good")

typedef enum ph_status {
#define PH_STATUS_ENUM(name, number, text) name = number,
    PH_STATUS_LIST(PH_STATUS_ENUM)
#undef PH_STATUS_ENUM
        PH_STATUS_COUNT /* one past the last status of this version */
} ph_status;

/** Size of the tables by status: further statuses do not move the fields behind. */
enum { PH_STATUSES_MAX = 64 };

/** @return a sentence for the status, static, never NULL. @thread any */
PH_API const char *ph_status_text(ph_status status);

/** @return the status' name ("PH_FULL"), static, never NULL. @thread any */
PH_API const char *ph_status_name(ph_status status);

/** @return the version of the library that runs, "MAJOR.MINOR.PATCH", static; of the headers: PHAROS_VERSION_STRING.
 * @thread any */
PH_API const char *ph_version(void);

/**
 * Where the library's memory comes from. `allocate` returns memory aligned to `alignment` (a power of two; `bytes` need
 * not be a multiple of it) or NULL; `release` gets the same size and alignment back. Both may be called from any
 * worker, several at once. All functions that the host gives to the library have to return, except the callback of a
 * visit: a world whose tick was left by a C++ exception or a longjmp() is lost.
 * Memory of 2 MiB and more is asked for with an alignment of 2 MiB: each time an arena needs room for up to 2 MiB
 * more. The system is asked for large pages in it (madvise(), MADV_HUGEPAGE); the advice stays with the addresses when
 * the memory is released. docs/memory.md has the reasons.
 */
typedef struct ph_allocator {
    void *(*allocate)(void *user, size_t bytes, size_t alignment);
    void (*release)(void *user, void *memory, size_t bytes, size_t alignment);
    void *user;
    uint64_t reserved[2]; /* 0 */
} ph_allocator;

typedef enum ph_log_level { PH_LOG_ERROR = 0, PH_LOG_WARNING = 1, PH_LOG_INFO = 2 } ph_log_level;

/**
 * Called with one line without a newline. The library itself never prints. Lines: PH_LOG_ERROR, why ph_world_create()
 * refuses the definition (from its caller's thread). PH_LOG_WARNING, at the end of a tick, from the thread that ticks:
 * the world has entities and no observer, so nothing is told; more than 5 % of the entities stand outside of the world
 * (each once, until that has ended); an entity came with a field set whose bit is not in ph_attrs.given, or a ph_set()
 * gave nothing (once for each field). The callback may not call functions of this world.
 */
typedef void (*ph_log_fn)(void *user, ph_log_level level, const char *line);

#ifdef __cplusplus
}
#endif
#endif
