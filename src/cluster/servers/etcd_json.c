/*
 * Bodies and answers of etcd's JSON gateway; see etcd_json.h. Numbers of 64 bits are strings there, bytes are base64,
 * and a field that is 0, false or empty is left out.
 */
#include "cluster/servers/etcd_json.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cluster/servers/base64.h"
#include "cluster/servers/subject.h"

enum {
    SECOND_MS = 1000,
    KEY_TEXT = (PHC_KEY_MAX + 2) / 3 * 4 + 1,
    NOT_FOUND = 5,        /* codes of errors: no such lease; */
    EXHAUSTED = 8,        /* no space, too many requests; */
    UNAVAILABLE = 14,     /* no leader, or a new one, or a time that is over */
    LEASE_S_MAX = 1 << 20 /* 12 days */
};

const char *phx_etcd_path(phx_etcd_kind kind)
{
    switch (kind) {
    case PHX_ETCD_GET:
    case PHX_ETCD_LIST:
        return "/v3/kv/range";
    case PHX_ETCD_CAS:
        return "/v3/kv/txn";
    case PHX_ETCD_LEASE_OPEN:
        return "/v3/lease/grant";
    case PHX_ETCD_LEASE_RENEW:
        return "/v3/lease/keepalive";
    case PHX_ETCD_LEASE_END:
        break;
    }
    return "/v3/lease/revoke";
}

/* ---- bodies ---- */

/* serializable: of the server's own state, as a read that asks the leader waits for up to 7 s while there is none */
static int write_list(const phx_etcd_request *request, const char *key, char *body)
{
    char end[PHC_KEY_MAX + 1], end_text[KEY_TEXT];
    const size_t length = strlen(request->key);
    if (length == 0) /* all */
        return snprintf(body, PHX_ETCD_BODY_MAX, "{\"key\":\"AA==\",\"range_end\":\"AA==\",\"serializable\":true}");
    memcpy(end, request->key, length);
    end[length - 1]++; /* the first text behind all that begin so */
    phx_base64_encode(end_text, end, length);
    return snprintf(body, PHX_ETCD_BODY_MAX, "{\"key\":\"%s\",\"range_end\":\"%s\",\"serializable\":true}", key,
                    end_text);
}

static int write_cas(const phx_etcd_request *request, const char *key, char *body)
{
    int used =
        snprintf(body, PHX_ETCD_BODY_MAX,
                 "{\"compare\":[{\"key\":\"%s\",\"target\":\"MOD\",\"result\":\"EQUAL\",\"mod_revision\":\"%" PRIu64
                 "\"}],\"failure\":[{\"request_range\":{\"key\":\"%s\"}}],"
                 "\"success\":[{\"request_put\":{\"key\":\"%s\",\"lease\":\"%" PRIu64 "\",\"value\":\"",
                 key, request->revision, key, key, request->lease);
    phx_base64_encode(body + used, request->value, request->size);
    used += (int)phx_base64_length(request->size);
    return used + snprintf(body + used, PHX_ETCD_BODY_MAX - (size_t)used, "\"}}]}");
}

size_t phx_etcd_write(const phx_etcd_request *request, char *body)
{
    char key[KEY_TEXT];
    int used = 0;
    phx_base64_encode(key, request->key, strlen(request->key));
    switch (request->kind) {
    case PHX_ETCD_GET:
        used = snprintf(body, PHX_ETCD_BODY_MAX, "{\"key\":\"%s\"}", key);
        break;
    case PHX_ETCD_LIST:
        used = write_list(request, key, body);
        break;
    case PHX_ETCD_CAS:
        used = write_cas(request, key, body);
        break;
    case PHX_ETCD_LEASE_OPEN:
        used = snprintf(body, PHX_ETCD_BODY_MAX, "{\"TTL\":\"%u\"}", (request->ms + SECOND_MS - 1) / SECOND_MS);
        break;
    case PHX_ETCD_LEASE_RENEW:
    case PHX_ETCD_LEASE_END:
        used = snprintf(body, PHX_ETCD_BODY_MAX, "{\"ID\":\"%" PRIu64 "\"}", request->lease);
        break;
    }
    PHX_ASSERT(used > 0 && used < PHX_ETCD_BODY_MAX);
    return (size_t)used;
}

