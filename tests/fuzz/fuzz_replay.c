/* tests/fuzz/fuzz_replay.c: a main for fuzz targets: seeds, reproducible mutations, files. Prints TAP. */
#include "fuzz_replay.h"

#include "base/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 16, ROUNDS = 150 };

/* One to eight small changes: a byte, a bit, a copied, dropped or repeated piece, a number with too many digits. */
static size_t mutate(struct pl_random *random, uint8_t *bytes, size_t length)
{
    for (uint64_t changes = 1 + pl_random_below(random, 8); changes && length; changes--) {
        size_t at = pl_random_below(random, length), from = pl_random_below(random, length);
        size_t n = 1 + pl_random_below(random, 16);
        switch (pl_random_below(random, 6)) {
        case 0:
            bytes[at] = (uint8_t)pl_random_next(random);
            break;
        case 1:
            bytes[at] ^= (uint8_t)(1 << pl_random_below(random, 8));
            break;
        case 2:
            if (from + n <= length && at + n <= length)
                memmove(bytes + at, bytes + from, n);
            break;
        case 3:
            length = pl_random_below(random, 4) ? length : at;
            break;
        case 4:
            if (length + n < MOST) {
                memmove(bytes + at + n, bytes + at, length - at);
                length += n;
            }
            break;
        default:
            for (size_t i = 0; i < n && at + i < length; i++)
                bytes[at + i] = (uint8_t)"0123456789abcdef,\n\r #x"[pl_random_below(random, 22)];
        }
    }
    return length;
}

static void run_copy(const uint8_t *bytes, size_t length)
{
    uint8_t *exact = malloc(length ? length : 1); /* so that a sanitizer sees a read beyond the end */
    memcpy(exact, bytes, length);
    LLVMFuzzerTestOneInput(exact, length);
    free(exact);
}

static int run_file(const char *path)
{
    static uint8_t bytes[1 << 20];
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return 1;
    }
    size_t length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    run_copy(bytes, length);
    return 0;
}

int main(int argc, char **argv)
{
    static uint8_t bytes[MOST];
    int failed = 0, count = 0;
    for (int i = 1; i < argc; i++)
        failed |= run_file(argv[i]);
    if (argc > 1)
        return failed;
    while (fuzz_seeds[count].bytes)
        count++;
    printf("1..%d\n", count);
    for (int seed = 0; seed < count; seed++) {
        struct pl_random random = pl_random_seeded((uint64_t)seed);
        run_copy((const uint8_t *)fuzz_seeds[seed].bytes, fuzz_seeds[seed].length);
        for (int round = 0; round < ROUNDS; round++) {
            memcpy(bytes, fuzz_seeds[seed].bytes, fuzz_seeds[seed].length);
            run_copy(bytes, mutate(&random, bytes, fuzz_seeds[seed].length));
        }
        printf("ok %d - %s, seed %d and %d mutations\n", seed + 1, fuzz_name, seed, ROUNDS);
    }
    return 0;
}
