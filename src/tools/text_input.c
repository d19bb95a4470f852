/*
 * Lines out of plain or gzip files; see text_input.h. A raw buffer feeds (through
 * zlib's inflate, for gzip) a line buffer of one longest line and one refill.
 *
 * zlib's inflate is used and not its gzread, because gzread passes over bytes behind a
 * gzip member that are not another member: a damaged second member would be lost
 * without a word.
 */
#include "tools/text_input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "tools/cli.h"

enum {
    RAW_SIZE = 64 * 1024,    /* one read */
    REFILL_SIZE = 64 * 1024, /* room for new bytes behind the longest unfinished line */
    LINES_SIZE = PHX_TEXT_LINE_MAX + 2 + REFILL_SIZE,
    GZIP_WINDOW_BITS = 15 + 16 /* the largest window; 16 = gzip framing with its checksum */
};

struct phx_text {
    phx_mem *mem;
    int fd;
    dev_t device;
    ino_t inode;
    uint64_t size; /* of the file; 0 = not known */
    uint64_t read_bytes;
    uint64_t unpacked_bytes, unpack_max_bytes;
    uint64_t line_number;
    const char *trouble; /* set once; whole lines before it are still handed out */
    size_t raw_at, raw_end;
    size_t line_at, line_end; /* unread bytes of lines[] */
    z_stream inflater;
    bool gzip;
    bool inside_member; /* gzip: begun and not at its checksum yet */
    bool raw_ended;
    bool ended;       /* no byte will come any more */
    bool broken;      /* phx_text_next() has said so */
    bool inside_long; /* the line at line_at was TOO_LONG, and is to be passed over */
    char bound_trouble[80];
    unsigned char raw[RAW_SIZE];
    char lines[LINES_SIZE + 1]; /* one more for the zero byte of a last line without LF */
};

/* ---- raw bytes ---- */

/* Appends one read to raw[]. At the end of the file sets raw_ended; on an error trouble. */
static void read_raw(phx_text *text)
{
    PHX_ASSERT(text->raw_end < RAW_SIZE);
    PHX_ASSERT(!text->raw_ended);
    ssize_t got;
    do got = read(text->fd, text->raw + text->raw_end, RAW_SIZE - text->raw_end);
    while (got < 0 && errno == EINTR);
    if (got < 0) text->trouble = strerror(errno);
    else if (got == 0) text->raw_ended = true;
    else {
        text->raw_end += (size_t)got;
        text->read_bytes += (uint64_t)got;
    }
}

/* The first two bytes decide; a pipe may hand them over one by one. false = no memory. */
static bool detect_gzip(phx_text *text)
{
    while (text->raw_end < 2 && !text->raw_ended && !text->trouble) read_raw(text);
    if (text->raw_end < 2 || text->raw[0] != 0x1f || text->raw[1] != 0x8b) return true;
    if (inflateInit2(&text->inflater, GZIP_WINDOW_BITS) != Z_OK) return false;
    text->gzip = true;
    text->inside_member = true;
    return true;
}

/* ---- opening ---- */

static bool look_at_file(phx_text *text, const char **trouble)
{
    struct stat status;
    if (fstat(text->fd, &status) != 0) {
        *trouble = strerror(errno);
        return false;
    }
    if (S_ISDIR(status.st_mode)) {
        *trouble = strerror(EISDIR);
        return false;
    }
    text->device = status.st_dev;
    text->inode = status.st_ino;
    text->size = S_ISREG(status.st_mode) ? (uint64_t)status.st_size : 0;
    return true;
}

ph_status phx_text_open(phx_text **text, phx_mem *mem, const char *path, uint64_t unpack_max_bytes,
                        const char **trouble)
{
    *text = NULL;
    phx_text *made = phx_alloc_zero(mem, sizeof *made, PHX_CACHE_LINE);
    if (!made) return PH_NO_MEMORY;
    made->mem = mem;
    made->unpack_max_bytes = unpack_max_bytes;
    phx_say_waiting(path, "writer");
    made->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (made->fd < 0) *trouble = strerror(errno);
    bool good = made->fd >= 0 && look_at_file(made, trouble);
    if (good && detect_gzip(made)) {
        *text = made;
        return PH_OK;
    }
    phx_text_close(made);
    return good ? PH_NO_MEMORY : PH_BAD_ARGUMENT;
}

