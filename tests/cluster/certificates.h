/*
 * Certificates of a test, made by the program openssl in a temporary folder: two authorities, and
 * certificates that they signed. One thread.
 */
#ifndef CLUSTER_CERTIFICATES_H
#define CLUSTER_CERTIFICATES_H

#include "support/temp_path.h"

enum { CERTIFICATE_PATH = TEMP_PATH_SIZE + 32 };

/* A certificate and its key, both in PEM. */
typedef struct certificate {
    char file[CERTIFICATE_PATH], key[CERTIFICATE_PATH];
} certificate;

typedef struct certificates {
    char folder[TEMP_PATH_SIZE];
    certificate ca, other_ca;
    certificate server;               /* of the host 127.0.0.1 */
    certificate foreign_server;       /* ... of another one */
    certificate client, other_client; /* other: signed by the other authority */
} certificates;

/* program: the path of openssl. The test ends if one can not be made. */
void certificates_make(certificates *made, const char *program);
void certificates_remove(certificates *made);

#endif
