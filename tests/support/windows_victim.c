/* tests/support/windows_victim.c: a Windows program whose every access to one region is known.
 *
 *   windows_victim script          one thread: strides, both kinds, page-crossing, copies, repeated and locked
 *   operations
 *   windows_victim threads         four threads, each on pages of its own and on shared ones
 *   windows_victim phases          three sets of pages, 400 ms apart
 *   windows_victim file PATH       reads a file into the region and writes it out again: buffers for the kernel
 *   windows_victim loop            pages 0 to 63 in turn, one each millisecond, until there is a file "stop" (or half a
 *   minute);
 *                                  prints its id first
 *   windows_victim count N         N reads and writes, and the time they took
 *
 * Prints "base PAGE", then one line for each access: the thread's id, R or W, page of the region; the lines of one
 * thread in its order. What the processor does is fixed by inline assembly. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

/* Twice as many pages as are touched: under wine a piece of just 1 MiB passes for a stack of wine's own. */
enum { PAGE = 4096, PAGES = 256, ALLOCATED = 512, THREADS = 4, LINES = 20000 };

static uint8_t *region;

struct line {
    char kind;
    uint16_t page;
};
/* The last one is the main thread's behind its four. */
static struct line lines[THREADS + 1][LINES];
static int count[THREADS + 1];
static DWORD thread_id[THREADS + 1];

static void expect(int thread, char kind, unsigned page)
{
    lines[thread][count[thread]++] = (struct line){kind, (uint16_t)page};
}

static void print_lines(void)
{
    printf("base %llu\n", (unsigned long long)((uintptr_t)region / PAGE));
    for (int thread = 0; thread <= THREADS; thread++)
        for (int i = 0; i < count[thread]; i++)
            printf("%lu %c %d\n", thread_id[thread], lines[thread][i].kind, lines[thread][i].page);
}

static uint64_t load(unsigned page, unsigned offset)
{
    uint64_t value;
    __asm__ volatile("movq %1, %0" : "=r"(value) : "m"(*(volatile uint64_t *)(region + page * PAGE + offset)));
    return value;
}

static void store(unsigned page, unsigned offset, uint64_t value)
{
    __asm__ volatile("movq %1, %0" : "=m"(*(volatile uint64_t *)(region + page * PAGE + offset)) : "r"(value));
}

static void locked_increment(unsigned page)
{
    __asm__ volatile("lock incq %0" : "+m"(*(volatile uint64_t *)(region + page * PAGE)));
}

static void copy_repeated(unsigned to, unsigned from, uint64_t bytes)
{
    void *target = region + to * PAGE;
    const void *source = region + from * PAGE;
    __asm__ volatile("rep movsb" : "+D"(target), "+S"(source), "+c"(bytes) : : "memory");
}

static void copy_once(unsigned to, unsigned from)
{
    void *target = region + to * PAGE + 8;
    const void *source = region + from * PAGE;
    __asm__ volatile("movsq" : "+D"(target), "+S"(source) : : "memory");
}

static int script(void)
{
    for (unsigned page = 0; page < PAGES; page += 3) {
        store(page, 8 * (page % 100), page);
        expect(0, 'W', page);
    }
    for (unsigned i = 0; i < 1000; i++) {
        unsigned page = i * 37 % PAGES;
        if (load(page, 16) == 1)
            return 3;
        expect(0, 'R', page);
    }
    store(10, PAGE - 4, 1); /* half of it on the next page */
    expect(0, 'W', 10);
    expect(0, 'W', 11);
    load(20, PAGE - 1);
    expect(0, 'R', 20);
    expect(0, 'R', 21);
    locked_increment(30);
    expect(0, 'W', 30);
    copy_once(40, 40); /* one instruction that reads and writes one page */
    expect(0, 'R', 40);
    expect(0, 'W', 40);
    copy_repeated(50, 60, 100);
    for (int i = 0; i < 100; i++) {
        expect(0, 'R', 60);
        expect(0, 'W', 50);
    }
    print_lines();
    return 0;
}

static volatile LONG arrived;

/* Waits until all threads have come here as often: they take turns however busy the machine is. */
static void meet(LONG meeting)
{
    InterlockedIncrement(&arrived);
    while (arrived < THREADS * (meeting + 1))
        SwitchToThread();
}

