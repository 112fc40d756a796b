/* study/sweep_mpi.h: a sweep over the processes that mpirun started, on one machine or many.
 *
 * Rank 0 hands out points as ranks become free, and alone writes; the others compute. MPI is initialised only when a
 * launcher says that there are several processes (mpirun, srun --mpi), and only where the program was built with it.
 *
 * When a rank dies, Open MPI ends all of them; the database then holds what was finished, and the sweep goes on from
 * there when it is started again. */
#ifndef PL_STUDY_SWEEP_MPI_H
#define PL_STUDY_SWEEP_MPI_H

#include "study/sweep_run.h"

/* A launcher started this process together with others. */
bool pl_sweep_mpi_launched(void);
/* Whether the program was built with MPI, and with which. */
const char *pl_sweep_mpi_version(void); /* NULL: without */

/* Fails with PL_ERR_USAGE where the program has no MPI. */
enum pl_err pl_sweep_mpi_start(int *rank, struct pl_error *err);
/* True on all ranks when `fine` is true on all; everyone must call it. */
bool pl_sweep_mpi_agree(bool fine);
/* The same; and of the ranks that are not fine, which may have the same to say, the lowest speaks. */
bool pl_sweep_mpi_agree_who(bool fine, bool *speaks);
/* The same for a text that must be that of rank 0. */
bool pl_sweep_mpi_agree_on(const char *text);
/* Rank 0: as pl_sweep_run. */
enum pl_err pl_sweep_mpi_lead(struct pl_study *study, struct pl_results *results,
                              const struct pl_sweep_run_options *options, struct pl_sweep_state *state,
                              struct pl_error *err);
/* The others: compute until rank 0 has nothing more. */
enum pl_err pl_sweep_mpi_serve(struct pl_study *study, struct pl_error *err);
/* Waits for the others and leaves. Traces that others read may be closed afterwards. */
void pl_sweep_mpi_end(void);

#endif
