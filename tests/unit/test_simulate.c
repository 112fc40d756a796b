/* tests/unit/test_simulate.c: 2Q and CLOCK-Pro against plain ones, which keep pages in arrays and search them, on random
 * traces at every size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "curve/simulate.h"

enum { PAGES = 40, TOUCHES = 1500, TRACES = 60 };

/* Pages in an order, the oldest first. */
struct row {
    pl_page page[2 * PAGES + 2];
    int count;
};

static int find(const struct row *row, pl_page page)
{
    for (int i = 0; i < row->count; i++)
        if (row->page[i] == page)
            return i;
    return -1;
}

static void insert(struct row *row, int place, pl_page page)
{
    memmove(row->page + place + 1, row->page + place, (size_t)(row->count - place) * sizeof *row->page);
    row->page[place] = page;
    row->count++;
}

static pl_page take_out(struct row *row, int place)
{
    pl_page page = row->page[place];
    row->count--;
    memmove(row->page + place, row->page + place + 1, (size_t)(row->count - place) * sizeof *row->page);
    return page;
}

/* Takes it out of one row and makes it the newest of another, or of the same. */
static void move(struct row *from, int place, struct row *to)
{
    pl_page page = take_out(from, place);
    insert(to, to->count, page);
}

/* Misses of 2Q as the paper writes it down. */
static uint64_t plain_2q(const pl_page *pages, int frames)
{
    struct row a1in = {.count = 0}, a1out = {.count = 0}, am = {.count = 0};
    int in_max = frames / 4 > 0 ? frames / 4 : 1, out_max = frames / 2 > 0 ? frames / 2 : 1;
    uint64_t misses = 0;
    for (int i = 0; i < TOUCHES; i++) {
        pl_page page = pages[i];
        if (find(&am, page) >= 0) {
            move(&am, find(&am, page), &am);
            continue;
        }
        if (find(&a1in, page) >= 0)
            continue;
        misses++;
        bool proven = find(&a1out, page) >= 0;
        if (proven)
            take_out(&a1out, find(&a1out, page));
        if (a1in.count + am.count == frames) {
            if (a1in.count > in_max || am.count == 0) {
                if (a1out.count == out_max)
                    take_out(&a1out, 0);
                move(&a1in, 0, &a1out);
            } else {
                take_out(&am, 0);
            }
        }
        insert(proven ? &am : &a1in, proven ? am.count : a1in.count, page);
    }
    return misses;
}

/* CLOCK-Pro on an array that begins at the hot hand: the head of the clock is its end. */
struct plain {
    struct row clock;
    bool hot[PAGES], resident[PAGES], test[PAGES], touched[PAGES];
    pl_page cold_hand, test_hand; /* the page that each stands at */
    int frames, cold_frames;
};

static int count_of(const struct plain *plain, bool hot, bool resident)
{
    int count = 0;
    for (int i = 0; i < plain->clock.count; i++) {
        pl_page page = plain->clock.page[i];
        count += plain->hot[page] == hot && plain->resident[page] == resident;
    }
    return count;
}

static pl_page behind(const struct plain *plain, pl_page page)
{
    return plain->clock.page[(find(&plain->clock, page) + 1) % plain->clock.count];
}

static void drop(struct plain *plain, pl_page page)
{
    pl_page next = behind(plain, page);
    plain->cold_hand = plain->cold_hand == page ? next : plain->cold_hand;
    plain->test_hand = plain->test_hand == page ? next : plain->test_hand;
    take_out(&plain->clock, find(&plain->clock, page));
}

static void add_at_head(struct plain *plain, pl_page page)
{
    if (plain->clock.count == 0)
        plain->cold_hand = plain->test_hand = page;
    insert(&plain->clock, plain->clock.count, page);
}

static void test_is_over(struct plain *plain, pl_page page)
{
    if (plain->test[page]) {
        plain->test[page] = false;
        plain->cold_frames -= plain->cold_frames > 1;
    }
    if (!plain->resident[page])
        drop(plain, page);
}

/* The hot hand moves on by turning the array. */
static void fewer_hot(struct plain *plain)
{
    while (count_of(plain, true, true) > plain->frames - plain->cold_frames) {
        pl_page page = plain->clock.page[0];
        if (!plain->hot[page])
            test_is_over(plain, page);
        else if (!plain->touched[page])
            plain->hot[page] = false;
        plain->touched[page] = plain->hot[page] ? false : plain->touched[page];
        if (find(&plain->clock, page) == 0)
            move(&plain->clock, 0, &plain->clock);
    }
}

static void heat(struct plain *plain, pl_page page)
{
    drop(plain, page);
    add_at_head(plain, page);
    plain->resident[page] = plain->hot[page] = true;
    plain->test[page] = plain->touched[page] = false;
    plain->cold_frames += plain->cold_frames < plain->frames;
    fewer_hot(plain);
}

