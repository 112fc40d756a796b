/* base/json_write.c: JSON as a stream, laid out to be read by people too.
 *
 * The writer keeps only how deep it is and whether a comma is due. Levels are indented by two blanks, except inside an
 * array that asked for one line, where everything stays on it. */
#include "base/json.h"

#include "base/text.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

void pl_json_start(struct pl_json_writer *writer, struct pl_sink *sink)
{
    memset(writer, 0, sizeof *writer);
    writer->sink = sink;
    writer->first = true;
}

/* Begins the line of the next item, or of the bracket that closes the level. */
static void new_line(struct pl_json_writer *writer)
{
    pl_sink_printf(writer->sink, "\n%*s", 2 * writer->depth, "");
}

/* What stands between the value before and the one that comes. */
static void separate(struct pl_json_writer *writer)
{
    if (writer->after_key) {
        writer->after_key = false;
        return;
    }
    bool flat = writer->flat[writer->depth];
    if (!writer->first)
        pl_sink_puts(writer->sink, flat ? ", " : ",");
    if (writer->depth > 0 && !flat)
        new_line(writer);
    writer->first = false;
}

/* A level inside a flat one is flat itself: one line stays one line. */
static void open_level(struct pl_json_writer *writer, const char *bracket, bool on_one_line)
{
    separate(writer);
    pl_sink_puts(writer->sink, bracket);
    bool flat = on_one_line || writer->flat[writer->depth];
    writer->depth++;
    assert((size_t)writer->depth < PL_COUNT_OF(writer->flat));
    writer->flat[writer->depth] = flat;
    writer->first = true;
}

void pl_json_object(struct pl_json_writer *writer)
{
    open_level(writer, "{", false);
}

void pl_json_object_on_one_line(struct pl_json_writer *writer)
{
    open_level(writer, "{", true);
}

void pl_json_array(struct pl_json_writer *writer, bool on_one_line)
{
    open_level(writer, "[", on_one_line);
}

void pl_json_close(struct pl_json_writer *writer, char bracket)
{
    assert(writer->depth > 0 && !writer->after_key && (bracket == '}' || bracket == ']'));
    /* An empty level keeps its brackets together. */
    bool flat = writer->flat[writer->depth];
    writer->depth--;
    if (!writer->first && !flat)
        new_line(writer);
    writer->first = false;
    pl_sink_write(writer->sink, &bracket, 1);
    if (writer->depth == 0)
        pl_sink_puts(writer->sink, "\n"); /* a text file ends with a newline */
}

/* A string in quotes. Runs of plain characters go out at once. */
static void write_quoted(struct pl_json_writer *writer, const char *text)
{
    size_t length = strlen(text), plain = 0, i = 0;
    pl_sink_puts(writer->sink, "\"");
    while (i < length) {
        unsigned char c = (unsigned char)text[i];
        size_t sequence = pl_utf8_sequence(text + i, length - i);
        if (sequence && c >= 0x20 && c != '"' && c != '\\' && c != 0x7F) {
            i += sequence;
            continue;
        }
        pl_sink_write(writer->sink, text + plain, i - plain);
        if (sequence == 0)
            pl_sink_puts(writer->sink, "\xEF\xBF\xBD"); /* U+FFFD */
        else if (c == '"' || c == '\\')
            pl_sink_printf(writer->sink, "\\%c", c);
        else if (c == '\n' || c == '\t')
            pl_sink_puts(writer->sink, c == '\n' ? "\\n" : "\\t");
        else
            pl_sink_printf(writer->sink, "\\u%04x", c);
        plain = ++i;
    }
    pl_sink_write(writer->sink, text + plain, length - plain);
    pl_sink_puts(writer->sink, "\"");
}

void pl_json_key(struct pl_json_writer *writer, const char *key)
{
    separate(writer);
    write_quoted(writer, key);
    pl_sink_puts(writer->sink, ": ");
    writer->after_key = true;
}

void pl_json_text(struct pl_json_writer *writer, const char *text)
{
    separate(writer);
    write_quoted(writer, text);
}

/* JSON has no word for what is not finite; null is what every reader understands as missing. */
void pl_json_real(struct pl_json_writer *writer, double value)
{
    char digits[32];
    separate(writer);
    pl_sink_puts(writer->sink, isfinite(value) ? pl_format_double(digits, sizeof digits, value) : "null");
}

/* Digits, however many: a reader that keeps doubles rounds them, one that cares (json_read.c) does not. */
void pl_json_u64(struct pl_json_writer *writer, uint64_t value)
{
    separate(writer);
    pl_sink_u64(writer->sink, value);
}

void pl_json_i64(struct pl_json_writer *writer, int64_t value)
{
    separate(writer);
    pl_sink_printf(writer->sink, "%" PRId64, value);
}

void pl_json_bool(struct pl_json_writer *writer, bool value)
{
    separate(writer);
    pl_sink_puts(writer->sink, value ? "true" : "false");
}

void pl_json_null(struct pl_json_writer *writer)
{
    separate(writer);
    pl_sink_puts(writer->sink, "null");
}
