/* study/study.h: experiments over everything below, table of contents.
 *
 *   advice.h         would a compressed tier help, how large, what else                    advice.c, advice_machines.c
 *   quantity.h       a named number or choice with its unit
 *   expression.h     small formulas over named numbers: conditions, objectives
 *   measured.h       what somebody measured: documents' numbers, or what pagecap wrote
 *   predict.h        what the simulator says to a measurement
 *   validate.h       predicted beside measured, value by value
 *   calibrate.h      a machine's costs from measurements of it
 *   scale_memory.h   the same machine with another size of memory
 *   sweep_study.h    a study: what is run, over which parameters, what is asked of it     sweep_study.c, sweep_values.c, sweep_design.c
 *   sweep_base.h     what a point is run on: the cost model, a curve, a replay            sweep_model.c, sweep_replay.c
 *   sweep_replay.h   one replay, its outputs by name
 *   sweep_traces.h   traces that many replay, decoded once
 *   sweep_results.h  the database of results                                              sweep_results*.c
 *   sweep_run.h      points on threads, into the database                                 sweep_run.c, sweep_keeper.c
 *   sweep_mpi.h      the same over the processes of mpirun
 *   sweep_check.h    points that share a curve pass against replays of their own
 *   sweep_search.h   points chosen by those before them                                   sweep_search.c, sweep_halving.c */
#ifndef PL_STUDY_STUDY_H
#define PL_STUDY_STUDY_H

#include "study/advice.h"
#include "study/expression.h"
#include "study/quantity.h"
#include "study/scale_memory.h"
#include "study/sweep_check.h"
#include "study/sweep_mpi.h"
#include "study/sweep_replay.h"
#include "study/sweep_results.h"
#include "study/sweep_run.h"
#include "study/sweep_search.h"
#include "study/sweep_study.h"

#endif
