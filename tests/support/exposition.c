/*
 * The text format of Prometheus; see exposition.h.
 */
#include "support/exposition.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"

static bool name_byte(char c, bool first)
{
    return isalpha((unsigned char)c) || c == '_' || c == ':' || (!first && isdigit((unsigned char)c));
}

/* The name at *at, which moves behind it. */
static void read_name(const char **at, char name[EXPOSITION_NAME_BYTES])
{
    size_t n = 0;
    while (name_byte(**at, n == 0) && n + 1 < EXPOSITION_NAME_BYTES) name[n++] = *(*at)++;
    name[n] = '\0';
    CHECK(n > 0, "a name is missing at '%.20s'", *at);
}

static void read_help(exposition *p, const char *at)
{
    exposition_metric *made = &p->metrics[p->metric_count++];
    REQUIRE(p->metric_count < EXPOSITION_METRICS_MAX);
    at += strlen("# HELP ");
    read_name(&at, made->name);
    CHECK(at[0] == ' ' && at[1] > ' ', "%s has no help", made->name);
    CHECK(strncmp(made->name, "pharos_", 7) == 0, "%s is not ours", made->name);
    for (uint32_t i = 0; i + 1 < p->metric_count; i++)
        CHECK(strcmp(p->metrics[i].name, made->name) != 0, "%s comes twice", made->name);
}

static void read_type(exposition *p, const char *at)
{
    char name[EXPOSITION_NAME_BYTES];
    exposition_metric *of = &p->metrics[p->metric_count - 1];
    REQUIRE(p->metric_count > 0);
    at += strlen("# TYPE ");
    read_name(&at, name);
    CHECK(strcmp(name, of->name) == 0 && of->samples == 0, "TYPE of %s behind HELP of %s", name, of->name);
    of->counter = strcmp(at, " counter") == 0;
    CHECK(of->counter || strcmp(at, " gauge") == 0, "%s is a%s", name, at);
    size_t length = strlen(name);
    bool total = length > 6 && strcmp(name + length - 6, "_total") == 0;
    CHECK(total == of->counter, "%s: only counters end in _total, and all do", name);
}

static void read_sample(exposition *p, const char *line)
{
    char name[EXPOSITION_NAME_BYTES], label[EXPOSITION_NAME_BYTES];
    const char *at = line;
    exposition_metric *of = &p->metrics[p->metric_count - 1];
    REQUIRE(p->metric_count > 0 && p->sample_count < EXPOSITION_SAMPLES_MAX);
    read_name(&at, name);
    CHECK(strcmp(name, of->name) == 0, "a sample of %s among samples of %s", name, of->name);
    bool labelled = *at == '{';
    while (labelled) {
        at++; /* the brace, or the comma */
        read_name(&at, label);
        CHECK(at[0] == '=' && at[1] == '"', "label %s of %s", label, name);
        for (at += 2; *at != '"' && *at != '\0'; at++) CHECK(*at != '\\' && *at != '\n', "value of label %s", label);
        REQUIRE(at[0] == '"' && (at[1] == '}' || at[1] == ','));
        at++;
        labelled = *at == ',';
        if (!labelled) at++;
    }
    size_t length = (size_t)(at - line);
    REQUIRE(length < EXPOSITION_NAME_BYTES);
    memcpy(p->samples[p->sample_count], line, length);
    p->samples[p->sample_count][length] = '\0';
    for (uint32_t i = 0; i < p->sample_count; i++)
        CHECK(strcmp(p->samples[i], p->samples[p->sample_count]) != 0, "%s comes twice", p->samples[i]);
    CHECK(*at == ' ', "%s has no value", name);
    CHECK(at[1] != '\0' && strspn(at + 1, "0123456789.") == strlen(at + 1), "value '%s' of %s", at + 1, name);
    const char *point = strchr(at, '.');
    double whole = (double)strtoull(at + 1, NULL, 10);
    p->values[p->sample_count++] = whole + (point ? (double)strtoull(point + 1, NULL, 10) * 1e-9 : 0);
    of->samples++;
}

void exposition_parse(exposition *p, char *text)
{
    size_t length = strlen(text);
    memset(p, 0, sizeof *p);
    CHECK(length > 0 && text[length - 1] == '\n', "the last line ends");
    for (char *line = text, *end; *line != '\0'; line = end + 1) {
        end = strchr(line, '\n');
        REQUIRE(end != NULL);
        *end = '\0';
        if (strncmp(line, "# HELP ", 7) == 0) read_help(p, line);
        else if (strncmp(line, "# TYPE ", 7) == 0) read_type(p, line);
        else read_sample(p, line);
    }
    for (uint32_t i = 0; i < p->metric_count; i++) CHECK(p->metrics[i].samples > 0, "%s is empty", p->metrics[i].name);
}

double exposition_value(const exposition *p, const char *sample)
{
    for (uint32_t i = 0; i < p->sample_count; i++)
        if (strcmp(p->samples[i], sample) == 0) return p->values[i];
    check_fail(__FILE__, __LINE__, "there is no %s", sample);
    return -1;
}
