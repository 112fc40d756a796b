/* sim/sim.h: the discrete-event simulation, table of contents. */
#ifndef PL_SIM_SIM_H
#define PL_SIM_SIM_H

#include "sim/event_queue.h" /* what happens next, in virtual time */

#endif
