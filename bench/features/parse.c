/*
 * Features joined by '+'; see parse.h.
 */
#include "bench/features/parse.h"

#include <stdio.h>
#include <string.h>

#include "bench/features/table.h"

/* By place in the table. */
typedef struct chosen {
    bool has[BENCH_FEATURES_MAX];
} chosen;

static bool named(const char *name, const char *word, size_t length)
{
    return strlen(name) == length && memcmp(name, word, length) == 0;
}

static bool choose(chosen *of, const char *text, bench_error *error);

/* A preset may name a feature that stands beside it once more: that is no slip. */
static bool choose_word(chosen *of, const char *word, size_t length, bench_error *error)
{
    for (uint32_t i = 0; i < bench_preset_count(); i++) {
        if (named(bench_preset_at(i)->name, word, length)) {
            return choose(of, bench_preset_at(i)->text, error);
        }
    }
    for (uint32_t i = 0; i < bench_feature_count(); i++) {
        if (named(bench_feature_at(i)->name, word, length)) {
            of->has[i] = true;
            return true;
        }
    }
    return bench_fail(error, "there is no feature '%.*s'; --list shows them", (int)(length < 64 ? length : 64), word);
}

static bool choose(chosen *of, const char *text, bench_error *error)
{
    for (;;) {
        size_t length = strcspn(text, "+");
        if (!choose_word(of, text, length, error)) {
            return false;
        }
        if (text[length] == '\0') {
            return true;
        }
        text += length + 1;
    }
}

/* The name of a key that both set, and its length; 0 = there is none. */
static size_t common_key(const bench_feature *one, const bench_feature *other, const char **key)
{
    for (uint32_t i = 0; one->keys != NULL && one->keys[i] != NULL; i++) {
        size_t length = strcspn(one->keys[i], "=");
        for (uint32_t k = 0; other->keys != NULL && other->keys[k] != NULL; k++) {
            *key = other->keys[k];
            if (strcspn(*key, "=") == length && memcmp(*key, one->keys[i], length) == 0) {
                return length;
            }
        }
    }
    return 0;
}

static bool together(const bench_feature *one, const bench_feature *other, bench_error *error)
{
    const char *key = NULL;
    size_t length = common_key(one, other, &key);
    if (length > 0) {
        return bench_fail(error, "%s and %s do not go together: both set %.*s", one->name, other->name, (int)length,
                          key);
    }
    if ((one->gives & other->gives) != 0) {
        return bench_fail(error, "%s and %s do not go together: both give entities the same attribute", one->name,
                          other->name);
    }
    return true;
}

bool bench_features_parse(bench_features *made, const char *text, bench_error *error)
{
    chosen of = {{false}};
    *made = (bench_features){.count = 0};
    if (strlen(text) >= sizeof made->text) {
        return bench_fail(error, "more than %zu characters", sizeof made->text - 1);
    }
    if (!choose(&of, text, error)) {
        return false;
    }
    snprintf(made->text, sizeof made->text, "%s", text);
    for (uint32_t i = 0; i < bench_feature_count(); i++) {
        if (of.has[i]) {
            made->list[made->count++] = bench_feature_at(i);
        }
    }
    for (uint32_t i = 0; i < made->count; i++) {
        for (uint32_t k = i + 1; k < made->count; k++) {
            if (!together(made->list[i], made->list[k], error)) {
                return false;
            }
        }
    }
    return true;
}
