/*
 * The questions of a page on their way: each has an answer in a frame, or is named as lost, when the world that was
 * asked is shown no more, or did not take it. Called with ph_view.worlds held.
 */
#ifndef PHX_VIEW_QUESTIONS_H
#define PHX_VIEW_QUESTIONS_H

#include "view/state.h"

/* The page asks its monitor. PH_FULL: too many wait. */
ph_status phx_questions_ask(phx_page *page, const ph_monitor_question *question);
/* The frame goes to the page; not sent: there was no memory for it. */
void phx_questions_answered(phx_page *page, const ph_monitor_frame *frame, bool sent);
/* The page's monitor is closed: no frame answers what waits. */
void phx_questions_lose(phx_page *page);
/* Lost ones that the page can ask again: of a world that it watches. */
bool phx_questions_told(const phx_page *page);
/* They are taken, as text from malloc(); NULL = there are none, or no memory. */
char *phx_questions_take_lost(phx_page *page);

#endif
