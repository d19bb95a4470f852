/*
 * The section cluster: its keys in a file, as assignments and in the dump, its refusals, the rules between its keys,
 * and the definitions that a host gets of it.
 */
#include <pharos/cluster.h>

#include "unit/config/config_case.h"

static phc_def cluster_of(const ph_config *config, ph_status want)
{
    phc_def def;

    memset(&def, 0xa5, sizeof def);
    cr_assert_eq(ph_config_cluster(config, &def), want);
    return def;
}

/* The servers with a blank behind each. */
static void expect_servers(const char *const *servers, uint32_t count, const char *want)
{
    char text[2048] = "";
    int used = 0;

    for (uint32_t i = 0; i < count; i++) {
        used += snprintf(text + used, sizeof text - (size_t)used, "%s ", servers[i]);
    }
    cr_expect_str_eq(text, want);
}

static void expect_nats(const ph_config *config, ph_status status, const char *want)
{
    phc_nats_def def;

    memset(&def, 0xa5, sizeof def);
    cr_assert_eq(ph_config_nats(config, &def), status);
    expect_servers(def.servers, def.server_count, want);
    cr_expect_null(def.name);
    cr_expect_eq(def.reserved[0], 0);
}

static void expect_etcd(const ph_config *config, ph_status status, const char *want)
{
    phc_etcd_def def;

    memset(&def, 0xa5, sizeof def);
    cr_assert_eq(ph_config_etcd(config, &def), status);
    expect_servers(def.servers, def.server_count, want);
    cr_expect_eq(def.timeout_ms, 0);
    cr_expect_eq(def.reserved[0], 0);
}

Test(config_cluster, defaults_are_no_member)
{
    ph_config *config = config_new();
    phc_def def = cluster_of(config, PH_EMPTY);
    const phc_def want = {.world_def = ph_config_def(config),
                          .regions = {8, 8},
                          .hand_over_margin = 5,
                          .speed_max = 5,
                          .lag_max = 4,
                          .silent_ticks = 40,
                          .lease_ms = 5000,
                          .list_ms = 200,
                          .link_timeout_ms = 5000,
                          .moves_per_tick = 2000,
                          .balance = true};

    cr_expect_eq(memcmp(&def, &want, sizeof def), 0, "phc_def_default()");
    expect_nats(config, PH_EMPTY, "");
    expect_etcd(config, PH_EMPTY, "");
    cr_expect_eq(ph_config_cluster(NULL, &def), PH_BAD_ARGUMENT);
    cr_expect_eq(ph_config_cluster(config, NULL), PH_BAD_ARGUMENT);
    cr_expect_eq(ph_config_nats(NULL, &(phc_nats_def){0}), PH_BAD_ARGUMENT);
    cr_expect_eq(ph_config_nats(config, NULL), PH_BAD_ARGUMENT);
    cr_expect_eq(ph_config_etcd(NULL, &(phc_etcd_def){0}), PH_BAD_ARGUMENT);
    cr_expect_eq(ph_config_etcd(config, NULL), PH_BAD_ARGUMENT);
    ph_config_destroy(config);
}

