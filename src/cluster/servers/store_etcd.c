/*
 * The control store over etcd's JSON gateway: phc_etcd_open() of cluster.h. Two lines make the requests, each a thread
 * with a connection of libcurl, one after the other: one renews leases, which must not wait behind a read of a server
 * that hangs, and one does all else. The member's thread hands them over and takes the answers under a mutex, which is
 * never held while a request is made. A request has its place from asking until its answer is taken.
 */
#include <curl/curl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/thread.h"
#include "cluster/servers/etcd_json.h"
#include "cluster/servers/subject.h"
#include "cluster/servers/tls.h"

enum {
    REQUESTS_MAX = 64,
    ANSWER_BYTES_MAX = 8 << 20, /* of the text of an answer */
    TIMEOUT_MS = 1000,
    TIMEOUT_MS_MIN = 100,
    TIMEOUT_MS_MAX = 60000,
    LISTS_OF_SERVER = 16, /* then the next one: a server that is cut off from the others lists what is old for ever */
    LEASE_MS_MIN = 1000,
    LEASE_MS_MAX = 3600 * 1000,
    NAME_WAIT_MS = 1000, /* before a name that was not found in time is looked for again; doubled each time, */
    NAME_WAIT_MS_MAX = 8000,
    CLOSE_MS = 1000, /* for ends of leases; libcurl asks whether to stop once a second: closing takes three at most */
    NS_IN_MS = 1000000
};

typedef struct etcd_slot {
    phx_etcd_request request;
    phx_etcd_answer answer;
    uint64_t tag, asked_ns;
    void *value; /* of the request, if it writes one */
    uint32_t value_capacity;
    uint32_t next;                 /* in its list; REQUESTS_MAX = the last */
    char trouble[CURL_ERROR_SIZE]; /* that the answer's reason may be */
} etcd_slot;

/* Places in order. */
typedef struct etcd_list {
    uint32_t first, last; /* REQUESTS_MAX = none */
} etcd_list;

/* The name of a server, as libcurl leaves a thread behind for each time that it was not found before the timeout. */
typedef struct etcd_name {
    uint64_t again_ns; /* not looked for before */
    uint32_t wait_ms;  /* the last time; 0 = it was found */
} etcd_name;

struct etcd_store;

typedef struct etcd_line {
    struct etcd_store *store;
    pthread_t thread;
    pthread_cond_t wake;
    bool is_running;
    etcd_list asked; /* under the mutex */
    /* the thread's */
    CURL *curl;
    phx_etcd_kind kind; /* of the request that is made */
    uint32_t current;   /* the server that is asked first */
    uint32_t lists;     /* that it has given */
    uint64_t ends_ns;   /* when it came to the first end of a lease behind the close; 0 before */
    etcd_name names[PHC_SERVERS_MAX];
    char trouble[CURL_ERROR_SIZE]; /* libcurl's words for the last request's; "" = none */
    char *text;                    /* of the answer */
    uint32_t text_capacity, text_bytes;
    char body[PHX_ETCD_BODY_MAX];
} etcd_line;

enum { LEASE_LINE, OTHER_LINE, LINES };

typedef struct etcd_store {
    phx_mem mem;
    char servers[PHC_SERVERS_MAX][256];
    uint32_t server_count, timeout_ms;
    bool is_tls;
    struct curl_slist *headers;
    pthread_mutex_t mutex;
    etcd_slot slots[REQUESTS_MAX];
    etcd_list empty, answered; /* under the mutex, and the slots in them; a slot in no list is the thread's */
    etcd_line lines[LINES];
    void *spare; /* the member's thread's: room for the next value, so that a report of every two seconds needs none */
    uint32_t spare_capacity;
    _Atomic bool closes; /* read by libcurl's call in the middle of a request; relaxed: orders nothing */
    _Atomic uint64_t attempts, failed, connects; /* of both threads; relaxed: numbers alone */
} etcd_store;

static void push_slot(etcd_store *store, etcd_list *list, uint32_t slot)
{
    store->slots[slot].next = REQUESTS_MAX;
    if (list->first == REQUESTS_MAX) list->first = slot;
    else store->slots[list->last].next = slot;
    list->last = slot;
}

