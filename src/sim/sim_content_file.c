/* sim/sim_content_file.c: pages that hold a file's content, which the trace names: "file:PATH".
 *
 * Each file is opened once, when a record first names it, and its pages are read as they are wanted. */
#include "sim/engine.h"

#include <stdlib.h>
#include <string.h>

static struct pl_content_file *open_file(struct pl_sim *sim, const char *path)
{
    struct pl_content_file *file = NULL;
    if (sim_fail(sim, pl_grow((void **)&sim->content_file, &sim->content_file_capacity, sim->content_file_count + 1,
                              sizeof(struct pl_content_file *), "files that fill pages", sim->err)) ||
        sim_fail(sim, pl_content_file_open(path, (uint32_t)sim->machine.page_bytes, &file, sim->err)))
        return NULL;
    sim->content_file[sim->content_file_count++] = file;
    return file;
}

struct pl_content_file *sim_content_file(struct pl_sim *sim, const char *path)
{
    for (size_t i = 0; i < sim->content_file_count; i++)
        if (!strcmp(pl_content_file_path(sim->content_file[i]), path))
            return sim->content_file[i];
    return open_file(sim, path);
}

void sim_content_files_close(struct pl_sim *sim)
{
    for (size_t i = 0; i < sim->content_file_count; i++)
        pl_content_file_close(sim->content_file[i]);
    free(sim->content_file);
}

void sim_content_page(struct pl_sim *sim, const struct content *content, uint64_t place, uint8_t *out)
{
    if (!content->file)
        pl_content_page(&content->made, place, out, (uint32_t)sim->machine.page_bytes);
    else if (sim_fail(sim, pl_content_file_page(content->file, place, out, sim->err)))
        memset(out, 0, (size_t)sim->machine.page_bytes);
}
