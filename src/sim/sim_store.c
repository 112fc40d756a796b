/* sim/sim_store.c: into the store and out of it: what pages hold, how small they become, and whose memory that takes.
 *
 * What this does not model: that compaction takes memory for the copies while it runs, and time before what it frees can be
 * used (the worker that found the store full is busy for as long, or the thread without lists); when Windows compacts, which
 * is not known: here it is when there is no room and a quarter of the store's memory is holes. */
#include "sim/engine.h"

#include "codec/same_filled.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* --- the store's memory --------------------------------------------------------------------- */

/* With lists the store's memory comes out of the frames. */
static bool is_in_frames(const struct pl_sim *sim)
{
    return sim->store && sim->machine.lists && sim->machine.in_memory;
}

uint32_t sim_store_need(const struct pl_sim *sim)
{
    uint64_t page = sim->machine.page_bytes;
    return is_in_frames(sim) ? (uint32_t)((pl_store_limited_bytes(sim->store) + page - 1) / page) : 0;
}

/* A page that is compressed makes a frame available, but only when it is stored, and a store may grow by several at that
 * moment. The frames for that are kept to spare, as kernels keep a reserve; small machines can spare less. */
static void set_spare(struct pl_sim *sim)
{
    enum { SMALL = 8 }; /* at most one frame in so many */
    uint64_t page = sim->machine.page_bytes, most = pl_memory_frames(sim->memory)->total / SMALL;
    uint64_t spare = (pl_store_most_growth(sim->store) - 1) / page; /* the page's own frame is one more */
    sim->store_spare = (uint32_t)(spare < most ? spare : most);
}

void sim_store_settle(struct pl_sim *sim)
{
    if (!is_in_frames(sim))
        return;
    uint32_t want = sim_store_need(sim) + sim->store_spare;
    if (want > sim->store_frames)
        sim->store_frames += pl_memory_take_frames(sim->memory, want - sim->store_frames);
    else if (want < sim->store_frames) {
        pl_memory_give_frames(sim->memory, sim->store_frames - want);
        sim->store_frames = want;
    }
}

/* --- opening -------------------------------------------------------------------------- */

static enum pl_err open_codec(struct pl_sim *sim, struct pl_error *err)
{
    const struct pl_machine *machine = &sim->machine;
    struct pl_codec_params params = {
        .page_size = (uint32_t)machine->page_bytes, .level = (int)machine->codec_level, .ratio = machine->ratio};
    enum pl_err rc = pl_codec_create(machine->codec, &params, &sim->codec, err);
    if (rc)
        return rc;
    sim->pack_room = pl_arena_alloc(sim->arena, 1, params.page_size);
    if (!sim->pack_room)
        return pl_fail_memory(err, params.page_size, "a page");
    sim->unsaid.made.kind = (enum pl_content_kind)machine->content;
    /* The codec that tells one size for all pages is asked once. */
    if (machine->codec->sizes_only)
        sim->constant_size =
            (uint32_t)pl_codec_compress(sim->codec, sim->page_room, sim->pack_room, params.page_size);
    return PL_OK;
}

enum pl_err sim_store_open(struct pl_sim *sim, struct pl_error *err)
{
    const struct pl_machine *machine = &sim->machine;
    sim->page_room = pl_arena_alloc(sim->arena, 1, (size_t)machine->page_bytes);
    if (!sim->page_room)
        return pl_fail_memory(err, (size_t)machine->page_bytes, "a page");
    if (!machine->has_store)
        return PL_OK;
    bool by_pages_alone = machine->accounting == PL_CHARGE_1996; /* d r pages, however large a compressed page is */
    sim->store_params = (struct pl_store_params){
        .space = machine->space,
        .space_params = {.page_size = (uint32_t)machine->page_bytes,
                         .chain_pages = (uint32_t)machine->chain_pages,
                         .region_bytes = (uint32_t)machine->region_bytes,
                         .chunk_bytes = (uint32_t)machine->chunk_bytes},
        .max_pages = pl_machine_store_pages(machine),
        .max_bytes = by_pages_alone ? PL_STORE_NO_LIMIT : machine->store_max_bytes,
        .dedup = (enum pl_dedup)machine->dedup,
        .same_filled = (enum pl_same)machine->same_filled,
        .count_sequences = machine->compress_sequence_cost || machine->decompress_sequence_cost,
    };
    enum pl_err rc = pl_store_create(&sim->store_params, &sim->store, err);
    if (rc == PL_OK) {
        sim->store_params = *pl_store_params(sim->store);
        rc = open_codec(sim, err);
    }
    if (rc == PL_OK && is_in_frames(sim)) {
        set_spare(sim);
        sim_store_settle(sim);
    }
    return rc;
}