Test(config_cluster, of_a_file_among_others)
{
    ph_config *config = config_new();
    phc_def def;

    config_load_ok(
        config,
        "class a { view = 20 margin = 5 }\n"
        "cluster {\n name = arena-1\n nats = {\"nats://a:4222\", \"nats://user:pass-word@[::1]:4222\"}\n"
        " etcd = 'http://10.0.0.1:2379'\n regions = {64, 1} hand_over_margin = 2.5 speed_max = 0\n"
        " halo = 30 lag_max = 1000 silent_ticks = 1000000 lease_ms = 600000 list_ms = 150000\n"
        " link_timeout_ms = 0 moves_per_tick = 1 store_loss = freeze number = 65535 gateway = on balance = off\n"
        " adopt_map = yes }\n"
        "store { level = 3 }\nclass b { view = 2 }");
    def = cluster_of(config, PH_OK);
    cr_expect_str_eq(def.name, "arena-1");
    cr_expect_eq(def.world_def, ph_config_def(config));
    cr_expect(def.regions[0] == 64 && def.regions[1] == 1);
    cr_expect(def.hand_over_margin == 2.5f && def.speed_max == 0.0f && def.halo == 30.0f);
    cr_expect(def.lag_max == 1000 && def.silent_ticks == 1000000);
    cr_expect(def.lease_ms == 600000 && def.list_ms == 150000 && def.link_timeout_ms == 0);
    cr_expect(def.moves_per_tick == 1 && def.store_loss == PHC_FREEZE && def.number == 65535 && def.gateway &&
              !def.balance && def.adopt_map);
    expect_nats(config, PH_OK, "nats://a:4222 nats://user:pass-word@[::1]:4222 ");
    expect_etcd(config, PH_OK, "http://10.0.0.1:2379 ");
    config_expect(config, "nats = {\"nats://a:4222\", \"nats://user:pass-word@[::1]:4222\"}", "t:4");
    config_expect(config, "store_loss = freeze", "t:8");
    cr_expect_eq(ph_config_def(config)->class_count, 3);
    ph_config_destroy(config);
}

Test(config_cluster, a_later_file_and_assignments_replace_keys_alone)
{
    ph_config *config = config_new();
    phc_def def;

    config_load_ok(config, "cluster { name = a lag_max = 3 etcd = {\"http://a\", \"http://b\", \"http://c\"} }");
    config_load_ok(config, "\"cluster\" { lag_max = 5 etcd = {\"http://d\", \"http://e\"} }");
    config_load_ok(config, "cluster {}");
    config_set_ok(config, "cluster.name=b");
    config_set_ok(config, "cluster.regions=4x2");
    config_set_ok(config, "cluster.nats = nats://a:1 , nats://b:2,nats://c,nats://d,nats://e");
    config_set_ok(config, "cluster.link_timeout_ms=1000");
    def = cluster_of(config, PH_OK);
    cr_expect_str_eq(def.name, "b");
    cr_expect(def.lag_max == 5 && def.link_timeout_ms == 1000 && def.regions[0] == 4 && def.regions[1] == 2);
    expect_nats(config, PH_OK, "nats://a:1 nats://b:2 nats://c nats://d nats://e ");
    expect_etcd(config, PH_OK, "http://d http://e ");
    config_set_ok(config, "cluster.nats=");
    config_load_ok(config, "cluster { etcd = '' name = \"\" }");
    expect_nats(config, PH_EMPTY, "");
    expect_etcd(config, PH_EMPTY, "");
    cr_expect_null(cluster_of(config, PH_EMPTY).name);
    config_expect(config, "nats = \"\"", "--set");
    ph_config_destroy(config);
}

/* The longest list of the longest addresses too. */
Test(config_cluster, a_dump_is_the_section_again)
{
    ph_config *config = config_new();
    ph_config *again = config_new();
    char address[256] = "nats://";
    char longest[2048] = "cluster.nats=";
    int used = (int)strlen(longest);
    phc_nats_def a, b;
    char *dump;

    memset(address + strlen(address), 'x', sizeof address - 1 - strlen(address));
    for (uint32_t i = 0; i < PHC_SERVERS_MAX; i++) {
        used += snprintf(longest + used, sizeof longest - (size_t)used, "%s%s", i > 0 ? "," : "", address);
    }
    config_set_ok(config, longest);
    config_load_ok(config, "cluster { name = n speed_max = 0.1 number = 7 gateway = yes etcd = \"http://a\" }");
    dump = config_dump(config);
    config_load_ok(again, dump);
    free(dump);
    cr_assert_eq(ph_config_nats(config, &a), PH_OK);
    cr_assert_eq(ph_config_nats(again, &b), PH_OK);
    cr_assert_eq(b.server_count, PHC_SERVERS_MAX);
    for (uint32_t i = 0; i < PHC_SERVERS_MAX; i++) {
        cr_expect_str_eq(b.servers[i], address);
        cr_expect_neq(a.servers[i], b.servers[i]);
    }
    ph_config_destroy(config);
    cr_expect_str_eq(b.servers[4], address, "it lives in its own config");
    cr_expect(cluster_of(again, PH_OK).speed_max == 0.1f && cluster_of(again, PH_OK).gateway);
    expect_etcd(again, PH_OK, "http://a ");
    ph_config_destroy(again);
}

