/*
 * The load of a node; see load.h. Entities are counted one region a round, and each region once for a report, so the
 * count costs a round little; a number is as old as a report, or as the node has regions, in rounds.
 *
 * A report is of the rounds since the one before: a node that has given a region away shows so in the next report, also
 * where its rounds were so long that many of them go back to a time before.
 */
#include "cluster/member/load.h"

#include "cluster/halo/halo.h"
#include "cluster/halo/halo_search.h"
#include "cluster/member/phc_clock.h"
#include "cluster/membership/load_report.h"
#include "cluster/membership/reporting.h"

enum { NS_IN_US = 1000, LONGEST = PHX_LOAD_ROUNDS / 100 + 1 /* p99: so many rounds take as long, or longer */ };
static const uint64_t REPORT_NS = 2000000000;

static uint32_t us_of(uint64_t ns)
{
    const uint64_t us = ns / NS_IN_US;
    return us < UINT32_MAX ? (uint32_t)us : UINT32_MAX;
}

void phx_load_begin_round(phc *member)
{
    phx_load *load = &member->load;
    if (load->is_measured) {
        const uint32_t at = load->rounds++ % PHX_LOAD_ROUNDS;
        load->busy_us[at] = us_of(load->end_ns - load->begin_ns);
        load->period_us[at] = us_of(member->now - load->begin_ns);
    }
    load->begin_ns = member->now;
    load->is_measured = false; /* phc_told() may not be called */
}

/* ---- entities ---- */

/* Copies in a region, where their owners placed them last. */
static uint32_t count_copies(const phx_halo *halo, const phx_region_grid *grid, uint32_t region)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < halo->copy_count; i++)
        count += phx_halo_region(grid, halo->remotes[i].attrs.x, halo->remotes[i].attrs.y) == region;
    return count;
}

/* Own entities in a region, by one search that names none of them: a visit searches anew for every 256. */
static void count_own(const phc *member, uint32_t region, uint32_t *count)
{
    const ph_query inside = phx_halo_box(&member->grid, phx_halo_rect_of(&member->grid, region), 0.0f);
    uint32_t all;
    if (ph_find(member->world, &inside, NULL, 0, &all) != PH_OK) return; /* busy: the number stays that of before */
    const uint32_t copies = count_copies(&member->halo, &member->grid, region);
    *count = all > copies ? all - copies : 0;
}

/* Of the map as it is in this round. */
static const phx_region_set *own_regions(phc *member)
{
    phx_halo_read_map(&member->halo);
    return &member->halo.regions.own;
}

/* The next own region, if there is one. */
static void count_region(phc *member)
{
    phx_load *load = &member->load;
    const phx_region_set *own = own_regions(member);
    uint32_t region = phx_region_set_next(own, load->region + 1);
    if (region == PHX_CLUSTER_REGIONS_MAX) region = phx_region_set_next(own, 0);
    if (region == PHX_CLUSTER_REGIONS_MAX) return;
    load->region = region;
    count_own(member, region, &load->entities[region]);
    load->turn--;
}

/* ---- reports ---- */

/* Of the last ones of a ring. */
static uint64_t mean_of(const uint32_t *values, uint32_t rounds, uint32_t count)
{
    uint64_t sum = 0;
    for (uint32_t i = 1; i <= count; i++) sum += values[(rounds - i) % PHX_LOAD_ROUNDS];
    return count > 0 ? sum / count : 0;
}

/* The shortest of the longest hundredth. */
static uint32_t p99_of(const uint32_t *values, uint32_t count)
{
    uint32_t longest[LONGEST] = {0}; /* falling */
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = LONGEST;
        while (at > 0 && longest[at - 1] < values[i]) at--;
        if (at == LONGEST) continue;
        for (uint32_t j = LONGEST - 1; j > at; j--) longest[j] = longest[j - 1];
        longest[at] = values[i];
    }
    return longest[count / 100];
}

static void add_regions(phc *member, phx_load_report *report)
{
    const phx_region_set *own = own_regions(member);
    for (uint32_t i = phx_region_set_next(own, 0); i < PHX_CLUSTER_REGIONS_MAX; i = phx_region_set_next(own, i + 1))
        report->regions[report->region_count++] =
            (phx_load_region){.region = (uint16_t)i, .entities = member->load.entities[i]};
}

static void write_report(phc *member)
{
    phx_load *load = &member->load;
    phx_load_report report = {.registration = member->node.def.member.registration,
                              .sequence = ++load->sequence,
                              .columns = (uint16_t)member->grid.columns,
                              .rows = (uint16_t)member->grid.rows};
    const uint32_t since = load->rounds - load->reported;
    report.rounds = since < PHX_LOAD_ROUNDS ? since : PHX_LOAD_ROUNDS;
    report.busy_us = (uint32_t)mean_of(load->busy_us, load->rounds, report.rounds);
    report.busy_p99_us = p99_of(load->busy_us, load->rounds < PHX_LOAD_ROUNDS ? load->rounds : PHX_LOAD_ROUNDS);
    report.period_us = (uint32_t)mean_of(load->period_us, load->rounds, report.rounds);
    if (report.period_us == 0) report.period_us = 1; /* a host's clock that stands still */
    report.transit = member->node.transit;
    report.own = member->node.holdings.count - report.transit;
    add_regions(member, &report);
    load->reported = load->rounds;
    load->turn = report.region_count;
    const size_t size = phx_load_report_encode(&report, member->message, sizeof member->message);
    phx_reporting_write(&member->membership, member->message, size);
}

void phx_load_end_round(phc *member)
{
    phx_load *load = &member->load;
    if (member->membership.phase != PHX_MEMBERSHIP_MEMBER) return;
    if (load->turn > 0) count_region(member);
    if (load->rounds != load->reported && member->now >= load->report_at) {
        load->report_at = member->now + REPORT_NS;
        write_report(member);
    }
    load->end_ns = phx_phc_now(member);
    load->is_measured = true;
}