void sim_store_close(struct pl_sim *sim)
{
    pl_store_destroy(sim->store);
    pl_codec_destroy(sim->codec);
    free(sim->content);
    free(sim->content_of);
    sim_content_files_close(sim);
}

/* --- what pages hold -------------------------------------------------------------------- */

/* A page's byte (its class) has room for the numbers of most traces' contents; WIDE: see content_of. */
enum { WIDE = UINT8_MAX };

uint32_t sim_content_number(const struct pl_sim *sim, pl_page object)
{
    if (!sim->content_count || object >= sim->introduced)
        return 0;
    uint8_t number = pl_memory_class(sim->memory, object);
    return number == WIDE ? sim->content_of[object] : number;
}

static void make_page(struct pl_sim *sim, const struct content *content, uint64_t place)
{
    sim_content_page(sim, content, place, sim->page_room);
}

/* What became of the page that stands for the one at `place`: the page of the same turn with which its group begins. */
static const struct pl_store_page *sample_of(struct pl_sim *sim, const struct content *content, uint32_t number,
                                             uint64_t place)
{
    const uint64_t turn = place % SAMPLE_TURNS, group = SAMPLE_TURNS * sim->machine.sample;
    const uint64_t lead = place - place % group + turn;
    struct content_sample *sample = &sim->sampled[number % SAMPLES][turn];
    if (!sample->known || sample->content != number || sample->place != lead) {
        make_page(sim, content, lead);
        *sample = (struct content_sample){.known = true, .content = number, .place = lead};
        pl_store_pack(&sim->store_params, sim->codec, sim->page_room, sim->pack_room, &sample->page);
    }
    return &sample->page;
}

/* Hash and same-filled words are the page's own, its size is a sample's. */
static void describe_by_sample(struct pl_sim *sim, const struct content *content, uint32_t number, uint64_t place,
                               struct pl_store_page *out)
{
    make_page(sim, content, place);
    pl_store_pack(&sim->store_params, NULL, sim->page_room, sim->pack_room, out);
    if (out->same_filled)
        return;
    const struct pl_store_page *sample = sample_of(sim, content, number, place);
    out->size = sample->same_filled ? (uint32_t)sim->machine.page_bytes : sample->size;
    out->sequences = sample->sequences;
}

void sim_store_describe(struct pl_sim *sim, pl_page object, struct pl_store_page *out)
{
    const uint32_t number = sim_content_number(sim, object);
    const struct content *content = number ? &sim->content[number - 1] : &sim->unsaid;
    bool plain = sim->store_params.dedup == PL_DEDUP_NONE && sim->store_params.same_filled == PL_SAME_NONE;
    *out = (struct pl_store_page){.size = sim->constant_size};
    if (sim->constant_size && plain && !content->size)
        return;
    if (sim->machine.sample > 1 && !content->size && !content->file) /* a file's pages stand for none but themselves */
        describe_by_sample(sim, content, number, sim_content_place(content, object), out);
    else {
        make_page(sim, content, sim_content_place(content, object));
        pl_store_pack(&sim->store_params, sim->codec, sim->page_room, sim->pack_room, out);
    }
    out->bytes = NULL; /* sizes and hashes are enough here */
    if (content->size && !out->same_filled)
        out->size = content->size;
}