void phx_text_close(phx_text *text)
{
    if (!text) return;
    if (text->gzip) inflateEnd(&text->inflater);
    if (text->fd >= 0) close(text->fd);
    phx_free(text->mem, text, sizeof *text, PHX_CACHE_LINE);
}

/* ---- from raw bytes to line bytes; each call moves something, or sets ended or trouble, or has used up raw[] ---- */

static void copy_plain(phx_text *text)
{
    size_t room = LINES_SIZE - text->line_end;
    size_t there = text->raw_end - text->raw_at;
    size_t moved = there < room ? there : room;
    memcpy(text->lines + text->line_end, text->raw + text->raw_at, moved);
    text->raw_at += moved;
    text->line_end += moved;
    text->ended = there == 0;
}

/* Counts the bytes just unpacked; bytes beyond the bound are taken back. */
static void bound_unpacked(phx_text *text, size_t bytes)
{
    uint64_t left = text->unpack_max_bytes - text->unpacked_bytes;
    if (bytes <= left) {
        text->unpacked_bytes += bytes;
        return;
    }
    text->unpacked_bytes = text->unpack_max_bytes;
    text->line_end -= bytes - (size_t)left;
    snprintf(text->bound_trouble, sizeof text->bound_trouble,
             "the gzip data unpacks to more than %llu bytes (--unpack-max)",
             (unsigned long long)text->unpack_max_bytes);
    text->trouble = text->bound_trouble;
}

static void inflate_member(phx_text *text)
{
    z_stream *inflater = &text->inflater;
    size_t line_end_before = text->line_end;
    inflater->next_in = text->raw + text->raw_at;
    inflater->avail_in = (uInt)(text->raw_end - text->raw_at);
    inflater->next_out = (unsigned char *)text->lines + text->line_end;
    inflater->avail_out = (uInt)(LINES_SIZE - text->line_end);
    int result = inflate(inflater, Z_NO_FLUSH);
    text->raw_at = text->raw_end - inflater->avail_in;
    text->line_end = LINES_SIZE - inflater->avail_out;
    if (result == Z_STREAM_END) text->inside_member = false;
    else if (result == Z_MEM_ERROR) text->trouble = strerror(ENOMEM);
    else if (result != Z_OK && result != Z_BUF_ERROR) text->trouble = "the gzip data is damaged";
    else if (text->raw_ended && text->raw_at == text->raw_end && text->line_end == line_end_before)
        text->trouble = "the gzip data ends too early";
    bound_unpacked(text, text->line_end - line_end_before);
}

/* Behind a member comes the end of the file or another member; anything else is damage. */
static void inflate_some(phx_text *text)
{
    if (!text->inside_member) {
        text->ended = text->raw_at == text->raw_end;
        if (text->ended) return;
        int reset = inflateReset(&text->inflater);
        PHX_ASSERT(reset == Z_OK);
        (void)reset;
        text->inside_member = true;
    }
    inflate_member(text);
}

/* Moves the unread bytes to the front and adds at least one, unless the file ends or is broken. */
static void fill_lines(phx_text *text)
{
    memmove(text->lines, text->lines + text->line_at, text->line_end - text->line_at);
    text->line_end -= text->line_at;
    text->line_at = 0;
    PHX_ASSERT(text->line_end + REFILL_SIZE <= LINES_SIZE);
    size_t before = text->line_end;
    while (text->line_end == before && !text->trouble && !text->ended) {
        if (text->raw_at == text->raw_end && !text->raw_ended) {
            text->raw_at = text->raw_end = 0;
            read_raw(text);
        } else if (text->gzip) inflate_some(text);
        else copy_plain(text);
    }
}

