/* mm/page_tables.c: which page-table page a page belongs to: a hash from (process, page number / entries). */
#include "base/random.h"
#include "base/arena.h"
#include "mm/memory_private.h"

#include <stdlib.h>

static size_t home(uint64_t index, pl_process process, size_t capacity)
{
    return pl_mix64(index ^ (uint64_t)process << 40) & (capacity - 1);
}

static struct table_key *find_key(struct table_key *keys, size_t capacity, pl_process process, uint64_t index)
{
    size_t at = home(index, process, capacity);
    while (keys[at].table != PL_NO_PAGE && (keys[at].index != index || keys[at].process != process))
        at = (at + 1) & (capacity - 1);
    return &keys[at];
}

pl_page pl_table_find(const struct pl_memory *m, pl_process process, uint64_t index)
{
    return m->table_keys ? find_key(m->table_key, m->table_key_capacity, process, index)->table : PL_NO_PAGE;
}

static enum pl_err make_room(struct pl_memory *m, struct pl_error *err)
{
    if (2 * (m->table_keys + 1) <= m->table_key_capacity)
        return PL_OK;
    size_t capacity = m->table_key_capacity ? 2 * m->table_key_capacity : 64;
    struct table_key *keys = malloc(capacity * sizeof(*keys));
    if (!keys)
        return pl_fail_memory(err, capacity * sizeof(*keys), "the page tables");
    for (size_t i = 0; i < capacity; i++)
        keys[i].table = PL_NO_PAGE;
    for (size_t i = 0; i < m->table_key_capacity; i++) {
        const struct table_key *key = &m->table_key[i];
        if (key->table != PL_NO_PAGE)
            *find_key(keys, capacity, key->process, key->index) = *key;
    }
    free(m->table_key);
    m->table_key = keys;
    m->table_key_capacity = capacity;
    return PL_OK;
}

/* Charged by the caller. */
enum pl_err pl_table_add(struct pl_memory *m, pl_process process, uint64_t index, struct pl_error *err)
{
    struct process *p = &m->process[process];
    pl_page table;
    enum pl_err rc = make_room(m, err);
    if (rc == PL_OK)
        rc = pl_grow((void **)&p->table, &p->table_capacity, p->tables + 1, sizeof(p->table[0]), "the page tables",
                     err);
    if (rc == PL_OK)
        rc = pl_internal_add(m, 1, &table, err);
    if (rc)
        return rc;
    *record_of(m, table) = (struct page_record){.frame = PL_NO_FRAME,
                                                .slot = PL_NO_SLOT,
                                                .process = process,
                                                .flags = F_TABLE | F_CHARGED,
                                                .place = PL_PLACE_NONE};
    p->table[p->tables++] = table;
    *find_key(m->table_key, m->table_key_capacity, process, index) = (struct table_key){index, process, table};
    m->table_keys++;
    return PL_OK;
}

/* Rebuilds the cluster behind a removed key, as open addressing must. */
static void remove_key(struct pl_memory *m, size_t at)
{
    size_t mask = m->table_key_capacity - 1;
    m->table_key[at].table = PL_NO_PAGE;
    m->table_keys--;
    for (size_t i = (at + 1) & mask; m->table_key[i].table != PL_NO_PAGE; i = (i + 1) & mask) {
        struct table_key key = m->table_key[i];
        m->table_key[i].table = PL_NO_PAGE;
        *find_key(m->table_key, m->table_key_capacity, key.process, key.index) = key;
    }
}

/* Removing from a cluster can move a later key of the process to a place already passed; so until none is left. */
void pl_tables_forget(struct pl_memory *m, pl_process process)
{
    bool found = m->process[process].tables > 0;
    while (found) {
        found = false;
        for (size_t i = 0; i < m->table_key_capacity; i++)
            while (m->table_key[i].table != PL_NO_PAGE && m->table_key[i].process == process) {
                remove_key(m, i);
                found = true;
            }
    }
}
