/*
 * The texts of explanations: every reason has one, nothing is written beyond the caller's size. The explanations are
 * compared with the model (property/diff_model.c).
 */
#include <criterion/criterion.h>

#include <float.h>
#include <string.h>

#include <pharos/pharos.h>

static const struct {
    ph_reason reason;
    bool sees;
} reasons[] = {
#define ROW(name, number, sees, text) {name, sees},
    PH_REASON_LIST(ROW)
#undef ROW
};

enum { REASONS = sizeof reasons / sizeof *reasons };

static ph_explanation widest(size_t i, ph_shape shape)
{
    return (ph_explanation){.reason = reasons[i].reason,
                            .sees = reasons[i].sees,
                            .dx = -FLT_MAX,
                            .dy = -FLT_MAX,
                            .dz = -FLT_MAX,
                            .square = FLT_MAX,
                            .radius = FLT_MAX,
                            .margin = FLT_MAX,
                            .height = FLT_MAX,
                            .cap = UINT32_MAX,
                            .rank = UINT32_MAX,
                            .passing = UINT32_MAX,
                            .sees_mask = UINT64_MAX,
                            .layers = UINT64_MAX,
                            .shape = (uint8_t)shape};
}

Test(explain, every_reason_has_a_sentence_of_its_own)
{
    cr_assert_eq(REASONS + 1, (size_t)PH_REASON_END, "numbers are left out"); /* but in another order */
    for (size_t i = 0; i < REASONS; i++) {
        cr_assert_lt((size_t)reasons[i].reason, (size_t)PH_REASON_END);
        for (size_t j = 0; j < i; j++) cr_assert_neq(reasons[i].reason, reasons[j].reason);
        for (size_t j = 0; j < i; j++)
            cr_assert_str_neq(ph_reason_text(reasons[i].reason), ph_reason_text(reasons[j].reason));
    }
    cr_assert_str_eq(ph_reason_text((ph_reason)0), ph_reason_text(PH_REASON_END));
}

Test(explain, no_byte_beyond_the_size)
{
    for (size_t i = 0; i < REASONS; i++) {
        char whole[512], cut[512];
        ph_explanation e = widest(i, PH_SHAPE_CYLINDER);
        cr_assert_eq(ph_explanation_text(&e, whole, sizeof whole), whole);
        size_t length = strlen(whole);
        cr_assert(length < sizeof whole - 1 && strstr(whole, ph_reason_text(e.reason)));
        for (size_t size = 0; size <= length + 1; size++) {
            memset(cut, '#', sizeof cut);
            ph_explanation_text(&e, cut, size);
            cr_assert_eq(cut[size], '#');
            cr_assert(size == 0 || (strlen(cut) == size - 1 && strncmp(cut, whole, size - 1) == 0));
        }
    }
}

Test(explain, texts_have_the_numbers_of_their_reason)
{
    char text[512];
    ph_explanation e = {.reason = PH_REASON_TOO_FAR, .square = 6.25f, .radius = 1.5f};
    ph_explanation_text(&e, text, sizeof text);
    cr_assert_str_eq(text, "not seen: the target is beyond the radius (distance 2.5, radius 1.5)");
    e = (ph_explanation){.reason = PH_REASON_TOWERS_APART, .range = PH_RANGE_TOWERS, .towers_x = 3, .span = 1};
    ph_explanation_text(&e, text, sizeof text);
    cr_assert_str_eq(text, "not seen: their towers are farther apart than span (3 and 0 towers apart, span 1)");
    e = (ph_explanation){.reason = PH_REASON_VIEW, .sees = true, .shape = PH_SHAPE_SQUARE, .dx = 3, .dy = -4};
    e.radius = 5;
    ph_explanation_text(&e, text, sizeof text);
    cr_assert_str_eq(text, "seen: the target is within the observer's view (dx 3, dy -4, radius 5)");
}