/* ---- answers ---- */

/* A number of 63 bits as a string; a missing one is 0. false: it is none. */
static bool read_number(const cJSON *object, const char *name, uint64_t *number)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    *number = 0;
    if (!item) return true;
    if (!cJSON_IsString(item) || item->valuestring[0] == '\0') return false;
    for (const char *at = item->valuestring; *at != '\0'; at++) {
        const uint64_t digit = (uint64_t)(*at - '0');
        if (*at < '0' || *at > '9' || *number > (INT64_MAX - digit) / 10) return false;
        *number = *number * 10 + digit;
    }
    return true;
}

/* The text of a field of bytes; a missing one is empty. NULL: it is no text. */
static const char *bytes_text(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    if (!item) return "";
    return cJSON_IsString(item) ? item->valuestring : NULL;
}

/* Has the request asked for the key? */
static bool is_asked(const phx_etcd_request *request, const char *key)
{
    if (request->kind == PHX_ETCD_LIST) return strncmp(key, request->key, strlen(request->key)) == 0;
    return strcmp(key, request->key) == 0;
}

/* Puts the key, of so many bytes, into key[]. false: no request could name it. */
static bool read_key(char key[PHC_KEY_MAX + 1], size_t size, const char *text)
{
    if (size > PHC_KEY_MAX || !phx_base64_decode(key, &size, text)) return false;
    key[size] = '\0';
    return strlen(key) == size && phx_key_is_good(key, false);
}

/* Adds an entry, or leaves a key of another program out. false: the answer can not be. */
static bool add_entry(const phx_etcd_request *request, const cJSON *kv, phx_etcd_answer *answer)
{
    char key[PHC_KEY_MAX + 1];
    size_t key_size = SIZE_MAX, size = SIZE_MAX;
    uint64_t revision, lease;
    const char *key_text = bytes_text(kv, "key"), *value_text = bytes_text(kv, "value");
    if (!key_text || !value_text || !phx_base64_decode(NULL, &key_size, key_text) ||
        !phx_base64_decode(NULL, &size, value_text) || !read_number(kv, "mod_revision", &revision) ||
        !read_number(kv, "lease", &lease) || revision == 0)
        return false;
    if (!read_key(key, key_size, key_text)) {
        answer->left_out++;
        return request->kind == PHX_ETCD_LIST;
    }
    if (!is_asked(request, key)) return false;
    if (size > PHC_VALUE_MAX) { /* no member has written it: it says nothing */
        (void)phx_entries_add(&answer->entries, key, 0, revision, lease);
        return true;
    }
    return phx_base64_decode(phx_entries_add(&answer->entries, key, size, revision, lease), &size, value_text);
}

/* The entries of a range; NULL: fine. */
static const char *read_range(const phx_etcd_request *request, const cJSON *range, phx_mem *mem,
                              phx_etcd_answer *answer)
{
    const cJSON *kvs = cJSON_GetObjectItemCaseSensitive(range, "kvs"), *kv;
    size_t bytes = 0;
    if (!kvs) return NULL;
    if (!cJSON_IsArray(kvs)) return "kvs are no list";
    cJSON_ArrayForEach(kv, kvs)
    {
        const char *text = bytes_text(kv, "value");
        if (text) bytes += strlen(text) / 4 * 3;
    }
    if (!phx_entries_reserve(&answer->entries, mem, (uint32_t)cJSON_GetArraySize(kvs), bytes))
        return "no memory for entries";
    cJSON_ArrayForEach(kv, kvs)
    {
        if (!add_entry(request, kv, answer)) return "a key or value that can not be";
    }
    return NULL;
}

