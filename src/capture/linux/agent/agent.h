/* capture/linux/agent/agent.h: the agent inside a traced program (x86-64 Linux), as its parts see one another.
 *
 *   agent.c          start; faults and single steps: every access in order
 *   agent_region.c   which memory is traced; guarding and opening it; the ring
 *   agent_call.c     system calls: buffers opened for the kernel, memory calls followed
 *   agent_raw.S      the one place that system calls are made from
 *
 * Traced pages have no access rights. A touch faults (SIGSEGV); the handler records it, opens the page and sets the
 * trap flag; after the one instruction the trap (SIGTRAP) closes the page again. One lock is held from the fault to the
 * trap, so that records of all threads are in one order. System calls come as SIGSYS (syscall user dispatch), because
 * the kernel does not fault on behalf of a call but fails it.
 *
 * Nothing here may call the C library once tracing is on: its data may be guarded, its system calls would come back. */
#ifndef PL_CAPTURE_AGENT_H
#define PL_CAPTURE_AGENT_H

#include "capture/linux/agent/agent_ring.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ucontext.h>

enum { AGENT_PAGE = 4096, AGENT_STEP_PAGES = 16 };

#define HIDDEN __attribute__((visibility("hidden")))

/* --- agent_raw.S -------------------------------------------------------------------- */
HIDDEN long agent_raw(long number, long a, long b, long c, long d, long e, long f);
HIDDEN void agent_restorer(void); /* rt_sigreturn */
HIDDEN extern const char agent_raw_start[], agent_raw_end[];

/* --- agent_region.c ----------------------------------------------------------------- */
struct agent_region {
    uint64_t start, end;
    int prot;      /* what the program thinks it has; 0: reserved, not traced */
    bool is_file;
};

HIDDEN void agent_lock(void);
HIDDEN void agent_unlock(void);
/* All below: with the lock. */
HIDDEN const struct agent_region *agent_region_of(uint64_t address); /* NULL: not ours */
HIDDEN const struct agent_region *agent_any_region_of(uint64_t address); /* also those that are only reserved */
HIDDEN bool agent_region_touches(uint64_t start, uint64_t end);       /* is any of it traced? */
/* [start, end) has `prot` from here on, in place of what was there. False: no room in the table. */
HIDDEN bool agent_region_set(uint64_t start, uint64_t end, int prot, bool is_file);
/* The same for new memory: records it and guards it. */
HIDDEN void agent_region_add(uint64_t start, uint64_t end, int prot, bool is_file);
HIDDEN void agent_region_remove(uint64_t start, uint64_t end);
/* Does the request want a region of this size here? */
HIDDEN bool agent_region_wanted(uint64_t start, uint64_t end);
/* Gives what is traced of [start, end) the program's rights, or takes them; pages that a call holds stay open. */
HIDDEN void agent_open(uint64_t start, uint64_t end);
HIDDEN void agent_guard(uint64_t start, uint64_t end);
HIDDEN void agent_open_all(void);
HIDDEN void agent_guard_all(void);
/* Pages that a system call in progress uses. False: no room. */
HIDDEN bool agent_hold(uint64_t start, uint64_t end);
HIDDEN void agent_release(uint64_t start, uint64_t end);
HIDDEN void agent_record(enum agent_op op, uint64_t address, uint64_t size);
/* Opens everything and stops looking. */
HIDDEN void agent_give_up(void);

/* --- the state ------------------------------------------------------------------------ */
struct agent_state {
    struct agent_ring *ring;
    struct agent_record *records;
    bool active;
    uint32_t pid;
    uint64_t brk;
    int descriptor;       /* of the ring, closed by exec unless the program is to be followed */
    char preload[4096];   /* LD_PRELOAD=, with us in it */
    char ring_word[32];   /* PAGECAP_RING= */
};
extern HIDDEN struct agent_state agent;

/* Of one thread. */
struct agent_thread {
    volatile char selector; /* of syscall user dispatch: 1 = calls come to us */
    bool known, stepping;
    bool native;            /* one system call of its own is let through */
    bool opened_all;        /* for it */
    int page_count;
    uint32_t tid;
    uint64_t saved_mask;    /* the program's signal mask, during a step */
    uint64_t page[AGENT_STEP_PAGES];
};
HIDDEN struct agent_thread *agent_self(void);
/* Makes the calls of the present thread come to agent_on_call. */
HIDDEN bool agent_watch_calls(struct agent_thread *thread);

/* --- agent_call.c ---------------------------------------------------------------------- */
HIDDEN void agent_on_call(int signal_number, siginfo_t *info, void *context);
/* What the program wants for signals that are ours. */
HIDDEN void agent_pass_on(int signal_number, ucontext_t *context);

/* Signals that must never be blocked. */
#define AGENT_SIGNALS (UINT64_C(1) << (SIGSEGV - 1) | UINT64_C(1) << (SIGTRAP - 1) | UINT64_C(1) << (SIGSYS - 1))

/* The kernel's own form of struct sigaction. */
struct agent_action {
    void *handler;
    unsigned long flags;
    void (*restorer)(void);
    uint64_t mask;
};

#endif