static void evict_one(struct plain *plain)
{
    fewer_hot(plain);
    for (;;) {
        pl_page page = plain->cold_hand;
        plain->cold_hand = behind(plain, page);
        if (plain->hot[page] || !plain->resident[page])
            continue;
        if (!plain->touched[page]) {
            plain->resident[page] = false;
            if (!plain->test[page])
                drop(plain, page);
            break;
        }
        if (plain->test[page]) {
            heat(plain, page);
            continue;
        }
        drop(plain, page);
        add_at_head(plain, page);
        plain->test[page] = true;
        plain->touched[page] = false;
    }
    while (count_of(plain, false, false) > plain->frames) {
        pl_page page = plain->test_hand;
        plain->test_hand = behind(plain, page);
        if (!plain->hot[page])
            test_is_over(plain, page);
    }
}

static uint64_t plain_clockpro(const pl_page *pages, int frames)
{
    struct plain plain = {.frames = frames, .cold_frames = 1};
    uint64_t misses = 0;
    int used = 0;
    for (int i = 0; i < TOUCHES; i++) {
        pl_page page = pages[i];
        if (plain.resident[page]) {
            plain.touched[page] = true;
            continue;
        }
        misses++;
        bool filling = used < frames;
        used += filling;
        if (!filling)
            evict_one(&plain);
        if (find(&plain.clock, page) >= 0) {
            heat(&plain, page);
            continue;
        }
        add_at_head(&plain, page);
        plain.hot[page] = filling && count_of(&plain, true, true) < frames - plain.cold_frames;
        plain.test[page] = !plain.hot[page];
        plain.touched[page] = false;
        plain.resident[page] = true;
    }
    return misses;
}

/* A few hot pages, a loop, and strays. */
static void make_trace(struct pl_random *random, pl_page *pages)
{
    uint64_t hot = 1 + pl_random_below(random, 12), loop = 1 + pl_random_below(random, PAGES);
    for (int i = 0; i < TOUCHES; i++) {
        uint64_t draw = pl_random_below(random, 10);
        uint64_t page = draw < 5 ? pl_random_below(random, hot) : draw < 8 ? (uint64_t)i % loop : pl_random_below(random, PAGES);
        pages[i] = (pl_page)page;
    }
}

static void check(enum pl_simulated policy, uint64_t (*plain)(const pl_page *, int))
{
    static pl_page pages[TOUCHES];
    for (uint64_t seed = 1; seed <= TRACES; seed++) {
        struct pl_random random = pl_random_seeded(seed);
        make_trace(&random, pages);
        for (int frames = 1; frames <= PAGES; frames++) {
            struct pl_simulation run;
            assert_int_equal(pl_simulate(policy, PL_RULE_MEMSIM, (uint32_t)frames, pages, NULL, TOUCHES, &run, NULL), PL_OK);
            uint64_t expected = plain(pages, frames);
            if (run.reads != expected)
                fail_msg("%s, seed %llu, %d frames: %llu misses, plainly %llu", pl_simulated_names[policy],
                         (unsigned long long)seed, frames, (unsigned long long)run.reads, (unsigned long long)expected);
        }
    }
}

static void test_2q(void **state)
{
    check(PL_SIMULATED_2Q, plain_2q);
}

static void test_clockpro(void **state)
{
    check(PL_SIMULATED_CLOCKPRO, plain_clockpro);
}

/* What both are for: a loop that is a little larger than memory, where LRU misses every touch. */
static void test_loop(void **state)
{
    static pl_page pages[20000];
    for (size_t i = 0; i < PL_COUNT_OF(pages); i++)
        pages[i] = (pl_page)(i % 1100);
    static const enum pl_simulated policies[] = {PL_SIMULATED_LRU, PL_SIMULATED_2Q, PL_SIMULATED_CLOCKPRO};
    double ratio[PL_COUNT_OF(policies)];
    for (size_t p = 0; p < PL_COUNT_OF(policies); p++) {
        struct pl_simulation run;
        assert_int_equal(pl_simulate(policies[p], PL_RULE_MEMSIM, 1000, pages, NULL, PL_COUNT_OF(pages), &run, NULL), PL_OK);
        ratio[p] = (double)run.reads / (double)PL_COUNT_OF(pages);
    }
    print_message("a loop of 1.1 times the memory misses %.2f with lru, %.2f with 2q, %.2f with clockpro\n", ratio[0], ratio[1],
                  ratio[2]);
    assert_true(ratio[0] == 1 && ratio[1] < 0.6 && ratio[2] < 0.6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_2q), cmocka_unit_test(test_clockpro),
                                       cmocka_unit_test(test_loop)};
    return cmocka_run_group_tests_name("simulate", tests, NULL, NULL);
}
