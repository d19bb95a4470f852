/*
 * Keys of registered processes; see registration.h.
 */
#include "cluster/membership/registration.h"

#include "base/rng.h"
#include "cluster/wire/bytes.h"

enum {
    MAGIC = 0x4e434850, /* "PHCN" */
    ROLE_GATEWAY = 1,
    ROLE_ASKS = 2,
    LEASE_SHIFT = 32, /* so many writes: four years of the largest cluster */
    LEASE_BITS = 21
};

void phx_registration_encode(const phx_registration *registration, unsigned char bytes[PHX_REGISTRATION_BYTES])
{
    phx_writer writer = phx_writer_of(bytes, PHX_REGISTRATION_BYTES);
    const uint64_t role = (registration->gateway ? ROLE_GATEWAY : 0) | (registration->asks ? ROLE_ASKS : 0);
    phx_write_number(&writer, 4, MAGIC);
    phx_write_number(&writer, 1, registration->formats.min);
    phx_write_number(&writer, 1, registration->formats.max);
    phx_write_number(&writer, 1, role);
    phx_write_number(&writer, 8, registration->definition);
    phx_write_number(&writer, 8, registration->registration);
    phx_write_number(&writer, 4, registration->version);
    PHX_ASSERT(!writer.failed && phx_writer_left(&writer) == 0);
}

bool phx_registration_decode(phx_registration *registration, const void *bytes, size_t size)
{
    phx_reader reader = phx_reader_of(bytes, size);
    const bool is_ours = phx_read_number(&reader, 4) == MAGIC;
    *registration = (phx_registration){.formats.min = (uint8_t)phx_read_number(&reader, 1)};
    registration->formats.max = (uint8_t)phx_read_number(&reader, 1);
    const uint64_t role = phx_read_number(&reader, 1);
    registration->gateway = role & ROLE_GATEWAY;
    registration->asks = (role & ROLE_ASKS) != 0;
    registration->definition = phx_read_number(&reader, 8);
    registration->registration = phx_read_number(&reader, 8);
    registration->version = (uint32_t)phx_read_number(&reader, 4);
    const phx_formats formats = registration->formats;
    const bool is_good = role <= (ROLE_GATEWAY | ROLE_ASKS) && formats.min > 0 && formats.min <= formats.max &&
                         (!registration->asks || (registration->registration != 0 && registration->version != 0));
    return !reader.failed && is_ours && is_good;
}

uint64_t phx_registration_of(const phx_registration *registration, uint64_t revision, uint64_t lease)
{
    return registration->registration != 0 ? registration->registration : phx_registration_at(revision, lease);
}

uint64_t phx_registration_at(uint64_t revision, uint64_t lease)
{
    const uint64_t hashes = (1u << LEASE_BITS) - 1; /* without 0 */
    return (1 + phx_mix64(lease) % hashes) << LEASE_SHIFT | (uint32_t)revision;
}

bool phx_registration_number(const char *text, uint16_t *number)
{
    uint32_t value = 0;
    for (; *text >= '0' && *text <= '9' && value <= UINT16_MAX; text++) value = value * 10 + (uint32_t)(*text - '0');
    *number = (uint16_t)value;
    return *text == '\0' && value > 0 && value <= UINT16_MAX;
}
