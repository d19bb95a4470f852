/*
 * A monitor's frame as bytes for a page; docs/monitor-frames.md has each section. Pure: no state, no memory. Called by
 * the server's thread.
 */
#ifndef PHX_VIEW_FRAME_H
#define PHX_VIEW_FRAME_H

#include <pharos/monitor.h>

enum { PHX_FRAME_REPLAY = 1u << 16, PHX_FRAME_DIVERGED = 1u << 17 }; /* beside PH_FRAME_..., the host's */

/* The fields of ph_stats that a frame has, in their order. */
typedef struct phx_frame_stat {
    const char *name;
    size_t offset;
} phx_frame_stat;
extern const phx_frame_stat phx_frame_stats[];
extern const uint32_t phx_frame_stat_count;

enum {
    PHX_FRAME_BYTES_MAX = 4 << 20,
    PHX_FRAME_CLASSES_MAX = 2048 /* of one frame; of more, the next ones go with the next frame, and then the first */
};

/* Bytes that phx_frame_encode() writes: at most PHX_FRAME_BYTES_MAX by the bounds of monitor.h, and a multiple of 8. */
size_t phx_frame_size(const ph_monitor_frame *frame);
/* host_flags: PHX_FRAME_... */
void phx_frame_encode(const ph_monitor_frame *frame, uint32_t host_flags, uint8_t *bytes);

#endif
