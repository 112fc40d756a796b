/* capture/windows/os_windows_process.c: clock, counters, threads, child processes, and the wish to stop. */
#include "capture/os.h"
#include "capture/windows/windows_target.h"

#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char pl_os_name[] = "Windows";

/* --- clock and counters ------------------------------------------------------------------ */
pl_time_ps pl_os_now(void)
{
    static LARGE_INTEGER frequency;
    LARGE_INTEGER now;
    if (!frequency.QuadPart)
        QueryPerformanceFrequency(&frequency);
    QueryPerformanceCounter(&now);
    LONGLONG seconds = now.QuadPart / frequency.QuadPart, rest = now.QuadPart % frequency.QuadPart;
    return seconds * PL_PS_PER_S + (pl_time_ps)((double)rest * 1e12 / (double)frequency.QuadPart);
}

void pl_os_sleep(pl_time_ps time)
{
    enum { STEP_MS = 50 };
    pl_time_ps end = pl_os_now() + time;
    for (pl_time_ps left = time; left > 0 && !pl_os_interrupted(); left = end - pl_os_now())
        Sleep(left > STEP_MS * PL_PS_PER_MS ? STEP_MS : (DWORD)((left + PL_PS_PER_MS - 1) / PL_PS_PER_MS));
}

static uint64_t ns_of(FILETIME time)
{
    return ((uint64_t)time.dwHighDateTime << 32 | time.dwLowDateTime) * 100;
}

struct memory_counters { /* PROCESS_MEMORY_COUNTERS */
    DWORD size, faults;
    SIZE_T sizes[8];
};

/* Windows counts the faults of a process without telling hard ones apart: those are left open. */
void pl_os_counters(struct pl_os_counters *out)
{
    typedef BOOL WINAPI memory_fn(HANDLE, struct memory_counters *, DWORD);
    memory_fn *memory = (memory_fn *)windows_function("kernel32.dll", "K32GetProcessMemoryInfo");
    struct memory_counters counters = {.size = sizeof counters};
    FILETIME created, ended, kernel, user;
    *out = (struct pl_os_counters){.minor_faults = UINT64_MAX, .major_faults = UINT64_MAX};
    if (memory && memory(GetCurrentProcess(), &counters, sizeof counters) && counters.faults)
        out->minor_faults = counters.faults;
    if (GetProcessTimes(GetCurrentProcess(), &created, &ended, &kernel, &user)) {
        out->user_ns = ns_of(user);
        out->system_ns = ns_of(kernel);
    }
}

/* --- threads ------------------------------------------------------------------------------- */
struct job {
    void (*work)(void *user, unsigned index);
    void *user;
    unsigned index;
};

static DWORD WINAPI run_job(void *user)
{
    struct job *job = user;
    job->work(job->user, job->index);
    return 0;
}

enum pl_err pl_os_parallel(unsigned count, void (*work)(void *user, unsigned index), void *user, struct pl_error *err)
{
    if (count <= 1) {
        work(user, 0);
        return PL_OK;
    }
    struct job *jobs = calloc(count, sizeof *jobs);
    HANDLE *threads = calloc(count, sizeof *threads);
    enum pl_err rc = jobs && threads ? PL_OK : pl_fail_memory(err, count * sizeof *jobs, "threads");
    unsigned started = 0;
    for (; rc == PL_OK && started < count; started++) {
        jobs[started] = (struct job){work, user, started};
        threads[started] = CreateThread(NULL, 0, run_job, &jobs[started], 0, NULL);
        if (!threads[started]) {
            rc = windows_fail(err, GetLastError(), "cannot start a thread");
            break;
        }
    }
    for (unsigned i = 0; i < started; i++) {
        WaitForSingleObject(threads[i], INFINITE);
        CloseHandle(threads[i]);
    }
    free(jobs);
    free(threads);
    return rc;
}

/* --- children ---------------------------------------------------------------------------------- */
struct pl_os_child {
    HANDLE process, to, from;
    DWORD pid;
    char heard[256];
    DWORD length, at;
};

/* A pipe whose one end a child inherits. */
static bool make_pipe(HANDLE *ours, HANDLE *theirs, bool child_reads)
{
    SECURITY_ATTRIBUTES inherit = {.nLength = sizeof inherit, .bInheritHandle = TRUE};
    HANDLE read, write;
    if (!CreatePipe(&read, &write, &inherit, 0))
        return false;
    *ours = child_reads ? write : read;
    *theirs = child_reads ? read : write;
    return SetHandleInformation(*ours, HANDLE_FLAG_INHERIT, 0);
}

static void add_word(struct pl_text *line, const char *word)
{
    pl_text_addf(line, "%s\"%s\"", line->length ? " " : "",
                 word); /* our own words: no quotes or backslashes at an end */
}

