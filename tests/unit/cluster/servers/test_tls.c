/*
 * TLS of a definition of servers: what phc_nats_open() and phc_etcd_open() refuse, without any server. The files have
 * the outlines of PEM alone: more is looked at by libnats and libcurl, over real servers in cluster_servers.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include <pharos/cluster.h>

#include "support/temp_path.h"

enum { PATH_SIZE = TEMP_PATH_SIZE + 32 };

static char folder[TEMP_PATH_SIZE], ca[PATH_SIZE], file[PATH_SIZE], key[PATH_SIZE], locked[PATH_SIZE],
    old_locked[PATH_SIZE];

static void write_pem(char path[PATH_SIZE], const char *name, const char *text)
{
    (void)snprintf(path, PATH_SIZE, "%s/%s", folder, name);
    FILE *to = fopen(path, "we");
    cr_assert(to && fputs(text, to) >= 0 && fclose(to) == 0);
}

static void make_files(void)
{
    temp_folder(folder, "tls");
    write_pem(ca, "ca.pem", "an authority\n-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n");
    write_pem(file, "own.pem", "-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n");
    write_pem(key, "own.key", "-----BEGIN EC PRIVATE KEY-----\nMA==\n-----END EC PRIVATE KEY-----\n");
    write_pem(locked, "locked.key",
              "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMA==\n-----END ENCRYPTED PRIVATE KEY-----\n");
    write_pem(old_locked, "old.key",
              "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nMA==\n"
              "-----END RSA PRIVATE KEY-----\n");
}

static void remove_files(void)
{
    temp_remove(folder);
}

TestSuite(cluster_tls, .init = make_files, .fini = remove_files);

/* Neither opens, and both say the same: words, then the path, then more words. */
static void expect_refused(bool is_tls, phc_tls tls, const char *before, const char *path, const char *behind)
{
    const char *const nats = is_tls ? "tls://127.0.0.1:1" : "nats://127.0.0.1:1";
    const char *const etcd = is_tls ? "https://127.0.0.1:1" : "http://127.0.0.1:1";
    const phc_nats_def nats_def = {.servers = &nats, .server_count = 1, .tls = tls};
    const phc_etcd_def etcd_def = {.servers = &etcd, .server_count = 1, .tls = tls};
    char reasons[2][PHC_REASON_SIZE] = {"", ""}, wanted[PHC_REASON_SIZE];
    phc_transport transport = {0};
    phc_store store = {0};
    (void)snprintf(wanted, sizeof wanted, "%s%s%s", before, path, behind);
    cr_expect_eq(phc_nats_open(&nats_def, &transport, reasons[0], sizeof reasons[0]), PH_BAD_DEF);
    cr_expect_eq(phc_etcd_open(&etcd_def, &store, reasons[1], sizeof reasons[1]), PH_BAD_DEF);
    for (int i = 0; i < 2; i++) cr_expect_eq(strncmp(reasons[i], wanted, strlen(wanted)), 0, "%s", reasons[i]);
    cr_expect_eq(phc_nats_open(&nats_def, &transport, NULL, 0), PH_BAD_DEF);
    cr_expect_eq(phc_etcd_open(&etcd_def, &store, NULL, 0), PH_BAD_DEF);
    cr_expect(!transport.close && !store.close, "something is open");
}

Test(cluster_tls, a_file_that_can_not_be_read_is_named_with_its_field)
{
    static const char none[] = "/none/ca.pem", why[] = ": No such file or directory";
    expect_refused(true, (phc_tls){.ca_file = none}, "tls.ca_file: ", none, why);
    expect_refused(true, (phc_tls){ca, none, key}, "tls.certificate_file: ", none, why);
    expect_refused(true, (phc_tls){ca, file, none}, "tls.key_file: ", none, why);
    expect_refused(true, (phc_tls){.ca_file = ""}, "tls.ca_file: ", "", why);
    expect_refused(true, (phc_tls){.ca_file = folder}, "tls.ca_file: ", folder, ": Is a directory");
}