/* REQUESTS_MAX: there is none. */
static uint32_t pop_slot(etcd_store *store, etcd_list *list)
{
    const uint32_t slot = list->first;
    if (slot != REQUESTS_MAX) list->first = store->slots[slot].next;
    return slot;
}

/* ---- the thread of a line ---- */

static size_t take_text(char *bytes, size_t one, size_t size, void *of)
{
    etcd_line *line = of;
    void *text = line->text;
    (void)one;
    if (size > ANSWER_BYTES_MAX - line->text_bytes ||
        !phx_grow(&line->store->mem, &text, &line->text_capacity, line->text_bytes, line->text_bytes + size + 1, 1))
        return 0;
    line->text = text;
    memcpy(line->text + line->text_bytes, bytes, size);
    line->text_bytes += (uint32_t)size;
    line->text[line->text_bytes] = '\0';
    return size;
}

static bool store_closes(const etcd_store *store)
{
    return atomic_load_explicit(&store->closes, memory_order_relaxed);
}

/* Of a store that is being closed: leases are ended still, for a while, which a request before does not shorten. */
static bool is_void(etcd_line *line, phx_etcd_kind kind)
{
    if (!store_closes(line->store)) return false;
    if (kind != PHX_ETCD_LEASE_END) return true;
    const uint64_t now = phx_now_ns();
    if (line->ends_ns == 0) line->ends_ns = now;
    return now - line->ends_ns >= CLOSE_MS * NS_IN_MS;
}

static int stop_request(void *of, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
    etcd_line *line = of;
    (void)(a + b + c + d);
    return is_void(line, line->kind);
}

static CURLcode ask_server(etcd_line *line, const etcd_slot *slot, size_t body_bytes)
{
    char address[sizeof line->store->servers[0] + 32];
    (void)snprintf(address, sizeof address, "%s%s", line->store->servers[line->current],
                   phx_etcd_path(slot->request.kind));
    line->text_bytes = 0;
    line->trouble[0] = '\0';
    line->kind = slot->request.kind;
    (void)curl_easy_setopt(line->curl, CURLOPT_URL, address);
    (void)curl_easy_setopt(line->curl, CURLOPT_POSTFIELDSIZE, (long)body_bytes);
    (void)curl_easy_setopt(line->curl, CURLOPT_POSTFIELDS, line->body);
    return curl_easy_perform(line->curl);
}

static void count_attempt(etcd_line *line)
{
    long connects = 0;
    (void)curl_easy_getinfo(line->curl, CURLINFO_NUM_CONNECTS, &connects);
    atomic_fetch_add_explicit(&line->store->attempts, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&line->store->connects, (uint64_t)connects, memory_order_relaxed);
}

/* Was the name of the server not found before the timeout? An address is found at once, and an open connection sends.
 */
static bool has_no_name(CURL *curl, CURLcode code)
{
    curl_off_t found_us = 0, sent_us = 0;
    if (code != CURLE_OPERATION_TIMEDOUT) return false;
    (void)curl_easy_getinfo(curl, CURLINFO_NAMELOOKUP_TIME_T, &found_us);
    (void)curl_easy_getinfo(curl, CURLINFO_PRETRANSFER_TIME_T, &sent_us);
    return found_us == 0 && sent_us == 0;
}

static void note_name(etcd_line *line, CURLcode code)
{
    etcd_name *name = &line->names[line->current];
    const bool is_late = has_no_name(line->curl, code);
    const uint32_t wait_ms = name->wait_ms == 0 ? NAME_WAIT_MS : 2 * name->wait_ms;
    name->wait_ms = !is_late ? 0 : wait_ms < NAME_WAIT_MS_MAX ? wait_ms : NAME_WAIT_MS_MAX;
    name->again_ns = phx_now_ns() + (uint64_t)name->wait_ms * NS_IN_MS;
}

/* May it be made once more, although it may have been done? */
static bool is_repeatable(phx_etcd_kind kind, CURLcode code)
{
    const bool never_sent = code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST ||
                            code == CURLE_SSL_CONNECT_ERROR || code == CURLE_PEER_FAILED_VERIFICATION ||
                            code == CURLE_SSL_CERTPROBLEM || code == CURLE_SSL_CACERT_BADFILE;
    return never_sent || (kind != PHX_ETCD_CAS && kind != PHX_ETCD_LEASE_END);
}

static void next_server(etcd_line *line)
{
    line->current = (line->current + 1) % line->store->server_count;
}