static enum pl_err spawn(const char *const *arguments, HANDLE input, HANDLE output, PROCESS_INFORMATION *out,
                         struct pl_error *err)
{
    char path[MAX_PATH + 1] = "";
    struct pl_text line = {0};
    STARTUPINFOA info = {.cb = sizeof info, .dwFlags = STARTF_USESTDHANDLES, .hStdInput = input, .hStdOutput = output,
                         .hStdError = GetStdHandle(STD_ERROR_HANDLE)};
    GetModuleFileNameA(NULL, path, MAX_PATH);
    add_word(&line, path);
    for (; *arguments; arguments++)
        add_word(&line, *arguments);
    enum pl_err rc = PL_OK;
    if (line.failed)
        rc = pl_fail_memory(err, line.length, "a command line");
    else if (!CreateProcessA(path, line.data, NULL, NULL, TRUE, 0, NULL, NULL, &info, out))
        rc = windows_fail(err, GetLastError(), "cannot start %s again", path);
    pl_text_free(&line);
    return rc;
}

enum pl_err pl_os_child_start(const char *const *arguments, struct pl_os_child **out, struct pl_error *err)
{
    HANDLE input = NULL, output = NULL;
    PROCESS_INFORMATION process = {.hProcess = NULL};
    struct pl_os_child *child = calloc(1, sizeof *child);
    if (!child)
        return pl_fail_memory(err, sizeof *child, "a child");
    enum pl_err rc = PL_OK;
    if (!make_pipe(&child->to, &input, true) || !make_pipe(&child->from, &output, false))
        rc = windows_fail(err, GetLastError(), "cannot make a pipe");
    if (rc == PL_OK)
        rc = spawn(arguments, input, output, &process, err);
    if (input)
        CloseHandle(input);
    if (output)
        CloseHandle(output);
    if (rc) {
        pl_os_child_end(child);
        return rc;
    }
    CloseHandle(process.hThread);
    child->process = process.hProcess;
    child->pid = process.dwProcessId;
    *out = child;
    return PL_OK;
}

bool pl_os_child_say(struct pl_os_child *child, const char *line)
{
    DWORD written;
    return WriteFile(child->to, line, (DWORD)strlen(line), &written, NULL) &&
           WriteFile(child->to, "\n", 1, &written, NULL);
}

bool pl_os_child_hear(struct pl_os_child *child, char *line, size_t size)
{
    size_t length = 0;
    for (;;) {
        if (child->at == child->length) {
            child->at = 0;
            if (!ReadFile(child->from, child->heard, sizeof child->heard, &child->length, NULL) || !child->length) {
                child->length = 0;
                return false;
            }
        }
        char letter = child->heard[child->at++];
        if (letter == '\n')
            break;
        if (letter != '\r' && length + 1 < size)
            line[length++] = letter;
    }
    line[length] = '\0';
    return true;
}

uint64_t pl_os_child_pid(const struct pl_os_child *child)
{
    return child->pid;
}

void pl_os_child_end(struct pl_os_child *child)
{
    enum { PATIENCE_MS = 10000 };
    if (!child)
        return;
    if (child->to)
        CloseHandle(child->to);
    if (child->from)
        CloseHandle(child->from);
    if (child->process) {
        if (WaitForSingleObject(child->process, PATIENCE_MS) != WAIT_OBJECT_0)
            TerminateProcess(child->process, 1);
        CloseHandle(child->process);
    }
    free(child);
}

/* --- stopping -------------------------------------------------------------------------------------- */
static volatile LONG interrupts;

static BOOL WINAPI on_console(DWORD event)
{
    if (event != CTRL_C_EVENT && event != CTRL_BREAK_EVENT)
        return FALSE;
    return InterlockedIncrement(&interrupts) == 1; /* the second one ends the program */
}

void pl_os_catch_interrupts(void)
{
    SetConsoleCtrlHandler(on_console, TRUE);
}

bool pl_os_interrupted(void)
{
    return interrupts != 0;
}

bool pl_os_watched(void)
{
    return _isatty(_fileno(stderr)) != 0;
}

/* --- own swap device ---------------------------------------------------------------------------------- */
enum pl_err pl_os_own_store_start(const char *spec, struct pl_error *err)
{
    return pl_fail(err, PL_ERR_RESOURCE, "a swap device of one's own is Linux's (zram); Windows has its one store");
}

enum pl_err pl_os_limit_start(uint64_t bytes, struct pl_error *err)
{
    return pl_fail(err, PL_ERR_RESOURCE, "--limit: memory cgroups are Linux's");
}

void pl_os_limit_look(void)
{
}

void pl_os_limit_stop(void)
{
}

void pl_os_own_store_settle(void)
{
}

void pl_os_own_store_stop(void)
{
}