static DWORD WINAPI thread_body(void *number)
{
    int self = (int)(intptr_t)number;
    thread_id[self] = GetCurrentThreadId();
    for (unsigned i = 0; i < 200; i++) {
        if (i % 20 == 0)
            meet((LONG)i / 20);
        unsigned own = 64 + (unsigned)self * 32 + i % 32, shared = i % 16;
        store(own, 0, i);
        expect(self, 'W', own);
        load(shared, 8);
        expect(self, 'R', shared);
        locked_increment(shared);
        expect(self, 'W', shared);
    }
    return 0;
}

/* Besides the lines: the shared counters add up, so no access was lost on the way through the tracer. */
static int threads(void)
{
    HANDLE handle[THREADS];
    for (intptr_t i = 0; i < THREADS; i++)
        handle[i] = CreateThread(NULL, 0, thread_body, (void *)i, 0, NULL);
    WaitForMultipleObjects(THREADS, handle, TRUE, INFINITE);
    uint64_t sum = 0;
    thread_id[THREADS] = GetCurrentThreadId();
    for (unsigned page = 0; page < 16; page++) {
        sum += load(page, 0);
        expect(THREADS, 'R', page);
    }
    print_lines();
    return sum == 200 * THREADS ? 0 : 3;
}

static int phases(void)
{
    for (unsigned phase = 0; phase < 3; phase++) {
        for (unsigned page = phase; page < 90; page += 3) {
            store(page, 0, 1);
            expect(0, 'W', page);
        }
        Sleep(400);
    }
    print_lines();
    return 0;
}

static int through_file(const char *path)
{
    DWORD done = 0, again = 0;
    HANDLE file = CreateFileA(path, GENERIC_READ | GENERIC_WRITE, 0, NULL, CREATE_ALWAYS, 0, NULL);
    for (unsigned page = 0; page < 4; page++) {
        store(page, 0, 77 + page);
        expect(0, 'W', page);
    }
    BOOL wrote = WriteFile(file, region, 4 * PAGE, &done, NULL);
    for (unsigned page = 0; page < 4; page++)
        expect(0, 'R', page);
    SetFilePointer(file, 0, NULL, FILE_BEGIN);
    BOOL read = ReadFile(file, region + 100 * PAGE, 4 * PAGE, &again, NULL);
    for (unsigned page = 0; page < 4; page++)
        expect(0, 'W', 100 + page);
    CloseHandle(file);
    uint64_t value = load(103, 0);
    expect(0, 'R', 103);
    print_lines();
    return wrote && read && done == 4 * PAGE && again == 4 * PAGE && value == 80 ? 0 : 3;
}

static int loop(void)
{
    enum { MOST_MS = 30000, PAGES_USED = 64 };
    printf("pid %lu\nbase %llu\n", GetCurrentProcessId(), (unsigned long long)((uintptr_t)region / PAGE));
    fflush(stdout);
    DWORD start = GetTickCount();
    for (unsigned i = 0; GetTickCount() - start < MOST_MS; i++) {
        if (i % PAGES_USED == 0 && GetFileAttributesA("stop") != INVALID_FILE_ATTRIBUTES)
            break;
        store(i % PAGES_USED, 0, i);
        Sleep(1);
    }
    return 0;
}

static int count_accesses(unsigned long number)
{
    LARGE_INTEGER start, end, frequency;
    QueryPerformanceFrequency(&frequency);
    QueryPerformanceCounter(&start);
    for (unsigned long i = 0; i < number; i++) {
        if (i % 2)
            load(i % PAGES, 0);
        else
            store(i % PAGES, 0, i);
    }
    QueryPerformanceCounter(&end);
    printf("%lu accesses, %.3f us each\n", number,
           (double)(end.QuadPart - start.QuadPart) * 1e6 / (double)frequency.QuadPart / (double)number);
    return 0;
}

int main(int argc, char **argv)
{
    region = VirtualAlloc(NULL, ALLOCATED * PAGE, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
    thread_id[0] = GetCurrentThreadId();
    if (!region || argc < 2)
        return 2;
    if (!strcmp(argv[1], "script"))
        return script();
    if (!strcmp(argv[1], "threads"))
        return threads();
    if (!strcmp(argv[1], "phases"))
        return phases();
    if (!strcmp(argv[1], "file") && argc > 2)
        return through_file(argv[2]);
    if (!strcmp(argv[1], "loop"))
        return loop();
    if (!strcmp(argv[1], "count") && argc > 2)
        return count_accesses(strtoul(argv[2], NULL, 10));
    return 2;
}