/* ---- lines ---- */

/* Finds the LF of the line at line_at; false = there is none: the file ends, is broken, or the line is too long. */
static bool find_end(phx_text *text, size_t *length)
{
    size_t searched = 0;
    for (;;) {
        const char *from = text->lines + text->line_at;
        size_t there = text->line_end - text->line_at;
        const char *found = memchr(from + searched, '\n', there - searched);
        *length = found ? (size_t)(found - from) : there;
        if (found) return true;
        if (there > PHX_TEXT_LINE_MAX + 1 || text->ended || text->trouble) return false;
        searched = there;
        fill_lines(text);
    }
}

/* Passes over a line that was too long. false = it does not end within PHX_TEXT_SKIP_MAX bytes, or can not be read. */
static bool skip_long_line(phx_text *text)
{
    size_t length, skipped = 0;
    bool whole;
    do {
        whole = find_end(text, &length);
        text->line_at += length + (whole ? 1 : 0);
        PHX_ASSERT(text->line_at <= text->line_end);
        skipped += length;
        if (skipped > PHX_TEXT_SKIP_MAX) {
            snprintf(text->bound_trouble, sizeof text->bound_trouble,
                     "no line end in %d bytes: such a line is not passed over", PHX_TEXT_SKIP_MAX);
            text->trouble = text->bound_trouble;
            return false;
        }
    } while (!whole && !text->ended && !text->trouble);
    text->inside_long = false;
    return whole || text->ended;
}

/* The line of `bytes` bytes at line_at, its LF left out if it has one (whole). */
static phx_text_result hand_out(phx_text *text, size_t bytes, bool whole, char **line, size_t *length)
{
    char *from = text->lines + text->line_at;
    text->line_at += bytes + (whole ? 1 : 0);
    PHX_ASSERT(text->line_at <= text->line_end);
    if (bytes > 0 && from[bytes - 1] == '\r') bytes--;
    if (bytes > PHX_TEXT_LINE_MAX) return PHX_TEXT_TOO_LONG;
    from[bytes] = '\0';
    *line = from;
    *length = bytes;
    return PHX_TEXT_LINE;
}

phx_text_result phx_text_next(phx_text *text, char **line, size_t *length)
{
    if (text->broken) return PHX_TEXT_BROKEN;
    if (text->inside_long && !skip_long_line(text)) {
        text->broken = true;
        return PHX_TEXT_BROKEN;
    }
    size_t bytes;
    bool whole = find_end(text, &bytes);
    if (!whole && text->ended && bytes == 0) return PHX_TEXT_END;
    text->line_number++;
    phx_text_result result = PHX_TEXT_BROKEN;
    text->inside_long = !whole && bytes > PHX_TEXT_LINE_MAX + 1;
    if (text->inside_long) result = PHX_TEXT_TOO_LONG;
    else if (whole || text->ended) result = hand_out(text, bytes, whole, line, length);
    text->broken = result == PHX_TEXT_BROKEN;
    return result;
}

void phx_text_skip_mark(char **line, size_t *length)
{
    static const char mark[] = "\xef\xbb\xbf";
    if (*length >= sizeof mark - 1 && memcmp(*line, mark, sizeof mark - 1) == 0) {
        *line += sizeof mark - 1;
        *length -= sizeof mark - 1;
    }
}

uint64_t phx_text_line_number(const phx_text *text)
{
    return text->line_number;
}

const char *phx_text_trouble(const phx_text *text)
{
    PHX_ASSERT(text->trouble != NULL);
    return text->trouble;
}

double phx_text_share(const phx_text *text)
{
    if (text->size == 0) return -1;
    double share = (double)text->read_bytes / (double)text->size;
    return share < 1 ? share : 1; /* the file may have grown */
}

bool phx_text_is_file(const phx_text *text, const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && status.st_dev == text->device && status.st_ino == text->inode;
}