/* Why there is no answer. Of TLS there are as many reasons as files and servers, and one code for most of them. */
static const char *say_trouble(const etcd_line *line, etcd_slot *slot, CURLcode code)
{
    if (code == CURLE_OK) return "an empty answer";
    if (!line->store->is_tls || line->trouble[0] == '\0') return curl_easy_strerror(code);
    memcpy(slot->trouble, line->trouble, sizeof slot->trouble);
    return slot->trouble;
}

/* At the server that answered last, and at the others if it does not. */
static void make_request(etcd_line *line, etcd_slot *slot)
{
    const etcd_store *store = line->store;
    const uint64_t wait_ns = (uint64_t)store->timeout_ms * store->server_count * NS_IN_MS;
    const bool is_late = !store_closes(store) && phx_now_ns() - slot->asked_ns >= wait_ns;
    const char *reason = "waited too long for its turn";
    const size_t body_bytes = phx_etcd_write(&slot->request, line->body);
    for (uint32_t i = 0; i < store->server_count && !is_late && !is_void(line, slot->request.kind); i++) {
        if (phx_now_ns() < line->names[line->current].again_ns) {
            reason = "the name of a server was not found in time";
            next_server(line);
            continue;
        }
        const CURLcode code = ask_server(line, slot, body_bytes);
        note_name(line, code);
        count_attempt(line);
        if (code == CURLE_OK && line->text_bytes > 0) {
            phx_etcd_read(&slot->request, line->text, line->text_bytes, &line->store->mem, &slot->answer);
            if (slot->answer.outcome != PHC_FAILED) {
                if (slot->request.kind == PHX_ETCD_LIST && ++line->lists % LISTS_OF_SERVER == 0) next_server(line);
                return;
            }
            reason = slot->answer.reason; /* a server without a leader, say */
        } else {
            reason = say_trouble(line, slot, code);
        }
        atomic_fetch_add_explicit(&line->store->failed, 1, memory_order_relaxed);
        next_server(line);
        if (!is_repeatable(slot->request.kind, code)) break;
    }
    slot->answer = (phx_etcd_answer){.outcome = PHC_FAILED, .reason = reason};
}

static void *run_requests(void *of)
{
    etcd_line *line = of;
    etcd_store *store = line->store;
    pthread_mutex_lock(&store->mutex);
    for (;;) {
        const uint32_t slot = pop_slot(store, &line->asked);
        if (slot == REQUESTS_MAX && store_closes(store)) break;
        if (slot == REQUESTS_MAX) {
            pthread_cond_wait(&line->wake, &store->mutex);
            continue;
        }
        pthread_mutex_unlock(&store->mutex);
        make_request(line, &store->slots[slot]);
        pthread_mutex_lock(&store->mutex);
        push_slot(store, &store->answered, slot);
    }
    pthread_mutex_unlock(&store->mutex);
    return NULL;
}

/* ---- the member's thread ---- */

/* The spare one grows to what the store is asked to write at once; NULL: no memory. */
static void *take_value(etcd_store *store, const phx_etcd_request *request, uint32_t *capacity)
{
    void *value = store->spare;
    if (!phx_grow(&store->mem, &value, &store->spare_capacity, 0, request->size, 1)) return NULL;
    memcpy(value, request->value, request->size);
    *capacity = store->spare_capacity;
    store->spare = NULL;
    store->spare_capacity = 0;
    return value;
}

/* Of two the larger one is spare from now on. */
static void give_value(etcd_store *store, void *value, uint32_t capacity)
{
    if (capacity > store->spare_capacity) {
        void *smaller = store->spare;
        const uint32_t smaller_capacity = store->spare_capacity;
        store->spare = value;
        store->spare_capacity = capacity;
        value = smaller;
        capacity = smaller_capacity;
    }
    phx_release(&store->mem, &value, &capacity, 1);
}

static void free_slot(etcd_store *store, etcd_slot *slot)
{
    give_value(store, slot->value, slot->value_capacity);
    phx_entries_free(&slot->answer.entries, &store->mem);
    slot->value = NULL;
    slot->value_capacity = 0;
}

