/*
 * Lists of servers as text; see servers.h.
 */
#include "config/servers.h"

static bool is_address(const phx_key *key, const char *text)
{
    const char *scheme = phx_key_scheme(key->type);
    const size_t bytes = strlen(text);

    if (strncmp(text, scheme, strlen(scheme)) != 0 || bytes == strlen(scheme) ||
        !phx_key_in_range(key, (double)bytes)) {
        return false;
    }
    while (phx_is_name_byte(*text) || phx_is_address_byte(*text)) {
        text++;
    }
    return *text == '\0';
}

bool phx_servers_set(const phx_key *key, phx_servers *servers, uint32_t i, const char *text)
{
    PHX_ASSERT(i < PHX_SERVERS_MAX);
    if (i == 0 && *text == '\0') {
        servers->count = 0;
        return true;
    }
    if (!is_address(key, text) || (i > 0 && servers->count != i)) {
        return false;
    }
    memcpy(servers->text[i], text, strlen(text) + 1);
    servers->count = i + 1;
    return true;
}

void phx_servers_write(const phx_servers *servers, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "%s", servers->count == 0 ? "\"\"" : "{");

    for (uint32_t i = 0; i < servers->count; i++) {
        used += (size_t)snprintf(text + used, size - used, "%s\"%s\"", i > 0 ? ", " : "", servers->text[i]);
    }
    if (servers->count > 0) {
        used += (size_t)snprintf(text + used, size - used, "}");
    }
    PHX_ASSERT(used < size);
}
