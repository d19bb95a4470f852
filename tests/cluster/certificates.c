/*
 * Certificates of a test; see certificates.h.
 */
#include "cluster/certificates.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/check.h"

enum { ARGS_MAX = 32 };

static const char extensions[] = "[req]\ndistinguished_name = name\n[name]\n"
                                 "[ca]\nbasicConstraints = critical, CA:TRUE\n"
                                 "[server]\nsubjectAltName = IP:127.0.0.1\nextendedKeyUsage = serverAuth, clientAuth\n"
                                 "[foreign]\nsubjectAltName = DNS:other.test\nextendedKeyUsage = serverAuth\n"
                                 "[client]\nextendedKeyUsage = clientAuth\n";

static void write_config(const certificates *made)
{
    char path[CERTIFICATE_PATH];
    (void)snprintf(path, sizeof path, "%s/openssl.conf", made->folder);
    FILE *file = fopen(path, "we");
    REQUIRE(file && fputs(extensions, file) >= 0 && fclose(file) == 0);
}

/* In the folder, with its output in a log. */
static void run_openssl(const certificates *made, const char *const *arguments)
{
    int status = -1;
    (void)fflush(NULL);
    const pid_t pid = fork();
    REQUIRE(pid >= 0);
    if (pid == 0) {
        const int log = chdir(made->folder) == 0 ? open("log", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
        if (log < 0 || dup2(log, 1) < 0 || dup2(log, 2) < 0) _exit(127);
        (void)execv(arguments[0], (char *const *)(uintptr_t)arguments);
        _exit(127);
    }
    REQUIRE(waitpid(pid, &status, 0) == pid);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) check_give_up(__FILE__, __LINE__, "openssl fails");
}

/* signer: NULL = itself. */
static void make_certificate(const certificates *made, const char *program, certificate *one, const char *name,
                             const char *extension, const certificate *signer)
{
    char subject[64];
    const char *arguments[ARGS_MAX] = {program,
                                       "req",
                                       "-x509",
                                       "-config",
                                       "openssl.conf",
                                       "-extensions",
                                       extension,
                                       "-newkey",
                                       "ec",
                                       "-pkeyopt",
                                       "ec_paramgen_curve:prime256v1",
                                       "-nodes",
                                       "-days",
                                       "2",
                                       "-subj",
                                       subject,
                                       "-keyout",
                                       one->key,
                                       "-out",
                                       one->file};
    uint32_t count = 20;
    (void)snprintf(subject, sizeof subject, "/CN=%s", name);
    (void)snprintf(one->file, sizeof one->file, "%s/%s.pem", made->folder, name);
    (void)snprintf(one->key, sizeof one->key, "%s/%s.key", made->folder, name);
    if (signer) {
        arguments[count++] = "-CA";
        arguments[count++] = signer->file;
        arguments[count++] = "-CAkey";
        arguments[count++] = signer->key;
    }
    run_openssl(made, arguments);
}

void certificates_make(certificates *made, const char *program)
{
    *made = (certificates){0};
    temp_folder(made->folder, "certificates");
    write_config(made);
    make_certificate(made, program, &made->ca, "ca", "ca", NULL);
    make_certificate(made, program, &made->other_ca, "other-ca", "ca", NULL);
    make_certificate(made, program, &made->server, "server", "server", &made->ca);
    make_certificate(made, program, &made->foreign_server, "foreign", "foreign", &made->ca);
    make_certificate(made, program, &made->client, "client", "client", &made->ca);
    make_certificate(made, program, &made->other_client, "other-client", "client", &made->other_ca);
}

void certificates_remove(certificates *made)
{
    temp_remove(made->folder);
}