static ph_status ask(etcd_store *store, uint64_t tag, const char *key, bool prefix, phx_etcd_request request)
{
    etcd_line *line = &store->lines[request.kind == PHX_ETCD_LEASE_RENEW ? LEASE_LINE : OTHER_LINE];
    void *value = NULL;
    uint32_t capacity = 0;
    if (!phx_key_is_good(key, prefix) || request.size > PHC_VALUE_MAX || request.revision > INT64_MAX ||
        request.lease > INT64_MAX)
        return PH_BAD_ARGUMENT;
    if (request.size > 0 && !(value = take_value(store, &request, &capacity))) return PH_NO_MEMORY;
    request.value = value;
    memcpy(request.key, key, strlen(key) + 1);
    pthread_mutex_lock(&store->mutex);
    const uint32_t slot = pop_slot(store, &store->empty);
    if (slot != REQUESTS_MAX) {
        store->slots[slot] = (etcd_slot){
            .request = request, .tag = tag, .asked_ns = phx_now_ns(), .value = value, .value_capacity = capacity};
        push_slot(store, &line->asked, slot);
        pthread_cond_signal(&line->wake);
    }
    pthread_mutex_unlock(&store->mutex);
    if (slot != REQUESTS_MAX) return PH_OK;
    give_value(store, value, capacity);
    return PH_FULL;
}

static ph_status etcd_get(void *user, uint64_t tag, const char *key)
{
    return ask(user, tag, key, false, (phx_etcd_request){.kind = PHX_ETCD_GET});
}

static ph_status etcd_list_keys(void *user, uint64_t tag, const char *prefix)
{
    return ask(user, tag, prefix, true, (phx_etcd_request){.kind = PHX_ETCD_LIST});
}

static ph_status etcd_cas(void *user, uint64_t tag, const char *key, uint64_t revision, const void *value, size_t size,
                          uint64_t lease)
{
    return ask(
        user, tag, key, false,
        (phx_etcd_request){.kind = PHX_ETCD_CAS, .revision = revision, .lease = lease, .value = value, .size = size});
}

static ph_status etcd_lease_open(void *user, uint64_t tag, uint32_t ms)
{
    if (ms < LEASE_MS_MIN || ms > LEASE_MS_MAX) return PH_BAD_ARGUMENT;
    return ask(user, tag, "", true, (phx_etcd_request){.kind = PHX_ETCD_LEASE_OPEN, .ms = ms});
}

static ph_status etcd_lease_renew(void *user, uint64_t tag, uint64_t lease)
{
    return ask(user, tag, "", true, (phx_etcd_request){.kind = PHX_ETCD_LEASE_RENEW, .lease = lease});
}

static ph_status etcd_lease_end(void *user, uint64_t tag, uint64_t lease)
{
    return ask(user, tag, "", true, (phx_etcd_request){.kind = PHX_ETCD_LEASE_END, .lease = lease});
}

static void give_answer(const etcd_slot *slot, phc_answer_fn fn, void *fn_user)
{
    const phx_etcd_answer *answer = &slot->answer;
    fn(fn_user, &(phc_answer){.tag = slot->tag,
                              .outcome = answer->outcome,
                              .revision = answer->revision,
                              .lease = answer->lease,
                              .lease_ms = answer->lease_ms,
                              .entries = answer->entries.items,
                              .count = answer->entries.count,
                              .left_out = answer->left_out,
                              .reason = answer->reason});
}

static uint32_t etcd_poll(void *user, uint32_t answers_max, phc_answer_fn fn, void *fn_user)
{
    etcd_store *store = user;
    uint32_t given = 0;
    for (; given < answers_max; given++) {
        pthread_mutex_lock(&store->mutex);
        const uint32_t slot = pop_slot(store, &store->answered);
        pthread_mutex_unlock(&store->mutex);
        if (slot == REQUESTS_MAX) break;
        give_answer(&store->slots[slot], fn, fn_user);
        free_slot(store, &store->slots[slot]);
        pthread_mutex_lock(&store->mutex);
        push_slot(store, &store->empty, slot);
        pthread_mutex_unlock(&store->mutex);
    }
    return given;
}

static void etcd_state(void *user, phc_store_state *state)
{
    const etcd_store *store = user;
    *state = (phc_store_state){.attempts = atomic_load_explicit(&store->attempts, memory_order_relaxed),
                               .failed = atomic_load_explicit(&store->failed, memory_order_relaxed),
                               .connects = atomic_load_explicit(&store->connects, memory_order_relaxed)};
}

