/* tests/bench/soak_curve.c: a trace of 10^9 touches on 10^8 pages through a pipe, exact and sampled, by the program.
 *
 *   soak_curve PAGELAB [TOUCHES PAGES]
 *
 * Prints times and peaks of memory; fails when the exact curve takes more than 4 GB or a sampled one more than 100 MB,
 * when one of them fails, or when the sampled reads at half of the pages differ from the exact ones by more than five
 * times the error given. The generator's own memory (4 bytes a page) is a process of its own. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct outcome {
    double seconds, peak_mb;
    char table[1 << 16]; /* CSV */
};

static pid_t start(const char *const *words, int in, int out)
{
    pid_t pid = fork();
    if (pid == 0) {
        if (in >= 0)
            dup2(in, STDIN_FILENO);
        if (out >= 0)
            dup2(out, STDOUT_FILENO);
        for (int fd = 3; fd < 20; fd++)
            close(fd);
        execv(words[0], (char *const *)words);
        _exit(127);
    }
    return pid;
}

static double now(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec + (double)at.tv_nsec * 1e-9;
}

static void read_all(int fd, char *text, size_t room)
{
    size_t length = 0;
    for (ssize_t got; length + 1 < room && (got = read(fd, text + length, room - 1 - length)) > 0;)
        length += (size_t)got;
    text[length] = '\0';
}

/* trace gen zipf | curve - WORDS */
static bool run(const char *pagelab, const char *touches, const char *pages, const char *const *words,
                struct outcome *out)
{
    const char *make[] = {pagelab, "trace", "gen", "zipf", "--pages", pages, "--count", touches, "-q", "-o", "-", NULL};
    const char *curve[16] = {pagelab, "curve", "-", "-q", "--csv", "-", "--sizes"};
    int trace[2], table[2], status, made;
    size_t count = 7;
    struct rusage usage;
    double begin = now();
    while (*words)
        curve[count++] = *words++;
    if (pipe(trace) != 0 || pipe(table) != 0)
        return false;
    pid_t maker = start(make, -1, trace[1]), counter = start(curve, trace[0], table[1]);
    close(trace[0]);
    close(trace[1]);
    close(table[1]);
    read_all(table[0], out->table, sizeof out->table);
    close(table[0]);
    bool done = wait4(counter, &status, 0, &usage) == counter && status == 0;
    done &= waitpid(maker, &made, 0) == maker && made == 0;
    out->seconds = now() - begin;
    out->peak_mb = (double)usage.ru_maxrss * 1024 / 1e6;
    return done;
}

/* A value of the only row, by its column; NaN without one. */
static double value_of(const char *table, const char *column)
{
    char text[1 << 16], *line, *rest, *names[64], *save;
    int count = 0, number = 0;
    snprintf(text, sizeof text, "%s", table);
    for (rest = text; (line = strtok_r(rest, "\n", &save)) && line[0] == '#'; rest = NULL)
        ;
    char *row = strtok_r(NULL, "\n", &save);
    if (!line || !row)
        return NAN;
    for (char *name = strtok(line, ","); name && count < 64; name = strtok(NULL, ","))
        names[count++] = name;
    for (char *word = strtok(row, ","); word && number < count; word = strtok(NULL, ","), number++)
        if (!strcmp(names[number], column))
            return atof(word);
    return NAN;
}

int main(int argc, char **argv)
{
    static struct outcome exact, rate, fixed;
    const char *touches = argc > 2 ? argv[2] : "1000000000", *pages = argc > 3 ? argv[3] : "100000000";
    static char half[32];
    snprintf(half, sizeof half, "%llup", strtoull(pages, NULL, 10) / 2);
    struct {
        const char *name;
        const char *words[6];
        double most_mb;
        struct outcome *outcome;
    } runs[] = {{"exact", {half}, 4000, &exact},
                {"rate 0.001", {half, "--rate", "0.001"}, 100, &rate},
                {"8,192 pages", {half, "--samples", "8192"}, 100, &fixed}};
    int failures = 0;
    if (argc < 2)
        return 2;
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        struct outcome *out = runs[i].outcome;
        if (!run(argv[1], touches, pages, runs[i].words, out)) {
            printf("%s: a program failed\n", runs[i].name);
            return 1;
        }
        double reads = value_of(out->table, "reads"), error = value_of(out->table, "reads_error");
        bool fits = out->peak_mb <= runs[i].most_mb;
        bool near = i == 0 ? reads > 0 : fabs(reads - value_of(exact.table, "reads")) <= 5 * error;
        printf("%-12s %s touches on %s pages: %.0f s with the generator, peak %.1f MB (at most %.0f): %s; "
               "reads at half of the pages %.6g",
               runs[i].name, touches, pages, out->seconds, out->peak_mb, runs[i].most_mb, fits ? "fits" : "TOO MUCH",
               reads);
        printf(i ? " +- %.2g: %s\n" : "\n", error, near ? "near" : "FAR OFF");
        fflush(stdout);
        failures += !fits + !near;
    }
    return failures > 0;
}
