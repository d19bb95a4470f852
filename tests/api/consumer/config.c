/* A host that reads a config file: built against the installed pharos_config. Exit status 0 = as expected. */
#include <stdio.h>

#include <pharos/config.h>
#include <pharos/pharos.h>

int main(void)
{
    ph_config *config = NULL;
    ph_config_error error;
    if (ph_config_create(&config) != PH_OK) {
        return 1;
    }
    if (ph_config_load_text(config, "text", "tower_size = 50\nclass player { view = 80 }\n", &error) != PH_OK) {
        fprintf(stderr, "%s\n", error.reason);
        return 1;
    }
    ph_world world;
    const int wrong = ph_config_kind(config, "player") != 1 || ph_config_def(config)->tower_size != 50.0f ||
                      ph_world_create(ph_config_def(config), &world) != PH_OK || ph_world_destroy(world) != PH_OK;
    ph_config_destroy(config);
    return wrong;
}