Test(config_cluster, servers_with_tls_and_their_files)
{
    ph_config *config = config_new();
    phc_nats_def nats;
    phc_etcd_def etcd;

    config_load_ok(config,
                   "cluster { name = a\n nats = {\"tls://a:4222\", \"tls://user:word@b:4222\"}\n"
                   " nats_ca_file = \"/etc/ssl/nats-ca.pem\" nats_certificate_file = 'c.pem' nats_key_file = c.key\n"
                   " etcd = 'https://a:2379' etcd_ca_file = \"/etc/etcd/ca.pem\" }");
    cr_assert_eq(ph_config_nats(config, &nats), PH_OK);
    cr_assert_eq(ph_config_etcd(config, &etcd), PH_OK);
    expect_servers(nats.servers, nats.server_count, "tls://a:4222 tls://user:word@b:4222 ");
    expect_servers(etcd.servers, etcd.server_count, "https://a:2379 ");
    cr_expect_str_eq(nats.tls.ca_file, "/etc/ssl/nats-ca.pem");
    cr_expect_str_eq(nats.tls.certificate_file, "c.pem");
    cr_expect_str_eq(nats.tls.key_file, "c.key");
    cr_expect_str_eq(etcd.tls.ca_file, "/etc/etcd/ca.pem");
    cr_expect(etcd.tls.certificate_file == NULL && etcd.tls.key_file == NULL);
    config_set_ok(config, "cluster.etcd_certificate_file=/d/c.pem");
    config_set_ok(config, "cluster.etcd_key_file=/d/c.key");
    config_set_ok(config, "cluster.nats_ca_file=");
    config_set_ok(config, "cluster.nats_certificate_file=");
    config_set_ok(config, "cluster.nats_key_file=");
    cr_assert_eq(ph_config_nats(config, &nats), PH_OK);
    cr_assert_eq(ph_config_etcd(config, &etcd), PH_OK);
    cr_expect(nats.tls.ca_file == NULL && nats.tls.certificate_file == NULL && nats.tls.key_file == NULL);
    cr_expect_str_eq(etcd.tls.certificate_file, "/d/c.pem");
    cr_expect_str_eq(etcd.tls.key_file, "/d/c.key");
    config_set_refused(config, "cluster.nats=tls://a,nats://b",
                       "nats = 'nats://b' is refused: it has up to 5 of the form nats://HOST:PORT, or all "
                       "tls://HOST:PORT, of at most 255 bytes");
    config_set_refused(config, "cluster.etcd=http://a,https://b",
                       "etcd = 'https://b' is refused: it has up to 5 of the form http://HOST:PORT, or all "
                       "https://HOST:PORT, of at most 255 bytes");
    config_set_refused(config, "cluster.etcd=tls://a",
                       "etcd = 'tls://a' is refused: it has up to 5 of the form http://HOST:PORT, or all "
                       "https://HOST:PORT, of at most 255 bytes");
    ph_config_destroy(config);
}

