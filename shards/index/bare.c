/*
 * The bare index; see bare.h. Made by the shard's owner in the index phase, read as any index.
 */
#include "shards/index/bare.h"

#include "shards/index/cells.h"

static void keep_bare(phx_index *index)
{
    (void)index;
}

static bool is_bare_valid(const phx_index *index)
{
    return index->ops->free == keep_bare;
}

static const phx_index_ops bare_ops = {
    .serves_towers = true, .free = keep_bare, .around = phx_cells_all, .valid = is_bare_valid};

void phx_index_bare(phx_index *index, const phx_index_env *env)
{
    *index = (phx_index){.ops = &bare_ops, .env = *env, .counts = index->counts};
}
