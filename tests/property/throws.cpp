/*
 * C++ exceptions out of the callbacks of visits, nested ones too: they come through the library's frames, and the world
 * ticks, publishes and ends as if nothing had been. A program of its own, with the public headers alone, as a host is.
 */
#include <cstdint>
#include <cstdio>
#include <stdexcept>

#include <pharos/pharos.h>

namespace
{

int failures;

void check(bool good, const char *what)
{
    if (!good) {
        failures++;
        std::fprintf(stderr, "throws: %s\n", what);
    }
}

struct walk {
    ph_world world;
    unsigned visited, depth;
};

bool visit(void *user, std::uint64_t id, std::uint64_t)
{
    walk *w = static_cast<walk *>(user);
    if (++w->visited % 3 != 0) {
        return true;
    }
    if (w->depth++ < 2) {
        check(ph_observers_visit(w->world, id, visit, w) == PH_OK, "a nested visit returned");
    }
    throw std::runtime_error("from a callback");
}

void throw_often(ph_world world)
{
    for (int i = 0; i < 300; i++) {
        walk w = {world, 0, 0};
        bool caught = false;
        try {
            check((i % 2 == 0 ? ph_list_visit : ph_observers_visit)(world, 1, visit, &w) == PH_OK, "a visit returned");
        } catch (const std::runtime_error &) {
            caught = true;
        }
        check(caught && w.visited == 9, "the exception came out where it was thrown");
    }
}

} // namespace

int main()
{
    ph_world world;
    ph_producer producer;
    ph_world_def def = ph_world_def_default();
    if (ph_world_create(&def, &world) != PH_OK || ph_producer_open(world, &producer) != PH_OK) {
        return 1;
    }
    for (std::uint64_t id = 1; id <= 40; id++) {
        ph_attrs a = {};
        a.given = PH_X | PH_Y | PH_VIEW;
        a.x = static_cast<float>(id);
        a.view = 100;
        check(ph_enter(producer, id, &a) == PH_OK, "enter");
    }
    check(ph_tick(world, nullptr) == PH_OK, "the first tick");
    ph_stats before, after;
    check(ph_world_stats(world, &before) == PH_OK, "stats");
    throw_often(world);
    check(ph_world_stats(world, &after) == PH_OK && after.bytes == before.bytes, "no memory was kept");
    check(ph_tick(world, nullptr) == PH_OK, "a tick behind exceptions");
    throw_often(world);
    check(ph_world_destroy(world) == PH_OK, "the end behind exceptions");
    std::printf("throws: %s\n", failures == 0 ? "passed" : "FAILED");
    return failures == 0 ? 0 : 1;
}
