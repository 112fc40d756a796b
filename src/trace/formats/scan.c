/* trace/formats/scan.c: the table behind scan.h. */
#include "trace/formats/scan.h"

#define NO 255
#define NO8 NO, NO, NO, NO, NO, NO, NO, NO
#define NO16 NO8, NO8
const uint8_t pl_scan_hex_digit[256] = {
    NO16, NO16, NO16,                                           /* 00-2f */
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, NO, NO, NO, NO, NO, NO,       /* '0'-'9' */
    NO, 10, 11, 12, 13, 14, 15, NO, NO8, NO16,                  /* 'A'-'F' */
    NO, 10, 11, 12, 13, 14, 15, NO, NO8, NO16,                  /* 'a'-'f' */
    NO16, NO16, NO16, NO16, NO16, NO16, NO16, NO16,             /* 80-ff */
};
