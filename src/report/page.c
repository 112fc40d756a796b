/* report/page.c: the page from end to end: head, the answer, a section for each result, data, scripts.
 *
 * Assumes results of ordinary size: the page is for people, and long tables are thinned (page_rows_embedded). */
#include "config.h"

#include "base/whole_file.h"
#include "report/page_private.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* --- files that become part of the page ------------------------------------------------- */

static enum pl_err part_path(const char *name, char *out, size_t size, struct pl_error *err)
{
    const char *folders[] = {getenv("PAGELAB_PAGE"), PL_SOURCE_DIR "/src/report/page", PL_PKGDATADIR "/page"};
    for (size_t i = 0; i < PL_COUNT_OF(folders); i++) {
        if (!folders[i] || !folders[i][0])
            continue;
        int length = snprintf(out, size, "%s/%s", folders[i], name);
        if (length > 0 && (size_t)length < size && access(out, R_OK) == 0)
            return PL_OK;
    }
    return pl_fail(err, PL_ERR_RESOURCE, "%s, a part of the page, is neither in $PAGELAB_PAGE nor in %s", name,
                   PL_PKGDATADIR "/page");
}

/* A text that may not end the element it stands in. Our own parts and the library do not; a file that somebody put in
 * their place might. */
static bool ends_element(const char *text, const char *element)
{
    for (const char *at = text; (at = strstr(at, "</")); at += 2)
        if (!strncasecmp(at + 2, element, strlen(element)))
            return true;
    return false;
}

static enum pl_err add_file(struct pl_sink *sink, const char *path, const char *element, struct pl_error *err)
{
    char *text;
    size_t length;
    enum pl_err rc = pl_whole_file_read(path, &text, &length, err);
    if (rc)
        return rc;
    if (ends_element(text, element))
        rc = pl_fail(err, PL_ERR_INPUT, "%s: has a </%s>, and cannot stand in a page", path, element);
    else
        pl_sink_printf(sink, "<%s>\n%s\n</%s>\n", element, text, element);
    free(text);
    return rc;
}

static enum pl_err add_part(struct pl_sink *sink, const char *name, const char *element, struct pl_error *err)
{
    char path[4096];
    enum pl_err rc = part_path(name, path, sizeof path, err);
    return rc ? rc : add_file(sink, path, element, err);
}

/* The charting library's place, or NULL. */
static const char *library_path(const struct pl_page_options *options)
{
    static const char *const places[] = {"/usr/share/javascript/chart.js/chart.min.js",
                                         "/usr/share/javascript/chart.js/Chart.min.js"};
    if (options->library)
        return strcmp(options->library, "none") ? options->library : NULL;
    for (size_t i = 0; i < PL_COUNT_OF(places); i++)
        if (access(places[i], R_OK) == 0)
            return places[i];
    return NULL;
}

/* --- the page --------------------------------------------------------------------------------- */

static enum pl_err add_head(struct pl_sink *sink, const char *title, struct pl_error *err)
{
    /* Nothing but what stands in the page itself may run or be loaded. */
    pl_sink_puts(sink, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                       "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
                       "style-src 'unsafe-inline'; script-src 'unsafe-inline'; form-action 'none'; base-uri 'none'\">\n"
                       "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                       "<meta name=\"color-scheme\" content=\"light dark\">\n"
                       "<meta name=\"generator\" content=\"pagelab " PACKAGE_VERSION "\">\n"
                       "<link rel=\"icon\" href=\"data:,\">\n<title>");
    page_text(sink, title);
    pl_sink_puts(sink, "</title>\n");
    enum pl_err rc = add_part(sink, "page.css", "style", err);
    pl_sink_puts(sink, "</head>\n<body>\n<header>\n<p class=\"brand\">pagelab " PACKAGE_VERSION "</p>\n<h1>");
    page_text(sink, title);
    pl_sink_puts(sink, "</h1>\n</header>\n");
    return rc;
}

static void add_contents(struct pl_sink *sink, const struct page_result *results, size_t count)
{
    if (count < 2)
        return;
    pl_sink_puts(sink, "<nav aria-label=\"results\">\n<ol>\n");
    for (size_t i = 0; i < count; i++) {
        pl_sink_printf(sink, "<li><a href=\"#result-%zu\">", i + 1);
        page_text(sink, results[i].title);
        pl_sink_puts(sink, "</a></li>\n");
    }
    pl_sink_puts(sink, "</ol>\n</nav>\n");
}

static enum pl_err add_scripts(struct pl_sink *sink, const char *library, struct pl_error *err)
{
    enum pl_err rc = library ? add_file(sink, library, "script", err) : PL_OK;
    static const char *const parts[] = {"cost.js", "charts.js", "panel.js", "page.js"};
    for (size_t i = 0; i < PL_COUNT_OF(parts) && rc == PL_OK; i++)
        rc = add_part(sink, parts[i], "script", err);
    return rc;
}

static enum pl_err write_page(const struct page_result *results, size_t count, const struct pl_page_options *options,
                              const char *library, struct pl_sink *sink, struct pl_page_outcome *outcome,
                              struct pl_error *err)
{
    enum pl_err rc = add_head(sink, options->title ? options->title : results[0].title, err);
    if (rc)
        return rc;
    add_contents(sink, results, count);
    pl_sink_puts(sink, "<main>\n");
    for (size_t i = 0; i < count; i++)
        page_section(sink, &results[i], i, count == 1 && !options->title);
    pl_sink_puts(sink, "</main>\n<footer><p>Made by pagelab " PACKAGE_VERSION ". The page is complete in itself: it loads "
                       "nothing.</p></footer>\n<script type=\"application/json\" id=\"results\">");
    rc = page_data(sink, results, count, &outcome->left_out, err);
    pl_sink_puts(sink, "</script>\n");
    if (rc == PL_OK)
        rc = add_scripts(sink, library, err);
    pl_sink_puts(sink, "</body>\n</html>\n");
    return rc;
}

enum pl_err pl_page_write(const struct pl_page_source *sources, size_t count, const struct pl_page_options *options,
                          struct pl_sink *sink, struct pl_page_outcome *outcome, struct pl_error *err)
{
    struct page_result *results = calloc(count, sizeof *results);
    if (!results)
        return pl_fail_memory(err, count * sizeof *results, "results");
    const char *library = library_path(options);
    *outcome = (struct pl_page_outcome){.interactive = library != NULL};
    enum pl_err rc = PL_OK;
    size_t read = 0, drawn = 0;
    struct pl_error why = {PL_OK, ""};
    while (read < count && rc == PL_OK) {
        rc = page_result_read(&sources[read], &results[read], err);
        if (rc)
            break;
        if (!library || page_result_is_map(&results[read]))
            page_result_draw(&results[read], &why);
        drawn += results[read++].picture != NULL;
    }
    if (rc == PL_OK && !library)
        snprintf(outcome->note, sizeof outcome->note, "no charting library (Debian's libjs-chart.js): %s%s%s",
                 drawn ? "figures are pictures" : "the page has no figures", why.code ? "; " : "",
                 why.code ? why.message : "");
    if (rc == PL_OK)
        rc = write_page(results, count, options, library, sink, outcome, err);
    for (size_t i = 0; i < read; i++)
        page_result_free(&results[i]);
    free(results);
    return rc;
}
