/* study/study.h: experiments over everything below, table of contents.
 *
 *   quantity.h       a named number or choice with its unit
 *   expression.h     small formulas over named numbers: conditions, objectives */
#ifndef PL_STUDY_STUDY_H
#define PL_STUDY_STUDY_H

#include "study/expression.h"
#include "study/quantity.h"

#endif
