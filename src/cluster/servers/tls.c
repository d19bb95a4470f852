/*
 * TLS of a definition of servers; see tls.h. A file is only looked through, line by line: the library that uses it
 * reads it by itself, and says the rest. A key with a passphrase is refused, as OpenSSL would ask for it at the
 * terminal.
 */
#include "cluster/servers/tls.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LINE_SIZE = 256, TEXT_SIZE = 128 };

bool phx_tls_asked(phx_schemes schemes, const char *const *servers, uint32_t count, bool *is_tls)
{
    uint32_t plain = 0, secure = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!servers[i]) return false;
        plain += strncmp(servers[i], schemes.plain, strlen(schemes.plain)) == 0;
        secure += strncmp(servers[i], schemes.tls, strlen(schemes.tls)) == 0;
    }
    *is_tls = secure > 0;
    return plain == count || secure == count;
}

__attribute__((format(printf, 3, 4))) static bool refuse_files(char *reason, size_t reason_size, const char *format,
                                                               ...)
{
    va_list arguments;
    if (!reason) return false;
    va_start(arguments, format);
    (void)vsnprintf(reason, reason_size, format, arguments);
    va_end(arguments);
    return false;
}

static const char *error_text(int error, char text[TEXT_SIZE])
{
    return strerror_r(error, text, TEXT_SIZE) == 0 ? text : "it can not be read";
}

/* NULL: the file has blocks of PEM of that kind, and no passphrase. Else why it is refused. */
static const char *look_through(const char *path, const char *kind, char text[TEXT_SIZE])
{
    static const char begin[] = "-----BEGIN ";
    char line[LINE_SIZE];
    bool is_found = false, is_locked = false;
    FILE *file = fopen(path, "re");
    if (!file) return error_text(errno, text);
    while (fgets(line, sizeof line, file)) {
        is_found |= strncmp(line, begin, sizeof begin - 1) == 0 && strstr(line, kind) != NULL;
        is_locked |= strstr(line, "ENCRYPTED") != NULL; /* of the block's name, or of a line below it */
    }
    const int error = ferror(file) ? errno : 0;
    (void)fclose(file);
    if (error != 0) return error_text(error, text);
    if (!is_found) return "there is none in it, in PEM";
    return is_locked ? "it has a passphrase, and there is none to enter it" : NULL;
}

bool phx_tls_is_good(const phc_tls *tls, bool is_tls, phx_schemes schemes, char *reason, size_t reason_size)
{
    const struct {
        const char *name, *path, *kind;
    } files[] = {{"ca_file", tls->ca_file, "CERTIFICATE-----"},
                 {"certificate_file", tls->certificate_file, "CERTIFICATE-----"},
                 {"key_file", tls->key_file, "PRIVATE KEY-----"}};
    char text[TEXT_SIZE];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const char *path = files[i].path;
        if (!path) continue;
        if (!is_tls)
            return refuse_files(reason, reason_size, "tls.%s: %s is given, but servers are %s, without TLS: %s has it",
                                files[i].name, path, schemes.plain, schemes.tls);
        const char *why = look_through(path, files[i].kind, text);
        if (why) return refuse_files(reason, reason_size, "tls.%s: %s: %s", files[i].name, path, why);
    }
    if (!tls->certificate_file == !tls->key_file) return true;
    return refuse_files(reason, reason_size, "tls.%s: %s is given without a tls.%s",
                        tls->certificate_file ? "certificate_file" : "key_file",
                        tls->certificate_file ? tls->certificate_file : tls->key_file,
                        tls->certificate_file ? "key_file" : "certificate_file");
}