Test(config_cluster, refused_with_the_line)
{
    static const char *const cases[][2] = {
        {"cluster { regions = {0, 1} }", "t:1: regions = 0 is outside [1, 64]"},
        {"cluster {\n\n regions = {1, 65} }", "t:3: regions = 65 is outside [1, 64]"},
        {"cluster { regions = {1, 2, 3} }", "t:1: regions takes 2 values, {a, b}"},
        {"cluster {\n regions = 4 lag_max = 3 }", "t:2: regions takes 2 values, {a, b}"},
        {"cluster { lag_max = 0 }", "t:1: lag_max = 0 is outside [1, 1000]"},
        {"cluster { link_timeout_ms = 999 }", "t:1: link_timeout_ms = 999 is outside 0 or [1000, 600000]"},
        {"cluster { number = 65536 }", "t:1: number = 65536 is outside [0, 65535]"},
        {"cluster { store_loss = wait }", "t:1: store_loss = 'wait' is none of: go_on, freeze"},
        {"cluster { balance = 2 }", "t:1: balance = '2' is neither true nor false (yes, no, on, off, 1, 0)"},
        {"cluster { gateway = 2 }", "t:1: gateway = '2' is neither true nor false (yes, no, on, off, 1, 0)"},
        {"cluster { halo = -1 }", "t:1: halo = -1 is outside [0, 1e18]"},
        {"cluster { name = a.b }", "t:1: name = 'a.b' has another byte than letters, digits, '_' and '-'"},
        {"cluster { name = a2345678901234567890123456789012 }",
         "t:1: name = 'a2345678901234567890123456789012' has 32 bytes, and may have 0 to 31 bytes"},
        {"cluster { nats = \"http://a\" }", "t:1: nats = 'http://a' is refused: it has up to 5 of the form "
                                            "nats://HOST:PORT, or all tls://HOST:PORT, of at most 255 bytes"},
        {"cluster {\n etcd = {\"http://a\",\n \"http://\"} }",
         "t:3: etcd = 'http://' is refused: it has up to 5 of the form http://HOST:PORT, or all https://HOST:PORT, of "
         "at most 255 bytes"},
        {"cluster { nats = {\"\", \"nats://a\"} }", "t:1: nats = 'nats://a' is refused: it has up to 5 of the form "
                                                    "nats://HOST:PORT, or all tls://HOST:PORT, of at most 255 bytes"},
        {"cluster { nats = {\"nats://a\", ''} }", "t:1: nats = '' is refused: it has up to 5 of the form "
                                                  "nats://HOST:PORT, or all tls://HOST:PORT, of at most 255 bytes"},
        {"cluster { nats = {'nats://1', 'nats://2', 'nats://3', 'nats://4', 'nats://5', 'nats://6'} }",
         "t:1: nats takes at most 5 values"},
        {"cluster { nats = {} }", "t:1: an empty list"},
        {"cluster { nats = nats://a }", "t:1: unexpected ':'"},
        {"cluster { etcd = \"http://a?b\" }", "t:1: unexpected '?' in quotes"},
        {"cluster { etcd = 'http://a'\n etcd = 'http://b' }", "t:2: etcd is there a second time"},
        {"cluster {}\nstore {}\ncluster {}", "t:3: a second section cluster"},
        {"cluster { level = 1 }", "t:1: no such option 'level'"},
        {"store { lag_max = 1 }", "t:1: no such option 'lag_max'"},
        {"class cluster {}", "t:1: a class can not have the name cluster, which is a section"},
        {"shape = \"a:b\"", "t:1: shape = 'a:b' is none of: circle, square, cylinder, sphere"},
        {"store { folder = \"c:/a\" }",
         "t:1: folder = 'c:/a' has another byte than letters, digits, '_', '-', '.' and '/'"},
        {"class \"a@b\" {}", "t:1: a class name has letters, digits, '_', '-' and '.' only"},
    };
    ph_config *config = config_new();

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        config_load_refused(config, cases[i][0], cases[i][1]);
    }
    config_set_refused(config, "cluster.view=1", "a cluster has no such key");
    config_set_refused(config, "cluster.nats=nats://1,nats://2,nats://3,nats://4,nats://5,nats://6",
                       "nats takes at most 5 values");
    config_set_refused(config, "cluster.etcd=http://a,",
                       "etcd = '' is refused: it has up to 5 of the form http://HOST:PORT, or all https://HOST:PORT, "
                       "of at most 255 bytes");
    config_set_refused(config, "cluster.regions=4", "regions takes 2 values, a,b");
    config_set_refused(config, "cluster.lag_max=-1", "lag_max = -1 is outside [1, 1000]");
    ph_config_destroy(config);
}

