/* tests/capture/victim.c: a program whose touches are known: what captures are held against. Linux and Windows.
 *
 *   victim SCRIPT [PAGES] [ROUNDS]
 *
 * It allocates PAGES pages directly from the system, prints "region START PAGES" (hexadecimal) for each thread's
 * memory, and then "expect THREAD KIND PAGE COUNT..." lines for what it does there: THREAD the number of the region,
 * KIND R or W, PAGE relative to the region. The lines are printed before the touches, so that printing is no part of
 * them.
 *
 *   steps     reads and writes one by one, backwards, twice the same page
 *   cross     a word that lies on two pages, read and written
 *   string    rep movsb and rep stosb within and over pages
 *   locked    read-modify-write, plain and locked
 *   threads   four threads, each in its own region
 *   sweep     ROUNDS passes over all pages, a write each
 *   crash     some writes, then an access to nowhere
 *   linger    each page is written, then nothing happens for half a second: for who looks now and then
 *   kernel    a buffer that the kernel writes and reads
 *   plain     ROUNDS passes over all pages; prints nothing but the time: what capturing costs */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#include <windows.h>
#else
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#endif

enum { PAGE = 4096, THREADS = 4 };

static unsigned pages = 64, rounds = 4;

static volatile uint8_t *allocate(unsigned count)
{
#ifdef _WIN32
    return VirtualAlloc(NULL, (size_t)count * PAGE, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
#else
    void *memory = mmap(NULL, (size_t)count * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
#endif
}

static volatile uint8_t *region(unsigned number)
{
    volatile uint8_t *memory = allocate(pages);
    if (!memory)
        exit(99);
    printf("region %u %llx %u\n", number, (unsigned long long)(uintptr_t)memory, pages);
    return memory;
}

static void expect(unsigned thread, char kind, unsigned page, unsigned count)
{
    printf("expect %u %c %u %u\n", thread, kind, page, count);
}

/* What was announced stands before the touches. */
static void announced(void)
{
    printf("go\n");
    fflush(stdout);
}

/* --- touches, one instruction each ------------------------------------------------------------- */
static void write_page(volatile uint8_t *memory, unsigned page)
{
    memory[(size_t)page * PAGE + 17] = (uint8_t)page;
}

static uint8_t read_page(volatile uint8_t *memory, unsigned page)
{
    return memory[(size_t)page * PAGE + 33];
}

static void steps(void)
{
    volatile uint8_t *memory = region(0);
    for (unsigned i = 0; i < pages; i++)
        expect(0, 'W', i, 1);
    for (unsigned i = pages; i-- > 0;)
        expect(0, 'R', i, 1);
    for (unsigned i = 0; i < pages; i += 3) {
        expect(0, 'R', i, 2);
        expect(0, 'W', i, 2);
    }
    announced();
    for (unsigned i = 0; i < pages; i++)
        write_page(memory, i);
    for (unsigned i = pages; i-- > 0;)
        read_page(memory, i);
    for (unsigned i = 0; i < pages; i += 3) {
        read_page(memory, i);
        read_page(memory, i);
        write_page(memory, i);
        write_page(memory, i);
    }
}

/* An access over a border shows as two pages, in an order that the processor chooses: the lower one first in the line.
 * */
static void cross(void)
{
    volatile uint8_t *memory = region(0);
    for (unsigned i = 1; i < pages; i++) {
        printf("either 0 W %u %u\n", i - 1, i);
        printf("either 0 R %u %u\n", i - 1, i);
    }
    announced();
    for (unsigned i = 1; i < pages; i++) {
        volatile uint64_t *word = (volatile uint64_t *)(void *)(uintptr_t)(memory + (size_t)i * PAGE - 3);
#if defined(__x86_64__)
        uint64_t value = i;
        __asm__ volatile("movq %1, %0" : "=m"(*word) : "r"(value));
        __asm__ volatile("movq %1, %0" : "=r"(value) : "m"(*word));
#else
        *word = i;
        (void)*word;
#endif
    }
}

#if defined(__x86_64__)
static void move_bytes(volatile uint8_t *to, volatile uint8_t *from, size_t count)
{
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(count) : : "memory");
}

static void store_bytes(volatile uint8_t *to, size_t count)
{
    __asm__ volatile("rep stosb" : "+D"(to), "+c"(count) : "a"(7) : "memory");
}
#endif

/* 8 bytes from the end of a page into the next but one; 6 bytes over a border; 5 bytes within a page. */
static void string(void)
{
#if defined(__x86_64__)
    volatile uint8_t *memory = region(0);
    for (int i = 0; i < 8; i++) {
        expect(0, 'R', 0, 1);
        expect(0, 'W', 2, 1);
    }
    for (int i = 0; i < 6; i++)
        expect(0, 'W', i < 3 ? 3 : 4, 1);
    for (int i = 0; i < 5; i++) {
        expect(0, 'R', 5, 1);
        expect(0, 'W', 5, 1);
    }
    announced();
    move_bytes(memory + 2 * PAGE, memory + PAGE - 8, 8);
    store_bytes(memory + 4 * PAGE - 3, 6);
    move_bytes(memory + 5 * PAGE + 100, memory + 5 * PAGE + 10, 5);
#else
    announced();
#endif
}

/* Each is one write: the processor asks for the page once, to write. */
static void locked(void)
{
    volatile uint8_t *memory = region(0);
    for (unsigned i = 0; i < pages; i++)
        expect(0, 'W', i, 2);
    announced();
    for (unsigned i = 0; i < pages; i++) {
        volatile uint32_t *word = (volatile uint32_t *)(void *)(uintptr_t)(memory + (size_t)i * PAGE + 64);
#if defined(__x86_64__)
        __asm__ volatile("lock incl %0" : "+m"(*word));
        __asm__ volatile("addl $3, %0" : "+m"(*word));
#else
        __atomic_fetch_add(word, 1, __ATOMIC_SEQ_CST);
        __atomic_fetch_add(word, 3, __ATOMIC_SEQ_CST);
#endif
    }
}

/* --- threads --------------------------------------------------------------------------------------- */
static volatile uint8_t *own[THREADS];

static void walk(unsigned thread)
{
    for (unsigned round = 0; round < rounds; round++)
        for (unsigned i = 0; i < pages; i++) {
            unsigned page = (i * (2 * thread + 1)) % pages;
            write_page(own[thread], page);
            read_page(own[thread], page);
        }
}

#ifdef _WIN32
static DWORD WINAPI walk_thread(void *number)
{
    walk((unsigned)(uintptr_t)number);
    return 0;
}
#else
static void *walk_thread(void *number)
{
    walk((unsigned)(uintptr_t)number);
    return NULL;
}
#endif

static void threads(void)
{
    for (unsigned t = 0; t < THREADS; t++)
        own[t] = region(t);
    for (unsigned t = 0; t < THREADS; t++)
        for (unsigned round = 0; round < rounds; round++)
            for (unsigned i = 0; i < pages; i++) {
                expect(t, 'W', (i * (2 * t + 1)) % pages, 1);
                expect(t, 'R', (i * (2 * t + 1)) % pages, 1);
            }
    announced();
#ifdef _WIN32
    HANDLE handle[THREADS];
    for (uintptr_t t = 0; t < THREADS; t++)
        handle[t] = CreateThread(NULL, 0, walk_thread, (void *)t, 0, NULL);
    WaitForMultipleObjects(THREADS, handle, TRUE, INFINITE);
#else
    pthread_t handle[THREADS];
    for (uintptr_t t = 0; t < THREADS; t++)
        pthread_create(&handle[t], NULL, walk_thread, (void *)t);
    for (unsigned t = 0; t < THREADS; t++)
        pthread_join(handle[t], NULL);
#endif
}

/* --- the rest ----------------------------------------------------------------------------------------- */
static void sweep(void)
{
    volatile uint8_t *memory = region(0);
    for (unsigned round = 0; round < rounds; round++)
        for (unsigned i = 0; i < pages; i++)
            expect(0, 'W', i, 1);
    announced();
    for (unsigned round = 0; round < rounds; round++)
        for (unsigned i = 0; i < pages; i++)
            write_page(memory, i);
}

static void linger(void)
{
    rounds = 1;
    sweep();
#ifdef _WIN32
    Sleep(500);
#else
    nanosleep(&(struct timespec){0, 500000000}, NULL);
#endif
}

static void crash(void)
{
    volatile uint8_t *memory = region(0);
    for (unsigned i = 0; i < pages; i++)
        expect(0, 'W', i, 1);
    announced();
    for (unsigned i = 0; i < pages; i++)
        write_page(memory, i);
    *(volatile int *)(uintptr_t)16 = 1;
}

/* A file's bytes go into traced memory and out of it again: the kernel touches what this program does not. */
static void kernel(void)
{
#ifndef _WIN32
    volatile uint8_t *memory = region(0);
    expect(0, 'W', 1, 1);
    expect(0, 'W', 2, 1);
    expect(0, 'R', 1, 1);
    expect(0, 'R', 2, 1);
    announced();
    int zero = open("/dev/zero", O_RDONLY), null = open("/dev/null", O_WRONLY);
    void *buffer = (void *)(uintptr_t)(memory + PAGE + 100);
    if (read(zero, buffer, PAGE) != PAGE || write(null, buffer, PAGE) != PAGE)
        exit(98);
#else
    announced();
#endif
}

static double now_s(void)
{
#ifdef _WIN32
    LARGE_INTEGER now, rate;
    QueryPerformanceCounter(&now);
    QueryPerformanceFrequency(&rate);
    return (double)now.QuadPart / (double)rate.QuadPart;
#else
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
#endif
}

static void plain(void)
{
    volatile uint8_t *memory = region(0);
    double start = now_s();
    for (unsigned round = 0; round < rounds; round++)
        for (unsigned i = 0; i < pages; i++)
            write_page(memory, i);
    double passed = now_s() - start;
    printf("ns_per_touch %.3f\n", 1e9 * passed / ((double)rounds * pages));
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } scripts[] = {{"steps", steps},     {"cross", cross}, {"string", string}, {"locked", locked}, {"threads", threads},
                   {"sweep", sweep},     {"crash", crash}, {"linger", linger}, {"kernel", kernel}, {"plain", plain}};
    if (argc > 2)
        pages = (unsigned)strtoul(argv[2], NULL, 10);
    if (argc > 3)
        rounds = (unsigned)strtoul(argv[3], NULL, 10);
    for (size_t i = 0; argc > 1 && i < sizeof scripts / sizeof scripts[0]; i++)
        if (!strcmp(argv[1], scripts[i].name)) {
            scripts[i].run();
            printf("end\n");
            return 0;
        }
    fprintf(stderr, "victim: steps, cross, string, locked, threads, sweep, linger, crash, kernel or plain\n");
    return 2;
}
