/*
 * Lists of servers as text; see servers.h.
 */
#include "config/servers.h"

static bool is_address(const phx_key *key, const char *text, bool is_tls)
{
    const char *scheme = phx_key_scheme(key->type, is_tls);
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

/* All servers of a list have TLS, or none has. */
static bool goes_on(const phx_key *key, const phx_servers *servers, uint32_t i, const char *text)
{
    const bool is_tls = is_address(key, text, true);

    return (is_tls || is_address(key, text, false)) &&
           (i == 0 || (servers->count == i && is_address(key, servers->text[0], is_tls)));
}

bool phx_servers_set(const phx_key *key, phx_servers *servers, uint32_t i, const char *text)
{
    PHX_ASSERT(i < PHX_SERVERS_MAX);
    if (i == 0 && *text == '\0') {
        servers->count = 0;
        return true;
    }
    if (!goes_on(key, servers, i, text)) {
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