Test(cluster_tls, a_file_has_what_it_is_for)
{
    expect_refused(true, (phc_tls){.ca_file = key}, "tls.ca_file: ", key, ": there is none in it");
    expect_refused(true, (phc_tls){ca, key, key}, "tls.certificate_file: ", key, ": there is none in it");
    expect_refused(true, (phc_tls){ca, file, file}, "tls.key_file: ", file, ": there is none in it");
}

/* OpenSSL would ask for it at the terminal, in a thread of the library. */
Test(cluster_tls, a_key_with_a_passphrase_is_refused)
{
    expect_refused(true, (phc_tls){ca, file, locked}, "tls.key_file: ", locked, ": it has a passphrase");
    expect_refused(true, (phc_tls){ca, file, old_locked}, "tls.key_file: ", old_locked, ": it has a passphrase");
}

Test(cluster_tls, a_certificate_and_its_key_come_together)
{
    expect_refused(true, (phc_tls){ca, file, NULL}, "tls.certificate_file: ", file, " is given without a tls.key_file");
    expect_refused(true, (phc_tls){ca, NULL, key}, "tls.key_file: ", key, " is given without a tls.certificate_file");
}

/* Else a host that sets files, and forgets the scheme, would go on in the clear. */
Test(cluster_tls, files_are_for_servers_with_tls)
{
    expect_refused(false, (phc_tls){.ca_file = ca}, "tls.ca_file: ", ca, " is given, but servers are ");
    expect_refused(false, (phc_tls){NULL, file, key}, "tls.certificate_file: ", file, " is given, but servers are ");
}

/* What the outlines hide libnats says at once. */
Test(cluster_tls, libnats_names_a_certificate_that_is_none)
{
    static const char *const servers[] = {"tls://127.0.0.1:1"};
    phc_nats_def def = {.servers = servers, .server_count = 1, .tls = {.ca_file = ca}};
    char reason[PHC_REASON_SIZE] = "";
    phc_transport transport;
    cr_expect_eq(phc_nats_open(&def, &transport, reason, sizeof reason), PH_BAD_DEF);
    cr_expect(strncmp(reason, "tls.ca_file: ", 13) == 0 && strstr(reason, ca), "%s", reason);
    def.tls = (phc_tls){NULL, file, key};
    cr_expect_eq(phc_nats_open(&def, &transport, reason, sizeof reason), PH_BAD_DEF);
    cr_expect(strncmp(reason, "tls.certificate_file: ", 22) == 0 && strstr(reason, file), "%s", reason);
}

Test(cluster_tls, all_servers_have_tls_or_none_has)
{
    static const char *const nats[] = {"tls://127.0.0.1:1", "nats://127.0.0.1:2"};
    static const char *const etcd[] = {"http://127.0.0.1:1", "https://127.0.0.1:2"};
    static const char *const wrong[] = {"nats", "tls:/a", "htts://a", "", NULL};
    char reason[PHC_REASON_SIZE] = "";
    phc_transport transport;
    phc_store store;
    phc_nats_def nats_def = {.servers = nats, .server_count = 2};
    phc_etcd_def etcd_def = {.servers = etcd, .server_count = 2};
    cr_expect_eq(phc_nats_open(&nats_def, &transport, reason, sizeof reason), PH_BAD_DEF);
    cr_expect(strncmp(reason, "servers: ", 9) == 0 && strstr(reason, "tls://"), "%s", reason);
    cr_expect_eq(phc_etcd_open(&etcd_def, &store, reason, sizeof reason), PH_BAD_DEF);
    cr_expect(strncmp(reason, "servers: ", 9) == 0 && strstr(reason, "https://"), "%s", reason);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        nats_def = (phc_nats_def){.servers = &wrong[i], .server_count = 1};
        etcd_def = (phc_etcd_def){.servers = &wrong[i], .server_count = 1};
        cr_expect_eq(phc_nats_open(&nats_def, &transport, NULL, 0), PH_BAD_DEF);
        cr_expect_eq(phc_etcd_open(&etcd_def, &store, NULL, 0), PH_BAD_DEF);
    }
}
