/*
 * Numbers of members and regions; see cluster_operands.h.
 */
#include "tools/cluster_operands.h"

#include <string.h>

#include "tools/cli.h"

uint16_t phx_read_member(const struct argp_state *state, const char *text)
{
    uint64_t number = 0;
    if (!phx_parse_u64(text, strlen(text), 1, UINT16_MAX, &number))
        argp_error(state, "'%s' is not the number of a member, 1 to %u", text, UINT16_MAX);
    return (uint16_t)number;
}

/* "7" or "7-9" */
static void add_regions(const struct argp_state *state, phx_cluster_change *change, const char *item)
{
    const char *dash = strchr(item, '-');
    const size_t length = dash ? (size_t)(dash - item) : strlen(item);
    uint64_t first = 0, last = 0;
    bool is_good = phx_parse_u64(item, length, 0, PHC_REGIONS_MAX - 1, &first);
    last = first;
    if (dash) is_good = is_good && phx_parse_u64(dash + 1, strlen(dash + 1), first, PHC_REGIONS_MAX - 1, &last);
    if (!is_good) argp_error(state, "'%s' is not a region, as 7, or several, as 7-9", item);
    for (uint64_t region = first; region <= last; region++) {
        if (change->region_count == PHC_REGIONS_MAX) argp_error(state, "more regions than there can be");
        change->regions[change->region_count++] = (uint32_t)region;
    }
}

void phx_read_regions(const struct argp_state *state, phx_cluster_change *change, const char *text)
{
    char item[32];
    for (const char *list = text; phx_next_item(&list, item, sizeof item);) add_regions(state, change, item);
    if (change->region_count == 0) argp_error(state, "move: which REGIONS?");
}
