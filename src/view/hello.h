/*
 * The texts that a view sends: the first one, with names and sizes of the world, and the host's state. Called by
 * ph_view_show() and the server's thread.
 */
#ifndef PHX_VIEW_HELLO_H
#define PHX_VIEW_HELLO_H

#include <pharos/view.h>

/* JSON from malloc(); NULL = no memory. def NULL: no world. */
char *phx_hello_text(const char *title, uint32_t flags, const ph_world_def *def);
char *phx_state_text(const ph_view_state *state);
/* {"type":"class","kind":1,"view":50,...}: all keys of a class but its bands. */
char *phx_class_text(uint32_t kind, const ph_class *class);
/* {"type":"lost","tags":["7","8"]}: questions that no frame answers. */
char *phx_lost_text(const uint64_t *tags, uint32_t count);
/* {"type":TYPE,"text":TEXT}; of the text so many bytes. */
char *phx_line_text(const char *type, const char *text, size_t bytes);

#endif