/* 20 of view, 5 of its margin, 2 * 5 of hand_over_margin, 2 * 5 * 4 of speed_max and lag_max are 75. */
Test(config_cluster, rules_between_keys_are_a_members)
{
    static const char *const cases[][2] = {
        {"cluster { name = a\n silent_ticks = 3 }", "t:2: cluster: silent_ticks = 3 is below lag_max = 4"},
        {"cluster { name = a\n silent_ticks = 50\n\n lag_max = 51 }",
         "t:4: cluster: silent_ticks = 50 is below lag_max = 51"},
        {"cluster { name = a list_ms = 2000\n lease_ms = 7999 link_timeout_ms = 6000 }",
         "t:2: cluster: list_ms = 2000 is above a quarter of lease_ms = 7999"},
        {"cluster { name = a list_ms = 1000\n\n link_timeout_ms = 2999 }",
         "t:3: cluster: link_timeout_ms = 2999 is below three times list_ms = 1000"},
        {"class a { view = 20 margin = 5 }\ncluster { name = a\n halo = 74.5 }",
         "t:3: cluster: halo = 74.5 is below 75, which views, margins, hand_over_margin, speed_max and lag_max need"},
        {"range = towers span = 2 tower_size = 100\ncluster { name = a halo = 349 }",
         "t:2: cluster: halo = 349 is below 350, which views, margins, hand_over_margin, speed_max and lag_max need"},
        {"class a { view = 20 wakes = true }\ncluster { name = a halo = 249 }", /* 2 towers of 100: an NPC awakes */
         "t:2: cluster: halo = 249 is below 250, which views, margins, hand_over_margin, speed_max and lag_max need"},
        {"cluster { name = a\n\n speed_max = 1e18 }", "t: cluster: halo: the longest view needs one beyond 1e18"},
    };
    ph_config *config = config_new();
    ph_config_error error;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        config_load_refused(config, cases[i][0], cases[i][1]);
    }
    config_load_ok(config, "class a { view = 20 margin = 5 }\ncluster { halo = 75 list_ms = 6000 }");
    config_set_refused(config, "cluster.name=b", "cluster: list_ms = 6000 is above a quarter of lease_ms = 5000");
    config_set_ok(config, "cluster.list_ms=100");
    config_set_ok(config, "cluster.name=b");
    config_set_refused(
        config, "a.view=20.5",
        "cluster: halo = 75 is below 75.5, which views, margins, hand_over_margin, speed_max and lag_max "
        "need");
    cr_assert_eq(ph_config_begin(config), PH_OK);
    config_set_ok(config, "cluster.lag_max=41");
    config_set_ok(config, "cluster.halo=0");
    cr_assert_eq(ph_config_end(config, &error), PH_BAD_DEF);
    cr_expect_str_eq(error.reason, "--set lag_max: cluster: silent_ticks = 40 is below lag_max = 41");
    cr_expect_str_eq(cluster_of(config, PH_OK).name, "b");
    cr_expect_eq(cluster_of(config, PH_OK).lag_max, 4);
    cr_assert_eq(ph_config_begin(config), PH_OK);
    config_set_ok(config, "cluster.lag_max=41");
    config_set_ok(config, "cluster.silent_ticks=41");
    config_set_ok(config, "cluster.halo=0");
    config_set_ok(config, "cluster.nats=nats://a");
    cr_assert_eq(ph_config_end(config, &error), PH_OK, "%s", error.reason);
    expect_nats(config, PH_OK, "nats://a ");
    ph_config_destroy(config);
}
