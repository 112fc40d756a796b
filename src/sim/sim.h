/* sim/sim.h: the discrete-event simulation, table of contents.
 *
 *   simulation.h   a trace runs on a machine                              simulation.c, engine.h, sim_*.c
 *   machine.h      every parameter of a machine                           machine.c, machine_table.c
 *   sim_result.h   what a run counted                                     sim_sum.c
 *   timeline.h     what happened when, for trace viewers                  timeline.c
 *   event_queue.h  what happens next, in virtual time                     event_queue.c
 *   stream.h       what an actor has still to do                          stream.c
 *
 * What this does not model: the memory that paging itself takes beyond page tables and working-set lists; caches and TLBs (a
 * touch costs what it costs); priorities of threads. */
#ifndef PL_SIM_SIM_H
#define PL_SIM_SIM_H

#include "sim/event_queue.h"
#include "sim/machine.h"
#include "sim/sim_result.h"
#include "sim/simulation.h"
#include "sim/stream.h"
#include "sim/timeline.h"

#endif
