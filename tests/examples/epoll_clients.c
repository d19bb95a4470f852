/*
 * 200 scripted clients of epoll_server.c. usage: epoll_clients PORT
 *
 * All crowd at one place, some of them without reading, some log out and in again. Then they part into groups of ten:
 * each client's list, made of nothing but its packets, has to have exactly the nine others of its group, also of the
 * clients that did not read for long.
 */
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { CLIENTS = 200, GROUP = 10, IDS = 1024, IN_SIZE = 8192, SOCKET_BYTES = 4096 };
enum { CROWD_BYTES = 150000, ROUND_MS = 20, ROUNDS_MAX = 3000 }; /* bytes that a client reads in the crowd; a minute */

typedef struct client {
    int fd;
    bool slow;
    bool list[IDS];
    uint32_t list_count, heard, in_bytes;
    uint64_t bytes;
    char in[IN_SIZE];
} client;

static client clients[CLIENTS];

static void check(bool good, const char *call)
{
    if (good) return;
    perror(call);
    exit(1);
}

static void connect_client(client *c, in_port_t port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    address.sin_port = htons(port);
    memset(c, 0, sizeof *c);
    c->fd = socket(AF_INET, SOCK_STREAM, 0);
    check(setsockopt(c->fd, SOL_SOCKET, SO_RCVBUF, &(int){SOCKET_BYTES}, sizeof(int)) == 0, "setsockopt");
    check(connect(c->fd, (struct sockaddr *)&address, sizeof address) == 0, "connect");
}

static void move(const client *c, double x, double y)
{
    char line[64];
    int bytes = snprintf(line, sizeof line, "move %.2f %.2f\n", x, y);
    check(send(c->fd, line, (size_t)bytes, MSG_NOSIGNAL) == bytes, "send");
}

static void read_line(client *c, const char *line)
{
    unsigned id = (unsigned)strtoul(line + 1, NULL, 10) % IDS;
    if (strcmp(line, "clear") == 0) {
        memset(c->list, 0, sizeof c->list);
        c->list_count = 0;
    } else if (line[0] == '+' || line[0] == '-') {
        check(c->list[id] == (line[0] == '-'), "an enter of a target in the list, or a leave of one that is not");
        c->list[id] = line[0] == '+';
        c->list_count += c->list[id] ? 1u : -1u;
    }
    c->heard += strstr(line, ": hello") != NULL;
}

static void read_client(client *c)
{
    ssize_t got = recv(c->fd, c->in + c->in_bytes, IN_SIZE - c->in_bytes, MSG_DONTWAIT);
    check(got > 0, "recv");
    c->in_bytes += (uint32_t)got;
    c->bytes += (uint64_t)got;
    char *end, *line = c->in;
    while ((end = memchr(line, '\n', c->in_bytes - (size_t)(line - c->in))) != NULL) {
        *end = 0;
        read_line(c, line);
        line = end + 1;
    }
    c->in_bytes -= (uint32_t)(line - c->in);
    memmove(c->in, line, c->in_bytes);
}

/* Reads what comes within a round. */
static void read_round(void)
{
    struct pollfd fds[CLIENTS];
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    long passed_ms = 0;
    while (passed_ms < ROUND_MS) {
        for (int i = 0; i < CLIENTS; i++)
            fds[i] = (struct pollfd){.fd = clients[i].slow ? -1 : clients[i].fd, .events = POLLIN};
        check(poll(fds, CLIENTS, (int)(ROUND_MS - passed_ms)) >= 0, "poll");
        for (int i = 0; i < CLIENTS; i++)
            if (fds[i].revents != 0) read_client(&clients[i]);
        clock_gettime(CLOCK_MONOTONIC, &now);
        passed_ms = (now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000;
    }
}

static bool are_apart(void)
{
    bool apart = true;
    for (int i = 0; i < CLIENTS; i++) apart = apart && clients[i].list_count == GROUP - 1;
    return apart;
}

int main(int argc, char **argv)
{
    const in_port_t port = (in_port_t)(argc == 2 ? strtoul(argv[1], NULL, 10) : 0);
    int round = 0;
    for (int i = 0; i < CLIENTS; i++) {
        connect_client(&clients[i], port);
        clients[i].slow = i % 20 == 0;
    }
    for (; clients[2].bytes < CROWD_BYTES && round < ROUNDS_MAX; round++) { /* client 2 stays and reads */
        for (int i = 0; i < CLIENTS; i++) move(&clients[i], 480 + (i * 7 + round) % 40, 480 + (i * 3 + round) % 40);
        read_round();
        if (round == 10) check(send(clients[2].fd, "say hello\n", 10, MSG_NOSIGNAL) == 10, "send");
        for (int i = 1; i < CLIENTS && round == 20; i += 4) { /* out, and in again: these get slots of others */
            close(clients[i].fd);
            connect_client(&clients[i], port);
        }
    }
    for (int i = 0; i < CLIENTS; i++) {
        move(&clients[i], 100 + 150 * (i / GROUP % 5) + i % GROUP, 100 + 150 * (i / GROUP / 5));
        clients[i].slow = false;
    }
    while (!are_apart() && round++ < ROUNDS_MAX) read_round();
    int right = 0, heard = 0;
    for (int i = 0; i < CLIENTS; i++) {
        right += clients[i].list_count == GROUP - 1;
        heard += clients[i].heard > 0;
        close(clients[i].fd);
    }
    printf("%d of %d clients have the nine others of their group; %s heard hello\n", right, CLIENTS,
           heard > CLIENTS / 2 ? "most" : "few");
    return right == CLIENTS ? 0 : 1;
}
