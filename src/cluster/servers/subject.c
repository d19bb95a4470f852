/*
 * Subjects and keys; see subject.h.
 */
#include "cluster/servers/subject.h"

#include <string.h>

#include <pharos/cluster.h>

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

bool phx_subject_is_good(const char *subject, bool pattern)
{
    const size_t length = strnlen(subject, PHC_SUBJECT_MAX + 1);
    if (length == 0 || length > PHC_SUBJECT_MAX) return false;
    for (size_t i = 0; i < length; i++) {
        const bool begins = i == 0 || subject[i - 1] == '.';
        const bool ends = i + 1 == length || subject[i + 1] == '.';
        if (subject[i] == '.' ? begins || i + 1 == length
                              : !is_plain(subject[i]) && !(pattern && subject[i] == '*' && begins && ends))
            return false;
    }
    return true;
}

bool phx_subject_matches(const char *pattern, const char *subject)
{
    while (*pattern != '\0' && *subject != '\0') {
        if (*pattern == '*') {
            pattern++;
            subject += strcspn(subject, ".");
        } else if (*pattern++ != *subject++) {
            return false;
        }
    }
    return *pattern == *subject;
}

bool phx_key_is_good(const char *key, bool prefix)
{
    const size_t length = strnlen(key, PHC_KEY_MAX + 1);
    if (length > PHC_KEY_MAX || (length == 0 && !prefix)) return false;
    for (size_t i = 0; i < length; i++)
        if (!is_plain(key[i]) && key[i] != '/' && key[i] != '.') return false;
    return true;
}
