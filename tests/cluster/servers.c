/*
 * Servers of a test; see servers.h.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* setns() */
#endif
#include "cluster/servers.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/check.h"

enum { START_TRIES = 1000, START_WAIT_US = 20000 };

static struct sockaddr_in loopback(uint16_t port)
{
    return (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static uint16_t free_port(void)
{
    struct sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    REQUIRE(fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof address) == 0);
    REQUIRE(getsockname(fd, (struct sockaddr *)&address, &size) == 0);
    (void)close(fd);
    return ntohs(address.sin_port);
}

static const char *host_of(const test_server *server)
{
    return server->place ? server->place->host : "127.0.0.1";
}

static struct sockaddr_in address_of(const test_server *server)
{
    struct sockaddr_in address = loopback(server->port);
    REQUIRE(inet_pton(AF_INET, host_of(server), &address.sin_addr) == 1);
    return address;
}

static bool takes_connections(const test_server *server)
{
    const struct sockaddr_in address = address_of(server);
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool connected = fd >= 0 && connect(fd, (const struct sockaddr *)&address, sizeof address) == 0;
    if (fd >= 0) (void)close(fd);
    return connected;
}

__attribute__((format(printf, 2, 3))) static void add_arg(test_server *server, const char *format, ...)
{
    va_list arguments;
    REQUIRE(server->arg_count + 1 < SERVER_ARGS_MAX);
    va_start(arguments, format);
    (void)vsnprintf(server->arg_text[server->arg_count++], SERVER_TEXT, format, arguments);
    va_end(arguments);
}

void server_add_text(test_server *server, const char *text)
{
    add_arg(server, "%s", text);
}

void server_add_option(test_server *server, const char *name, const char *value)
{
    add_arg(server, "%s=%s", name, value);
}

/* In the child: it ends with its parent, and writes into its log. */
static void run_program(test_server *server, pid_t parent)
{
    char *arguments[SERVER_ARGS_MAX] = {0};
    for (uint32_t i = 0; i < server->arg_count; i++) arguments[i] = server->arg_text[i];
    const int log = open(server->log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (server->place && setns(server->place->space, CLONE_NEWNET) != 0) _exit(127);
    if (server->arg_count == 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent || log < 0 ||
        dup2(log, 1) < 0 || dup2(log, 2) < 0)
        _exit(127);
    (void)execv(arguments[0], arguments);
    _exit(127);
}

void server_launch(test_server *server)
{
    const pid_t parent = getpid();
    (void)fflush(NULL);
    server->pid = fork();
    REQUIRE(server->pid >= 0);
    if (server->pid == 0) run_program(server, parent);
}

void server_show_log(const test_server *server)
{
    char line[SERVER_TEXT];
    FILE *file = fopen(server->log, "r");
    while (file && fgets(line, sizeof line, file)) (void)fputs(line, stderr);
    if (file) (void)fclose(file);
}

static void await_start(test_server *server)
{
    int status;
    for (uint32_t i = 0; i < START_TRIES; i++) {
        if (takes_connections(server)) return;
        if (waitpid(server->pid, &status, WNOHANG) == server->pid) server->pid = 0;
        if (server->pid == 0) break;
        (void)usleep(START_WAIT_US);
    }
    server_show_log(server);
    check_give_up(__FILE__, __LINE__, "a server does not start");
}

void server_start_again(test_server *server)
{
    REQUIRE(server->pid == 0);
    server_launch(server);
    await_start(server);
}

void server_signal(test_server *server, int signal)
{
    REQUIRE(server->pid > 0 && kill(server->pid, signal) == 0);
    if (signal == SIGSTOP) REQUIRE(waitpid(server->pid, NULL, WUNTRACED) == server->pid); /* its threads stand still */
    if (signal != SIGKILL) return;
    REQUIRE(waitpid(server->pid, NULL, 0) == server->pid);
    server->pid = 0;
}

bool server_has_ended(test_server *server, int *status)
{
    REQUIRE(server->pid > 0);
    if (waitpid(server->pid, status, WNOHANG) != server->pid) return false;
    server->pid = 0;
    return true;
}

static void begin_group(server_group *group, uint32_t count, const server_place *places, const char *scheme)
{
    REQUIRE(count > 0 && count <= SERVERS_MAX);
    *group = (server_group){.count = count};
    temp_folder(group->folder, "servers");
    for (uint32_t i = 0; i < count; i++) {
        test_server *server = &group->servers[i];
        server->place = places ? &places[i] : NULL;
        server->port = free_port();
        server->peer_port = free_port();
        (void)snprintf(server->log, sizeof server->log, "%s/%u.log", group->folder, i);
        (void)snprintf(server->address, sizeof server->address, "%s://%s:%u", scheme, host_of(server), server->port);
        group->addresses[i] = server->address;
    }
}

static void start_group(server_group *group)
{
    for (uint32_t i = 0; i < group->count; i++) server_launch(&group->servers[i]);
    for (uint32_t i = 0; i < group->count; i++) await_start(&group->servers[i]);
}

void servers_start_nats(server_group *group, const char *program, uint32_t count, const server_place *places)
{
    char routes[SERVER_TEXT] = "";
    begin_group(group, count, places, "nats");
    for (uint32_t i = 0; i < count; i++) {
        const size_t used = strlen(routes);
        (void)snprintf(routes + used, sizeof routes - used, "%snats://%s:%u", i > 0 ? "," : "",
                       host_of(&group->servers[i]), group->servers[i].peer_port);
    }
    for (uint32_t i = 0; i < count; i++) {
        test_server *server = &group->servers[i];
        add_arg(server, "%s", program);
        add_arg(server, "--addr=%s", host_of(server));
        add_arg(server, "--port=%u", server->port);
        if (count == 1) continue;
        add_arg(server, "--cluster_name=test");
        add_arg(server, "--cluster=nats://%s:%u", host_of(server), server->peer_port);
        add_arg(server, "--routes=%s", routes);
    }
    start_group(group);
}

void servers_start_etcd(server_group *group, const char *program, uint32_t count, const server_place *places)
{
    char members[SERVER_TEXT] = "";
    begin_group(group, count, places, "http");
    for (uint32_t i = 0; i < count; i++) {
        const size_t used = strlen(members);
        (void)snprintf(members + used, sizeof members - used, "%sm%u=http://%s:%u", i > 0 ? "," : "", i,
                       host_of(&group->servers[i]), group->servers[i].peer_port);
    }
    for (uint32_t i = 0; i < count; i++) {
        test_server *server = &group->servers[i];
        add_arg(server, "%s", program);
        add_arg(server, "--name=m%u", i);
        add_arg(server, "--data-dir=%s/data-%u", group->folder, i);
        add_arg(server, "--listen-client-urls=%s", server->address);
        add_arg(server, "--advertise-client-urls=%s", server->address);
        add_arg(server, "--listen-peer-urls=http://%s:%u", host_of(server), server->peer_port);
        add_arg(server, "--initial-advertise-peer-urls=http://%s:%u", host_of(server), server->peer_port);
        add_arg(server, "--initial-cluster=%s", members);
        add_arg(server, "--initial-cluster-token=%s", group->folder);
        add_arg(server, "--initial-cluster-state=new");
        add_arg(server, "--log-level=error");
    }
    start_group(group);
}

static void add_tls_args(test_server *server, const server_tls *tls, bool is_nats)
{
    add_arg(server, "%s=%s", is_nats ? "--tlscert" : "--cert-file", tls->certificate);
    add_arg(server, "%s=%s", is_nats ? "--tlskey" : "--key-file", tls->key);
    if (is_nats) server_add_text(server, "--tls");
    if (!tls->client_ca) return;
    add_arg(server, "%s=%s", is_nats ? "--tlscacert" : "--trusted-ca-file", tls->client_ca);
    server_add_text(server, is_nats ? "--tlsverify" : "--client-cert-auth");
}

void servers_start_tls(server_group *group, const server_tls *tls)
{
    static const char *const url_options[] = {"--listen-client-urls", "--advertise-client-urls"};
    test_server *server = &group->servers[0];
    const bool is_nats = strncmp(server->address, "nats", 4) == 0 || strncmp(server->address, "tls", 3) == 0;
    const char *scheme = is_nats ? tls ? "tls" : "nats" : tls ? "https" : "http";
    REQUIRE(group->count == 1);
    if (server->pid > 0) server_signal(server, SIGKILL);
    if (server->plain_arg_count == 0) server->plain_arg_count = server->arg_count;
    server->arg_count = server->plain_arg_count;
    (void)snprintf(server->address, sizeof server->address, "%s://%s:%u", scheme, host_of(server), server->port);
    for (uint32_t i = 0; i < server->arg_count; i++)
        for (uint32_t n = 0; n < 2; n++)
            if (strncmp(server->arg_text[i], url_options[n], strlen(url_options[n])) == 0)
                (void)snprintf(server->arg_text[i], SERVER_TEXT, "%s=%s", url_options[n], server->address);
    if (tls) add_tls_args(server, tls, is_nats);
    server_start_again(server);
}

void servers_start_anew(server_group *group)
{
    for (uint32_t i = 0; i < group->count; i++) {
        char data[SERVER_TEXT];
        (void)snprintf(data, sizeof data, "%s/data-%u", group->folder, i);
        temp_remove(data);
    }
    start_group(group);
}

/* Is the socket with that inode one of the process? */
static bool has_socket(pid_t process, unsigned long inode)
{
    char path[SERVER_TEXT], target[SERVER_TEXT], name[64];
    bool found = false;
    (void)snprintf(path, sizeof path, "/proc/%d/fd", (int)process);
    (void)snprintf(name, sizeof name, "socket:[%lu]", inode);
    DIR *files = opendir(path);
    for (const struct dirent *file; files && !found && (file = readdir(files));) {
        const ssize_t size = readlinkat(dirfd(files), file->d_name, target, sizeof target - 1);
        target[size > 0 ? size : 0] = '\0';
        found = strcmp(target, name) == 0;
    }
    if (files) (void)closedir(files);
    return found;
}

bool server_has_client(const test_server *server, pid_t client)
{
    enum { ESTABLISHED = 1 };
    char line[SERVER_TEXT];
    bool found = false;
    FILE *table = fopen("/proc/net/tcp", "r");
    REQUIRE(table && !server->place);
    /* "  0: 0100007F:D2AC 0100007F:1F90 01 00000000:00000000 00:00000000 00000000 0 0 INODE ..." */
    while (!found && fgets(line, sizeof line, table)) {
        unsigned port, state;
        unsigned long inode;
        if (sscanf(line, " %*u: %*x:%*x %*x:%x %x %*x:%*x %*x:%*x %*x %*u %*u %lu", &port, &state, &inode) == 3)
            found = port == server->port && state == ESTABLISHED && has_socket(client, inode);
    }
    (void)fclose(table);
    return found;
}

/* Does it answer that it leads? One that stands still, or is gone, does not answer. */
static bool is_leader(const test_server *server)
{
    static const char request[] = "GET /metrics HTTP/1.0\r\n\r\n", leads[] = "\netcd_server_is_leader 1\n";
    enum { ANSWER_SIZE = 1 << 20, ANSWER_S = 1 };
    const struct timeval patience = {.tv_sec = ANSWER_S};
    const struct sockaddr_in address = address_of(server);
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    char *answer = check_zalloc(ANSWER_SIZE + 1);
    size_t size = 0;
    REQUIRE(fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) == 0);
    if (connect(fd, (const struct sockaddr *)&address, sizeof address) == 0 &&
        send(fd, request, sizeof request - 1, MSG_NOSIGNAL) == (ssize_t)sizeof request - 1) {
        ssize_t got;
        while ((got = recv(fd, answer + size, ANSWER_SIZE - size, 0)) > 0) size += (size_t)got;
    }
    (void)close(fd);
    const bool found = strstr(answer, leads) != NULL;
    free(answer);
    return found;
}

uint32_t servers_etcd_leader(const server_group *group)
{
    for (uint32_t i = 0; i < group->count; i++)
        if (group->servers[i].pid > 0 && is_leader(&group->servers[i])) return i;
    return group->count;
}

void servers_end(server_group *group)
{
    for (uint32_t i = 0; i < group->count; i++)
        if (group->servers[i].pid > 0) server_signal(&group->servers[i], SIGKILL);
    temp_remove(group->folder);
}