/* ---- begin and end ---- */

static void end_line(etcd_line *line)
{
    void *text;
    if (line->is_running) {
        pthread_mutex_lock(&line->store->mutex);
        pthread_cond_signal(&line->wake);
        pthread_mutex_unlock(&line->store->mutex);
        (void)pthread_join(line->thread, NULL);
    }
    pthread_cond_destroy(&line->wake);
    curl_easy_cleanup(line->curl);
    text = line->text; /* the thread of the line may have moved it until it was joined */
    phx_release(&line->store->mem, &text, &line->text_capacity, 1);
}

static void etcd_close(void *user)
{
    etcd_store *store = user;
    phx_mem outer;
    atomic_store_explicit(&store->closes, true, memory_order_relaxed);
    for (uint32_t i = 0; i < LINES; i++) end_line(&store->lines[i]);
    pthread_mutex_destroy(&store->mutex);
    curl_slist_free_all(store->headers);
    for (uint32_t i = 0; i < REQUESTS_MAX; i++) free_slot(store, &store->slots[i]);
    phx_release(&store->mem, &store->spare, &store->spare_capacity, 1);
    PHX_ASSERT(atomic_load_explicit(&store->mem.bytes, memory_order_relaxed) == 0);
    phx_mem_init(&outer, store->mem.allocator);
    atomic_store_explicit(&outer.bytes, sizeof *store, memory_order_relaxed);
    phx_free(&outer, store, sizeof *store, _Alignof(etcd_store));
}

static bool def_is_good(const phc_etcd_def *def, bool *is_tls, char *reason, size_t reason_size)
{
    static const phx_schemes schemes = {"http://", "https://"};
    const char *wrong = NULL;
    if (!def->servers || def->server_count == 0 || def->server_count > PHC_SERVERS_MAX) wrong = "servers: 1 to 5";
    else if (!phx_tls_asked(schemes, def->servers, def->server_count, is_tls))
        wrong = "servers: each is http://host:port, or each is https://host:port";
    for (uint32_t i = 0; !wrong && i < def->server_count; i++)
        if (strlen(def->servers[i]) >= sizeof((etcd_store *)0)->servers[0]) wrong = "servers: an address is too long";
    if (def->timeout_ms != 0 && (def->timeout_ms < TIMEOUT_MS_MIN || def->timeout_ms > TIMEOUT_MS_MAX))
        wrong = "timeout_ms: 100 to 60000, or 0";
    if (!phx_allocator_is_good(&def->allocator))
        wrong = "allocator: both functions or neither, and reserved words of 0";
    if (!phx_is_zero(def->reserved, sizeof def->reserved)) wrong = "reserved: not 0";
    if (wrong && reason) (void)snprintf(reason, reason_size, "%s", wrong);
    return !wrong && phx_tls_is_good(&def->tls, *is_tls, schemes, reason, reason_size);
}

/*
 * libcurl reads the files for each connection: the CA's too, as it keeps none. Of HTTP it has the version that it
 * speaks without TLS. false: it was built without one of these, and goes no other way.
 */
static bool add_tls(CURL *curl, const phc_tls *tls)
{
    bool good = curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 1L) == CURLE_OK &&
                curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, 2L) == CURLE_OK &&
                curl_easy_setopt(curl, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2) == CURLE_OK;
    (void)curl_easy_setopt(curl, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    if (tls->ca_file) {
        good = good && curl_easy_setopt(curl, CURLOPT_CAINFO, tls->ca_file) == CURLE_OK;
        (void)curl_easy_setopt(curl, CURLOPT_CAPATH, NULL); /* else the system's are good, too */
        (void)curl_easy_setopt(curl, CURLOPT_CA_CACHE_TIMEOUT, 0L);
    }
    if (tls->certificate_file)
        good = good && curl_easy_setopt(curl, CURLOPT_SSLCERT, tls->certificate_file) == CURLE_OK &&
               curl_easy_setopt(curl, CURLOPT_SSLKEY, tls->key_file) == CURLE_OK &&
               curl_easy_setopt(curl, CURLOPT_KEYPASSWD, "") == CURLE_OK; /* or the terminal is asked for one */
    return good;
}