/* The number behind `CODEC=` in a content record's words, or 0. */
static uint32_t size_in(const char *words, const char *codec)
{
    size_t length = strlen(codec);
    for (const char *at = words; at && (at = strstr(at, codec)) != NULL; at += length) {
        bool starts = at == words || at[-1] == ' ';
        if (!starts || at[length] != '=')
            continue;
        unsigned long size = strtoul(at + length + 1, NULL, 10);
        return size > UINT32_MAX ? 0 : (uint32_t)size;
    }
    return 0;
}

static bool parse_content(struct pl_sim *sim, const struct pl_control *control, struct content *out)
{
    char name[16] = "";
    const char *words = control->text ? control->text : "";
    size_t length = strcspn(words, " ");
    out->made.seed = control->c;
    out->origin = (int64_t)control->a - control->actor;
    if (!strncmp(words, PL_CONTENT_FILE, strlen(PL_CONTENT_FILE))) {
        out->file = sim_content_file(sim, words + strlen(PL_CONTENT_FILE));
        out->origin -= (int64_t)(control->c & INT32_MAX); /* its seed is where it begins */
        out->made.seed = 0;
        return out->file != NULL;
    }
    if (length >= sizeof name)
        return false;
    memcpy(name, words, length);
    out->size = size_in(words, sim->machine.codec->name);
    return pl_content_find(name, &out->made.kind, NULL) == PL_OK;
}

/* Room for one content more, and for its number where the pages' own bytes have none. */
static bool grow_contents(struct pl_sim *sim, size_t pages)
{
    size_t before = sim->content_of_capacity;
    if (sim_fail(sim, pl_grow((void **)&sim->content, &sim->content_capacity, sim->content_count + 1,
                              sizeof *sim->content, "contents of pages", sim->err)))
        return false;
    if (sim->content_count + 1 < WIDE || pages <= before)
        return true;
    if (sim_fail(sim, pl_grow((void **)&sim->content_of, &sim->content_of_capacity, pages, sizeof *sim->content_of,
                              "contents of pages", sim->err)))
        return false;
    memset(sim->content_of + before, 0, (sim->content_of_capacity - before) * sizeof *sim->content_of);
    return true;
}

static bool is_same_content(const struct content *a, const struct content *b)
{
    return a->made.kind == b->made.kind && a->made.seed == b->made.seed && a->origin == b->origin && a->size == b->size &&
           a->file == b->file;
}

/* Its number, plus one. Passes tell the same again and again: the last one is looked at first, then those with short
 * numbers. */
static uint32_t number_content(struct pl_sim *sim, const struct content *content)
{
    const size_t count = sim->content_count, few = count < WIDE ? count : WIDE;
    if (count && is_same_content(&sim->content[count - 1], content))
        return (uint32_t)count;
    for (size_t i = 0; i < few; i++)
        if (is_same_content(&sim->content[i], content))
            return (uint32_t)i + 1;
    sim->content[sim->content_count++] = *content;
    return (uint32_t)sim->content_count;
}

/* Would the page not be written, because it holds nothing? */
static bool is_dropped(struct pl_sim *sim, const struct content *content, pl_page page)
{
    uint64_t word;
    if (!sim->machine.drop_zeros || !content->file)
        return sim->machine.drop_zeros && content->made.kind == PL_CONTENT_ZEROS;
    sim_content_page(sim, content, sim_content_place(content, page), sim->page_room);
    return pl_same_filled(sim->page_room, (size_t)sim->machine.page_bytes, &word) && word == 0;
}

void sim_content(struct pl_sim *sim, const struct pl_control *control)
{
    struct content content = {.made = {PL_CONTENT_ZEROS, 0}};
    uint64_t end = control->a + control->b;
    if (!parse_content(sim, control, &content) || end > UINT32_MAX / 2 || !control->b || !grow_contents(sim, (size_t)end))
        return;
    const uint32_t number = number_content(sim, &content);
    for (uint64_t page = control->a; page < end; page++) {
        pl_memory_set_class(sim->memory, (pl_page)page, number < WIDE ? (uint8_t)number : WIDE);
        if (number >= WIDE)
            sim->content_of[page] = number;
        pl_memory_set_zero(sim->memory, (pl_page)page, is_dropped(sim, &content, (pl_page)page));
    }
}

