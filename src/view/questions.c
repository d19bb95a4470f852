/*
 * Questions on their way; see questions.h.
 */
#include "view/questions.h"

#include "base/core.h"
#include "view/hello.h"

static void lose(phx_page *page, uint64_t tag)
{
    PHX_ASSERT(page->lost_count < PHX_VIEW_ON_WAY_MAX);
    page->lost[page->lost_count++] = tag;
}

ph_status phx_questions_ask(phx_page *page, const ph_monitor_question *question)
{
    if (page->lost_count + page->asked_count >= PHX_VIEW_ON_WAY_MAX) return PH_FULL;
    if (!page->watches) {
        lose(page, question->tag);
        return PH_OK;
    }
    const ph_status status = ph_monitor_ask(page->monitor, question);
    if (status == PH_OK) page->asked[page->asked_count++] = question->tag;
    else lose(page, question->tag);
    return status;
}

void phx_questions_answered(phx_page *page, const ph_monitor_frame *frame, bool sent)
{
    uint32_t kept = 0;
    PHX_ASSERT(frame->answer_count <= page->asked_count); /* in the order in which they were asked */
    for (uint32_t i = 0; i < frame->answer_count && !sent; i++) lose(page, page->asked[i]);
    for (uint32_t i = frame->answer_count; i < page->asked_count; i++) page->asked[kept++] = page->asked[i];
    page->asked_count = kept;
}

void phx_questions_lose(phx_page *page)
{
    for (uint32_t i = 0; i < page->asked_count; i++) lose(page, page->asked[i]);
    page->asked_count = 0;
}

bool phx_questions_told(const phx_page *page)
{
    return page->watches && page->lost_count > 0;
}

char *phx_questions_take_lost(phx_page *page)
{
    if (!phx_questions_told(page)) return NULL;
    char *text = phx_lost_text(page->lost, page->lost_count);
    page->lost_count = 0;
    return text;
}
