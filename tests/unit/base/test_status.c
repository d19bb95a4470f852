/*
 * base/status.c: every status has a name, a number of its own and a sentence; every command and field a name.
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include <pharos/types.h>

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

#if PHAROS_VERSION_NUMBER < PHAROS_VERSION_OF(0, 1, 0) || PHAROS_VERSION_NUMBER >= PHAROS_VERSION_OF(1000, 0, 0)
#error "the preprocessor compares versions"
#endif

Test(status, version_is_three_numbers_and_the_headers_say_the_same)
{
    char again[64];

    snprintf(again, sizeof(again), "%d.%d.%d", PHAROS_VERSION_MAJOR, PHAROS_VERSION_MINOR, PHAROS_VERSION_PATCH);
    cr_assert_str_eq(ph_version(), again);
    cr_assert_str_eq(ph_version(), PHAROS_VERSION_STRING);
    cr_assert_gt(PHAROS_VERSION_OF(0, 2, 0), PHAROS_VERSION_OF(0, 1, 999));
    cr_assert_gt(PHAROS_VERSION_OF(1, 0, 0), PHAROS_VERSION_OF(0, 999, 999));
}

Test(status, every_command_names_its_call)
{
    int count = 0;
#define CHECK_COMMAND(name, number, call) \
    cr_assert_eq((int)PH_COMMAND_##name, ++count, "numbers follow each other"); \
    cr_assert_str_eq(ph_command_name(PH_COMMAND_##name), call);
    PH_COMMAND_LIST(CHECK_COMMAND)
#undef CHECK_COMMAND
    cr_assert_eq((int)PH_COMMAND_END, count + 1);
    cr_assert_str_eq(ph_command_name(PH_COMMAND_AREA_SET), "ph_area_set");
    cr_assert_str_eq(ph_command_name((ph_command)0), "not a command of this library");
    cr_assert_str_eq(ph_command_name(PH_COMMAND_END), "not a command of this library");
}

Test(status, every_attribute_is_the_field_of_its_bit)
{
    static const struct {
        uint32_t bit;
        const char *name;
    } attrs[] = {{PH_X, "x"},
                 {PH_Y, "y"},
                 {PH_Z, "z"},
                 {PH_KIND, "kind"},
                 {PH_VIEW, "view"},
                 {PH_MARGIN, "margin"},
                 {PH_REACH, "reach"},
                 {PH_LAYERS, "layers"},
                 {PH_SEES, "sees"},
                 {PH_STEALTH, "stealth"},
                 {PH_DETECT, "detect"},
                 {PH_GLOBAL, "global"},
                 {PH_READY, "ready"},
                 {PH_CAP, "cap"},
                 {PH_PRIORITY, "priority"},
                 {PH_USER_DATA, "user_data"},
                 {PH_CONSUMER, "consumer"},
                 {PH_VISIBLE, "visible"},
                 {PH_VEILED, "veiled"},
                 {PH_INSTANCE, "instance"},
                 {PH_REMOTE, "remote"}};
    uint32_t all = 0;

    for (size_t i = 0; i < sizeof attrs / sizeof attrs[0]; i++) {
        cr_assert_str_eq(ph_field_name((ph_field)(__builtin_ctz(attrs[i].bit) + 1)), attrs[i].name);
        all |= attrs[i].bit;
    }
    cr_assert_eq(all, (uint32_t)PH_GIVEN_ALL);
    cr_assert_str_eq(ph_field_name(PH_FIELD_NONE), "");
    cr_assert_str_eq(ph_field_name(PH_FIELD_GIVEN), "given");
    cr_assert_str_eq(ph_field_name(PH_FIELD_OTHER), "other");
    cr_assert_str_eq(ph_field_name(PH_FIELD_END), "not a field of this library");
    cr_assert_str_eq(ph_field_name((ph_field)40), "not a field of this library");
}