/* All that its requests have in common. */
static ph_status begin_curl(etcd_line *line, const phc_tls *tls)
{
    const bool is_tls = line->store->is_tls;
    CURL *curl = line->curl = curl_easy_init();
    if (!curl) return PH_NO_MEMORY;
    (void)curl_easy_setopt(curl, CURLOPT_HTTPHEADER, line->store->headers);
    (void)curl_easy_setopt(curl, CURLOPT_POST, 1L);
    (void)curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)line->store->timeout_ms);
    (void)curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);   /* no timer by a signal: threads */
    (void)curl_easy_setopt(curl, CURLOPT_QUICK_EXIT, 1L); /* no wait for a resolver that hangs, behind the timeout */
    (void)curl_easy_setopt(curl, CURLOPT_PROXY, "");      /* whatever the environment says */
    (void)curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, line->trouble);
    (void)curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    (void)curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, stop_request);
    (void)curl_easy_setopt(curl, CURLOPT_XFERINFODATA, line);
    (void)curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_text);
    (void)curl_easy_setopt(curl, CURLOPT_WRITEDATA, line);
    if (curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, is_tls ? "https" : "http") != CURLE_OK) return PH_BAD_DEF;
    return !is_tls || add_tls(curl, tls) ? PH_OK : PH_BAD_DEF;
}

static ph_status begin_line(etcd_line *line, const phc_tls *tls, char *reason, size_t reason_size)
{
    const ph_status status = begin_curl(line, tls);
    if (status == PH_BAD_DEF && reason) (void)snprintf(reason, reason_size, "tls: this libcurl has no such TLS");
    if (status != PH_OK) return status;
    const int error = phx_thread_begin(&line->thread, run_requests, line);
    line->is_running = error == 0;
    if (error != 0 && reason) (void)snprintf(reason, reason_size, "no thread for requests: error %d", error);
    return error == 0 ? PH_OK : PH_IO;
}

static void init_store(etcd_store *store, const phc_etcd_def *def)
{
    store->timeout_ms = def->timeout_ms != 0 ? def->timeout_ms : TIMEOUT_MS;
    store->server_count = def->server_count;
    for (uint32_t i = 0; i < def->server_count; i++)
        memcpy(store->servers[i], def->servers[i], strlen(def->servers[i]) + 1);
    store->empty.first = store->answered.first = REQUESTS_MAX;
    pthread_mutex_init(&store->mutex, NULL);
    for (uint32_t i = 0; i < LINES; i++) {
        store->lines[i].store = store;
        store->lines[i].asked.first = REQUESTS_MAX;
        pthread_cond_init(&store->lines[i].wake, NULL);
    }
    for (uint32_t i = 0; i < REQUESTS_MAX; i++) push_slot(store, &store->empty, i);
}

static void begin_library(void)
{
    (void)curl_global_init(CURL_GLOBAL_DEFAULT);
}

ph_status phc_etcd_open(const phc_etcd_def *def, phc_store *store, char *reason, size_t reason_size)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    phx_mem outer;
    bool is_tls = false;
    if (!def || !store) return PH_BAD_ARGUMENT;
    if (!def_is_good(def, &is_tls, reason, reason_size)) return PH_BAD_DEF;
    (void)pthread_once(&once, begin_library);
    phx_mem_init(&outer, def->allocator);
    etcd_store *made = phx_alloc_zero(&outer, sizeof *made, _Alignof(etcd_store));
    if (!made) return PH_NO_MEMORY;
    phx_mem_init(&made->mem, def->allocator);
    init_store(made, def);
    made->is_tls = is_tls;
    made->headers = curl_slist_append(NULL, "Content-Type: application/json");
    ph_status status = made->headers ? PH_OK : PH_NO_MEMORY;
    for (uint32_t i = 0; i < LINES && status == PH_OK; i++)
        status = begin_line(&made->lines[i], &def->tls, reason, reason_size);
    if (status != PH_OK) {
        etcd_close(made);
        return status;
    }
    *store = (phc_store){.get = etcd_get,
                         .list = etcd_list_keys,
                         .cas = etcd_cas,
                         .lease_open = etcd_lease_open,
                         .lease_renew = etcd_lease_renew,
                         .lease_end = etcd_lease_end,
                         .poll = etcd_poll,
                         .state = etcd_state,
                         .close = etcd_close,
                         .user = made};
    return PH_OK;
}
