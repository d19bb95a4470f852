/*
 * Keys of config files that had another name in an older version, for `pharos-config migrate`. A row stays for ever.
 *
 * X(section, old, new)
 *   section  "" for the world, else "class", "band", "store" or "cluster"
 */
#ifndef PHX_CONFIG_RENAMES_H
#define PHX_CONFIG_RENAMES_H

/* None of the keys of 0.1 has changed its name. */
#define PHX_KEY_RENAMES(X)

#endif
