/*
 * Values as text: reads and writes one key's value, with its range. Used by the loader,
 * by --set and by the dump, always under the C locale (base/c_locale.h). Stateless.
 */
#ifndef PHX_CONFIG_VALUE_H
#define PHX_CONFIG_VALUE_H

#include "base/key_table.h"

/* Room for phx_value_write(): a list of servers, each in quotes; all other values are far shorter. */
enum { PHX_VALUE_SIZE = sizeof "{}" + PHX_SERVERS_MAX * (PHX_SERVER_MAX + sizeof "\"\", ") };

/* Room for the reason of phx_value_read(). */
enum { PHX_VALUE_REASON_SIZE = 256 };

/*
 * Reads element i (0, or 1 of a pair; of a list one behind the other) of the key's value from text into base, the
 * ph_world_def, ph_class, ph_band or the values of a section. An empty text makes a list empty. false: reason says why
 * it is refused and names the range; base is as before.
 */
bool phx_value_read(const phx_key *key, void *base, uint32_t i, const char *text, char reason[PHX_VALUE_REASON_SIZE]);

/* The key's whole value, as a config file has it; read again it is the same to the bit. Returns text. */
const char *phx_value_write(const phx_key *key, const void *base, char text[PHX_VALUE_SIZE]);

#endif
