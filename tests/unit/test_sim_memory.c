/* tests/unit/test_sim_memory.c: how much memory a simulation takes for each distinct page: at most 64 bytes, half of them
 * stored, equal ones found; more only where the store's space is laid out page by page as well.
 *
 * Two runs, each in a process of its own, differ in their number of pages; the difference of their peaks of resident memory
 * is what pages cost. Their tables grow in place, as those of large runs do: what the heap keeps of small ones that moved is
 * left out. PL_SHOW=1 prints all figures. */
#include "sim_machine.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
enum { SANITIZED = 1 }; /* its allocator keeps more beside each block */
#else
enum { SANITIZED = 0 };
#endif

enum { FEW = 200000, MANY = 600000 };

struct row {
    const char *what, *words; /* assignments separated by spaces */
    bool stores, contents;
    double most_bytes;
};

#define STORED "store.enabled=true store.in_memory=false store.ratio=2 "
#define DIRECT "memory.lists=false "
static const struct row rows[] = {
    {"all resident", DIRECT, false, false, 48},
    {"all resident, page lists", "", false, false, 48},
    {"half stored", DIRECT STORED, true, false, 56},
    {"half stored, dedup by 128 bits, ideal", DIRECT STORED "store.dedup=hash128", true, true, 64},
    {"half stored, dedup by 128 bits, regions", DIRECT STORED "store.dedup=hash128 store.space=regions", true, true, 74},
    {"half stored, dedup by 128 bits, zsmalloc", DIRECT STORED "store.dedup=hash128 store.space=zsmalloc", true, true, 74},
    {"half stored, dedup by 32 bits, zbud", DIRECT STORED "store.dedup=hash32 store.space=zbud", true, true, 84},
    {"half stored, dedup by 128 bits, page lists", STORED "store.dedup=hash128 store.space=regions store.in_memory=true",
     true, true, 84},
};

static double peak_bytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss * 1024;
}

/* Every page once, in order; then half of them again. All differ in their content. */
static double run_here(const struct row *row, pl_page pages)
{
    struct pl_arena *arena = pl_arena_create();
    const char *changes[16];
    size_t count = 0;
    pl_page frames = row->stores ? pages / 2 : pages + 1000;
    bool lists = !strstr(row->words, "memory.lists=false");
    if (lists && row->stores)
        frames = pages * 3 / 4; /* half of the memory is for half of the pages, the store's regions take the rest */
    changes[count++] = lists ? pl_arena_printf(arena, "memory.total=%up", frames) : "memory.total=64GiB";
    if (!lists)
        changes[count++] = pl_arena_printf(arena, "memory.resident=%up", frames);
    for (char *word = strtok(pl_arena_strdup(arena, row->words), " "); word; word = strtok(NULL, " "))
        changes[count++] = word;
    changes[count] = NULL;
    struct pl_machine machine = machine_of(arena, NULL, changes);
    struct script script = {0};
    if (row->contents)
        script_control(&script, PL_OP_CONTENT, 0, 0, pages, 0, "index");
    script_range(&script, 0, pages, 1, PL_WRITE);
    script_range(&script, 0, pages / 2, 1, PL_READ);
    struct pl_sim *sim = script_run(&script, &machine, NULL, 1000);
    const struct pl_sim_result *result = pl_sim_result(sim);
    assert_null(result->stopped);
    if (row->stores)
        assert_in_range(result->store.unique, pages * 2 / 5, pages * 3 / 5);
    double bytes = peak_bytes();
    pl_sim_destroy(sim);
    script_free(&script);
    pl_arena_destroy(arena);
    return bytes;
}

static double run(const struct row *row, pl_page pages)
{
    int ends[2], status;
    double bytes = 0;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        mallopt(M_MMAP_THRESHOLD, 256 * 1024);
        prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); /* huge pages would round every table up */
        bytes = run_here(row, pages);
        _exit(write(ends[1], &bytes, sizeof bytes) == (ssize_t)sizeof bytes ? 0 : 1);
    }
    close(ends[1]);
    bool fine = read(ends[0], &bytes, sizeof bytes) == (ssize_t)sizeof bytes;
    close(ends[0]);
    if (waitpid(child, &status, 0) != child || status || !fine)
        fail_msg("%s: the run failed", row->what);
    return bytes;
}

static void a_page_takes_few_bytes(void **state)
{
    if (SANITIZED)
        skip();
    for (size_t i = 0; i < PL_COUNT_OF(rows); i++) {
        double bytes = (run(&rows[i], MANY) - run(&rows[i], FEW)) / (MANY - FEW);
        if (getenv("PL_SHOW"))
            print_message("# %s: %.1f bytes a page\n", rows[i].what, bytes);
        else if (bytes > rows[i].most_bytes)
            fail_msg("%s: %.1f bytes a page, more than %g", rows[i].what, bytes, rows[i].most_bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_page_takes_few_bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