static const char *read_cas(const phx_etcd_request *request, const cJSON *root, phx_mem *mem, phx_etcd_answer *answer)
{
    if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(root, "succeeded"))) {
        answer->outcome = PHC_DONE;
        return answer->revision > request->revision ? NULL : "a revision that does not rise";
    }
    const cJSON *responses = cJSON_GetObjectItemCaseSensitive(root, "responses");
    const cJSON *range = cJSON_GetObjectItemCaseSensitive(cJSON_GetArrayItem(responses, 0), "response_range");
    if (!cJSON_IsObject(range)) return "neither written nor read";
    answer->outcome = PHC_CHANGED;
    return read_range(request, range, mem, answer);
}

/* A lease that ended has no TTL in its renewal. */
static const char *read_lease(const phx_etcd_request *request, const cJSON *root, phx_etcd_answer *answer)
{
    uint64_t seconds;
    if (!read_number(root, "ID", &answer->lease) || !read_number(root, "TTL", &seconds) || seconds > LEASE_S_MAX)
        return "a lease that can not be";
    if (request->kind == PHX_ETCD_LEASE_RENEW && seconds == 0) {
        answer->lease = 0;
        answer->outcome = PHC_GONE;
        return NULL;
    }
    if (answer->lease == 0 || seconds == 0) return "a lease without number or time";
    if (request->kind == PHX_ETCD_LEASE_RENEW && answer->lease != request->lease) return "another lease";
    answer->lease_ms = (uint32_t)seconds * SECOND_MS;
    answer->outcome = PHC_DONE;
    return NULL;
}

static const char *read_body(const phx_etcd_request *request, const cJSON *root, phx_mem *mem, phx_etcd_answer *answer)
{
    switch (request->kind) {
    case PHX_ETCD_GET:
    case PHX_ETCD_LIST:
        answer->outcome = PHC_DONE;
        return read_range(request, root, mem, answer);
    case PHX_ETCD_CAS:
        return read_cas(request, root, mem, answer);
    case PHX_ETCD_LEASE_OPEN:
    case PHX_ETCD_LEASE_RENEW:
        return read_lease(request, root, answer);
    case PHX_ETCD_LEASE_END:
        break;
    }
    answer->outcome = PHC_DONE;
    return NULL;
}

/* By the code of gRPC: one may stand for several troubles. */
static const char *say_refusal(const cJSON *code)
{
    const int number = cJSON_IsNumber(code) ? code->valueint : 0;
    if (number == EXHAUSTED) return "refused by the server: full (etcdctl alarm list), or asked too often";
    return number == UNAVAILABLE ? "refused by the server: without a leader, or late" : "refused by the server";
}

static const char *read_answer(const phx_etcd_request *request, const cJSON *root, phx_mem *mem,
                               phx_etcd_answer *answer)
{
    if (!cJSON_IsObject(root)) return "no JSON";
    const cJSON *error = cJSON_GetObjectItemCaseSensitive(root, "error");
    if (error) {
        const cJSON *code = cJSON_GetObjectItemCaseSensitive(root, "code");
        if (!cJSON_IsNumber(code) || code->valueint != NOT_FOUND) return say_refusal(code);
        answer->outcome = PHC_GONE;
        return NULL;
    }
    /* a stream of one */
    if (request->kind == PHX_ETCD_LEASE_RENEW) root = cJSON_GetObjectItemCaseSensitive(root, "result");
    const cJSON *header = cJSON_GetObjectItemCaseSensitive(root, "header");
    if (!cJSON_IsObject(header) || !read_number(header, "revision", &answer->revision)) return "no header";
    return read_body(request, root, mem, answer);
}

void phx_etcd_read(const phx_etcd_request *request, const char *text, size_t size, phx_mem *mem,
                   phx_etcd_answer *answer)
{
    *answer = (phx_etcd_answer){.reason = ""};
    cJSON *root = cJSON_ParseWithLength(text, size + 1);
    const char *reason = read_answer(request, root, mem, answer);
    cJSON_Delete(root);
    if (!reason) return;
    phx_entries_free(&answer->entries, mem);
    *answer = (phx_etcd_answer){.outcome = PHC_FAILED, .reason = reason};
}
