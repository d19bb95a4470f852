/*
 * Writing gnuplot scripts and having them drawn; see plot_script.h.
 */
#include "bench/plot_script.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char program[] = "gnuplot";

static bool find_program(void)
{
    const char *path = getenv("PATH");
    while (path != NULL && *path != '\0') {
        char file[PATH_MAX];
        int length = (int)strcspn(path, ":");
        int size = snprintf(file, sizeof file, "%.*s/%s", length, path, program);
        if (size > 0 && (size_t)size < sizeof file && access(file, X_OK) == 0) {
            return true;
        }
        path += length;
        path += *path == ':' ? 1 : 0;
    }
    return false;
}

bool bench_script_check(const char *folder, bench_error *error)
{
    if (!find_program()) {
        return bench_fail(error, "--plot: there is no gnuplot in PATH; install it (package gnuplot-nox) or leave "
                                 "--plot out");
    }
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        return bench_fail(error, "--plot: %s: %s", folder, strerror(errno));
    }
    struct stat is;
    if (stat(folder, &is) == 0 && !S_ISDIR(is.st_mode)) {
        return bench_fail(error, "--plot: %s: %s", folder, strerror(ENOTDIR));
    }
    if (access(folder, W_OK | X_OK) != 0) {
        return bench_fail(error, "--plot: %s: %s", folder, strerror(errno));
    }
    return true;
}

/* In single quotes gnuplot reads everything as it stands, but the quote, which is doubled. */
static void put_quoted(FILE *file, const char *text)
{
    fputc('\'', file);
    for (; *text != '\0'; text++) {
        if (*text == '\'') {
            fputc('\'', file);
        }
        fputc(*text, file);
    }
    fputc('\'', file);
}

void bench_script_set(bench_script *script, const char *setting, const char *text)
{
    fprintf(script->file, "set %s ", setting);
    put_quoted(script->file, text);
    fputc('\n', script->file);
}

bool bench_script_begin(bench_script *script, const char *title, const char *under)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s.gp", script->folder, script->name);
    script->file = fopen(path, "w");
    if (script->file == NULL) {
        return bench_fail(script->error, "--plot: %s: %s", path, strerror(errno));
    }
    bench_script_set(script, "label 1", title);
    bench_script_set(script, "label 2", under);
    fputs("set label 1 at screen 0.5,0.955 center noenhanced font ',19'\n"
          "set label 2 at screen 0.5,0.91 center noenhanced font ',12' textcolor rgb '#606060'\n"
          "set tmargin at screen 0.81\n"
          "set key at screen 0.5,0.855 center center horizontal Left reverse noenhanced samplen 2\n"
          "set grid ytics linetype 1 linecolor rgb '#d8d8d8'\n"
          "set border 3\nset tics nomirror\nset datafile missing '-'\n",
          script->file);
    return true;
}

void bench_script_log_axis(bench_script *script, char axis, double low, double high)
{
    static const double steps[] = {1, 2, 5};
    PHX_ASSERT(low > 0 && low <= high);
    low *= 0.8;
    high *= 1.25;
    fprintf(script->file, "set logscale %c\nset format %c '%%.0s%%c'\n", axis, axis);
    fprintf(script->file, "set %crange [%.6g:%.6g]\nset %ctics (", axis, low, high, axis);
    const char *comma = "";
    for (double decade = pow(10, floor(log10(low))); decade <= high; decade *= 10) {
        for (uint32_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
            double tick = decade * steps[i];
            if (tick >= low && tick <= high) {
                fprintf(script->file, "%s%.6g", comma, tick);
                comma = ", ";
            }
        }
    }
    fputs(")\n", script->file);
}

/* In the folder, so that the script's own names hold. */
static bool run_program(const bench_script *script)
{
    char file[PATH_MAX];
    snprintf(file, sizeof file, "%s.gp", script->name);
    pid_t child = fork();
    if (child < 0) {
        return bench_fail(script->error, "--plot: fork: %s", strerror(errno));
    }
    if (child == 0) {
        if (chdir(script->folder) == 0) {
            execlp(program, program, file, (char *)NULL);
        }
        _exit(127);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        return bench_fail(script->error, "--plot: gnuplot could not draw %s/%s", script->folder, file);
    }
    return true;
}

bool bench_script_draw(bench_script *script, const char *command)
{
    static const char *const formats[][2] = {
        {"png", "pngcairo size 1200,700 font 'Sans,14' background 'white'"},
        {"svg", "svg size 1200,700 font 'Sans,14' background 'white'"},
    };
    for (uint32_t i = 0; i < 2; i++) {
        fprintf(script->file, "set terminal %s\nset output '%s.%s'\n%s\n", formats[i][1], script->name, formats[i][0],
                command);
    }
    bool bad = ferror(script->file) != 0;
    bad = fclose(script->file) != 0 || bad;
    script->file = NULL;
    if (bad) {
        return bench_fail(script->error, "--plot: %s/%s.gp: %s", script->folder, script->name, strerror(errno));
    }
    return run_program(script);
}
