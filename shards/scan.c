/*
 * The portable scan kernels; see scan.h. Branch-free: every row is written, and kept or not.
 */
#include "shards/scan.h"

#include <string.h>

uint32_t phx_scan_circle(const phx_grid_rows *rows, uint32_t first, uint32_t end, float x, float y, float r,
                         uint32_t *out)
{
    uint32_t n = 0;
    float r2 = r * r;
    for (uint32_t i = first; i < end; i++) {
        float dx = rows->x[i] - x, dy = rows->y[i] - y;
        float d2 = dx * dx + dy * dy;
        out[n] = rows->slot[i];
        n += d2 <= r2;
    }
    return n;
}

uint32_t phx_scan_square(const phx_grid_rows *rows, uint32_t first, uint32_t end, float x, float y, float r,
                         uint32_t *out)
{
    uint32_t n = 0;
    for (uint32_t i = first; i < end; i++) {
        float dx = fabsf(rows->x[i] - x), dy = fabsf(rows->y[i] - y);
        out[n] = rows->slot[i];
        n += (uint32_t)(dx <= r) & (uint32_t)(dy <= r);
    }
    return n;
}

uint32_t phx_scan_all(const phx_grid_rows *rows, uint32_t first, uint32_t end, float x, float y, float r,
                      uint32_t *out)
{
    (void)x;
    (void)y;
    (void)r;
    memcpy(out, rows->slot + first, (end - first) * sizeof *out);
    return end - first;
}
