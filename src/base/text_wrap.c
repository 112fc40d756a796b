/* base/text_wrap.c: paragraphs for a terminal. */
#include "base/text.h"

#include <string.h>

struct wrap {
    struct pl_text *out;
    size_t column, indent, width;
    bool at_start; /* of a line: no blank before the next word */
};

/* `count` blanks. */
static void add_blanks(struct pl_text *out, size_t count)
{
    for (; count > 0; count--)
        pl_text_add_bytes(out, " ", 1);
}

/* Like pl_text_columns, for a part of a text. */
static size_t columns_of(const char *bytes, size_t length)
{
    size_t columns = 0;
    for (size_t i = 0; i < length; i++)
        columns += ((unsigned char)bytes[i] & 0xC0) != 0x80;
    return columns;
}

/* Begins the next line at the indent. */
static void break_line(struct wrap *wrap, bool leave_one_empty)
{
    pl_text_add(wrap->out, leave_one_empty ? "\n\n" : "\n");
    add_blanks(wrap->out, wrap->indent);
    wrap->column = wrap->indent;
    wrap->at_start = true;
}

/* A word that is longer than a line gets one of its own and sticks out: cutting it would spoil names and commands. */
static void add_word(struct wrap *wrap, const char *word, size_t length)
{
    size_t columns = columns_of(word, length);
    if (!wrap->at_start && wrap->column + 1 + columns > wrap->width)
        break_line(wrap, false);
    if (!wrap->at_start)
        pl_text_add(wrap->out, " ");
    pl_text_add_bytes(wrap->out, word, length);
    wrap->column += columns + !wrap->at_start;
    wrap->at_start = false;
}

/* The words of one line of the source; runs of blanks count as one. */
static void add_words(struct wrap *wrap, const char *line, size_t length)
{
    const char *end = line + length;
    while (line < end) {
        const char *blank = memchr(line, ' ', (size_t)(end - line));
        size_t word = (size_t)((blank ? blank : end) - line);
        if (word)
            add_word(wrap, line, word);
        line += word + (blank != NULL);
    }
}

void pl_text_wrap(struct pl_text *out, const char *words, size_t column, size_t indent, size_t width)
{
    struct wrap wrap = {out, column, indent, width, true};
    /* The source is gone through line by line: its line ends matter only around empty and indented lines. */
    bool is_first = true, after_empty = false, after_verbatim = false;
    while (*words) {
        size_t length = strcspn(words, "\n");
        bool is_empty = strspn(words, " ") >= length;
        bool is_verbatim = !is_empty && *words == ' ';
        if (!is_empty) {
            if (!is_first && (after_empty || after_verbatim || is_verbatim))
                break_line(&wrap, after_empty);
            if (is_verbatim)
                pl_text_add_bytes(out, words, length);
            else
                add_words(&wrap, words, length);
            is_first = false;
        }
        after_empty = is_empty;
        after_verbatim = is_verbatim;
        words += length + (words[length] == '\n');
    }
}
