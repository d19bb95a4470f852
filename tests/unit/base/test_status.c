/*
 * base/status.c: every status has a name, a number of its own and a sentence.
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include <pharos/base.h>

static const struct {
    ph_status status;
    int number;
    const char *name;
} statuses[] = {
#define ROW(name, number, text) {name, number, #name},
    PH_STATUS_LIST(ROW)
#undef ROW
};

enum { STATUSES = sizeof(statuses) / sizeof(statuses[0]) };

Test(status, numbers_are_the_places_in_the_list)
{
    cr_assert_eq(STATUSES, PH_STATUS_COUNT);
    for (int i = 0; i < STATUSES; i++) {
        cr_assert_eq(statuses[i].number, i, "%s is %d", statuses[i].name, statuses[i].number);
    }
}

Test(status, names_and_sentences)
{
    for (int i = 0; i < STATUSES; i++) {
        cr_assert_str_eq(ph_status_name(statuses[i].status), statuses[i].name);
        cr_assert_gt(strlen(ph_status_text(statuses[i].status)), 3);
        for (int j = 0; j < i; j++) {
            cr_assert_str_neq(ph_status_text(statuses[i].status), ph_status_text(statuses[j].status));
        }
    }
    cr_assert_str_eq(ph_status_text(PH_OK), "done");
    cr_assert_str_eq(ph_status_name(PH_TAKEN), "PH_TAKEN");
}

Test(status, other_numbers_are_distinct)
{
    const int others[] = {PH_STATUS_COUNT, PH_STATUS_COUNT + 1, 255};

    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        cr_assert_str_eq(ph_status_name((ph_status)others[i]), "PH_UNKNOWN");
        cr_assert_str_eq(ph_status_text((ph_status)others[i]), "not a status of this library");
    }
}

Test(status, version_is_three_numbers)
{
    unsigned major, minor, patch;
    char again[64];

    cr_assert_eq(sscanf(ph_version(), "%u.%u.%u", &major, &minor, &patch), 3, "%s", ph_version());
    snprintf(again, sizeof(again), "%u.%u.%u", major, minor, patch);
    cr_assert_str_eq(ph_version(), again);
}