static bool is_raw(const struct pl_sim *sim, const struct pl_store_page *page)
{
    return page->size == 0 || page->size >= sim->machine.page_bytes;
}

pl_time_ps sim_compression_time(const struct pl_sim *sim, const struct pl_store_page *page)
{
    const struct pl_machine *machine = &sim->machine;
    if (page->same_filled)
        return machine->same_cost;
    pl_time_ps plain = is_raw(sim, page) && machine->compress_raw_cost ? machine->compress_raw_cost : machine->compress_cost;
    return plain + (pl_time_ps)page->sequences * machine->compress_sequence_cost;
}

/* Its sequences are counted again, by compressing it again: the store keeps sizes alone. */
pl_time_ps sim_decompression_time(struct pl_sim *sim, pl_page object)
{
    const struct pl_machine *machine = &sim->machine;
    struct pl_store_page page;
    if (!sim->store || !pl_store_find(sim->store, pl_memory_key(&sim->memory_params, object), &page))
        return machine->decompress_cost;
    if (page.same_filled)
        return machine->same_cost;
    if (is_raw(sim, &page))
        return machine->decompress_raw_cost ? machine->decompress_raw_cost : machine->decompress_cost;
    if (machine->decompress_sequence_cost)
        sim_store_describe(sim, object, &page);
    return machine->decompress_cost + (pl_time_ps)page.sequences * machine->decompress_sequence_cost;
}

/* --- in and out --------------------------------------------------------------------------- */

/* It is worth moving objects when one byte in so many is part of a hole. */
enum { HOLES = 4 };

bool sim_store_compact(struct pl_sim *sim, pl_time_ps *takes)
{
    struct pl_space_usage usage = pl_store_statistics(sim->store).space;
    if (!sim->machine.compacts || usage.unit_bytes_free * HOLES < usage.used_bytes)
        return false;
    struct pl_compaction done = pl_store_compact(sim->store);
    if (!done.bytes_freed)
        return false;
    sim->totals.store_compactions++;
    sim->totals.store_moved_bytes += done.bytes_moved;
    *takes = (pl_time_ps)((double)done.bytes_moved / (double)sim->machine.page_bytes * (double)sim->machine.compact_cost);
    sim->store_blocked = false;
    sim_store_settle(sim);
    return true;
}

enum pl_store_outcome sim_store_put(struct pl_sim *sim, pl_page object, const struct pl_store_page *page, uint32_t coming)
{
    enum pl_store_outcome outcome = PL_STORE_TOO_LARGE;
    pl_page key = pl_memory_key(&sim->memory_params, object);
    if (pl_store_has(sim->store, key))
        pl_store_remove(sim->store, key);
    if (is_in_frames(sim)) {
        uint64_t frames = (uint64_t)sim->store_frames + pl_frames_available(pl_memory_frames(sim->memory)) + coming;
        pl_store_set_room(sim->store, frames * sim->machine.page_bytes);
    }
    sim_fail(sim, pl_store_put(sim->store, key, page, &outcome, sim->err));
    if (pl_store_was_stored(outcome))
        sim->totals.store_puts++;
    return outcome;
}

void sim_store_remove(struct pl_sim *sim, pl_page object)
{
    for (uint32_t i = 0; i < sim->leaving_count; i++)
        if (sim->leaving[i] == object)
            sim->leaving[i] = PL_NO_PAGE; /* what is being written of it is of no use */
    pl_store_remove(sim->store, pl_memory_key(&sim->memory_params, object));
    sim->store_blocked = false;
    sim_store_settle(sim);
}

pl_page sim_store_oldest(const struct pl_sim *sim)
{
    pl_page key = pl_store_oldest(sim->store);
    return key == PL_NO_PAGE ? PL_NO_PAGE : pl_memory_key_page(&sim->memory_params, key);
}
