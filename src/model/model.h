/* model/model.h: what a compressed cache does to a program's paging time, table of contents.
 *
 *   fault_table.h   page-file reads and writes by memory size: read from CSV or taken from a curve
 *   table_header.h  names and units of its columns
 *   interpolate.h   one function through a table's points; the methods and what each is good for
 *   fault_curves.h  Read(x) and Write(x): a table's two functions, and what is said outside it
 *   held_out.h      how well each method predicts rows that it was not shown
 *   fit_form.h      shapes that counts by memory size can be fitted with
 *   fit.h           a form fitted to a table: parameters, bands, held-out errors
 *   fit_choice.h    all forms side by side, the best of them, and its curve for the cost model
 *   fit_band.h      what the scatter of the rows does to the cost and to the conclusion
 *   fit_runs.h      the inverse problem: cd, ch, r and frac from run times
 *   cost1996.h      the cost of Russinovich and Cogswell (1996) for one set of parameters
 *   optimum.h       the best cache size, break-even costs and ratio, sensitivity
 *   axis.h          parameters to sweep, as people write them ("d=0:2MB:0.05MB")
 *
 * Memory is in MB of 2^20 bytes and time in seconds, both as doubles: a whole number of pages of any power of two is
 * exact. Everything here is a pure function of table and parameters. */
#ifndef PL_MODEL_MODEL_H
#define PL_MODEL_MODEL_H

#include "model/axis.h"
#include "model/cost1996.h"
#include "model/fault_curves.h"
#include "model/fault_table.h"
#include "model/fit.h"
#include "model/fit_band.h"
#include "model/fit_choice.h"
#include "model/fit_runs.h"
#include "model/held_out.h"
#include "model/interpolate.h"
#include "model/optimum.h"

#endif
