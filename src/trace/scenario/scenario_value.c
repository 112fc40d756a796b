/* trace/scenario/scenario_value.c: values of a scenario: numbers with units, parameters, arithmetic.
 *
 * Every number has a kind: a bare number, bytes or a time. Sums take equal kinds; a product one kind besides bare
 * numbers; bytes divided by bytes are a bare number. */
#include "trace/scenario/scenario.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

struct parser {
    const struct scenario *scenario;
    const struct pl_json_node *node; /* for places */
    const char *start, *at;
    uint64_t copy;
    int depth; /* of parentheses and parameters within parameters */
    struct pl_error *err;
};

enum { DEPTH_MAX = 32 };

static enum pl_err sum(struct parser *parser, struct scenario_value *out);

static enum pl_err fail(const struct parser *parser, const char *what)
{
    char shown[128];
    pl_printable(shown, sizeof shown, parser->start, strlen(parser->start));
    return pl_json_fail(parser->node, parser->err, "'%s': %s", shown, what);
}

static void blanks(struct parser *parser)
{
    while (*parser->at == ' ' || *parser->at == '\t')
        parser->at++;
}

/* A number and the letters behind it: "2000MiB", "0.5 s", "12p", "7". */
static enum pl_err literal(struct parser *parser, struct scenario_value *out)
{
    char token[64];
    size_t length = strspn(parser->at, "0123456789.");
    size_t gap = strspn(parser->at + length, " ");
    size_t unit = strspn(parser->at + length + gap, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
    if (!unit)
        gap = 0;
    if (!length || length + unit >= sizeof token)
        return fail(parser, length ? "is no number" : "a number, $parameter, 'copy', 'round' or '(' is missing");
    memcpy(token, parser->at, length);
    memcpy(token + length, parser->at + length + gap, unit);
    token[length + unit] = '\0';
    parser->at += length + gap + unit;
    if (!unit) {
        *out = (struct scenario_value){0, SCENARIO_NUMBER};
        return pl_parse_double(token, &out->number) ? PL_OK : fail(parser, "is no number");
    }
    uint64_t bytes;
    pl_time_ps time;
    if (pl_parse_time(token, &time, NULL) == PL_OK)
        *out = (struct scenario_value){(double)time, SCENARIO_TIME};
    else if (pl_parse_bytes(token, parser->scenario->page_size, &bytes, NULL) == PL_OK)
        *out = (struct scenario_value){(double)bytes, SCENARIO_BYTES};
    else
        return fail(parser, "has no unit of bytes (KiB, MiB, GiB, p for pages) or time (us, ms, s, min)");
    return PL_OK;
}

static const struct scenario_parameter *find_parameter(const struct parser *parser, const char *name, size_t length)
{
    for (size_t i = 0; i < parser->scenario->parameter_count; i++) {
        const struct scenario_parameter *one = &parser->scenario->parameter[i];
        if (strlen(one->name) == length && !memcmp(one->name, name, length))
            return one;
    }
    return NULL;
}

static size_t name_length(const char *at)
{
    size_t length = 0;
    while (isalnum((unsigned char)at[length]) || at[length] == '_')
        length++;
    return length;
}

static enum pl_err unknown_parameter(const struct parser *parser, const char *name, size_t length)
{
    char word[64], hint[160];
    const struct scenario *scenario = parser->scenario;
    pl_printable(word, sizeof word, name, length);
    pl_did_you_mean(hint, sizeof hint, word, scenario->parameter ? &scenario->parameter[0].name : NULL,
                    scenario->parameter_count, sizeof *scenario->parameter);
    return pl_json_fail(parser->node, parser->err, "there is no parameter '%s'%s", word, hint);
}

static enum pl_err parameter(struct parser *parser, struct scenario_value *out)
{
    const char *name = parser->at + 1;
    size_t length = name_length(name);
    const struct scenario_parameter *found = find_parameter(parser, name, length);
    if (!found)
        return unknown_parameter(parser, name, length);
    if (parser->depth >= DEPTH_MAX)
        return fail(parser, "parameters refer to each other in a circle");
    struct parser inner = *parser;
    inner.start = inner.at = found->text;
    inner.node = found->overridden ? parser->node : found->node;
    inner.depth++;
    enum pl_err rc = sum(&inner, out);
    if (rc == PL_OK && *inner.at)
        rc = fail(&inner, "is no value");
    parser->at = name + length;
    return rc;
}

static enum pl_err factor(struct parser *parser, struct scenario_value *out)
{
    blanks(parser);
    if (parser->depth >= DEPTH_MAX)
        return fail(parser, "is nested too deeply");
    if (*parser->at == '$')
        return parameter(parser, out);
    if (*parser->at == '-') {
        parser->at++;
        parser->depth++;
        enum pl_err rc = factor(parser, out);
        parser->depth--;
        out->number = -out->number;
        return rc;
    }
    if (*parser->at == '(') {
        parser->at++;
        parser->depth++;
        enum pl_err rc = sum(parser, out);
        parser->depth--;
        blanks(parser);
        if (rc == PL_OK && *parser->at++ != ')')
            rc = fail(parser, "a ')' is missing");
        return rc;
    }
    if (!strncmp(parser->at, "round", 5) && !name_length(parser->at + 5)) {
        parser->at += 5;
        *out = (struct scenario_value){(double)parser->scenario->round, SCENARIO_NUMBER};
        return PL_OK;
    }
    if (!strncmp(parser->at, "copy", 4) && !name_length(parser->at + 4)) {
        parser->at += 4;
        *out = (struct scenario_value){(double)parser->copy, SCENARIO_NUMBER};
        return PL_OK;
    }
    return literal(parser, out);
}

static enum pl_err product(struct parser *parser, struct scenario_value *out)
{
    enum pl_err rc = factor(parser, out);
    while (rc == PL_OK) {
        struct scenario_value right;
        blanks(parser);
        char op = *parser->at;
        if (op != '*' && op != '/')
            return PL_OK;
        parser->at++;
        rc = factor(parser, &right);
        if (rc)
            return rc;
        if (op == '*') {
            if (out->unit && right.unit)
                return fail(parser, "multiplies two quantities with units");
            out->number *= right.number;
            out->unit = out->unit ? out->unit : right.unit;
            continue;
        }
        if (right.number == 0)
            return fail(parser, "divides by zero");
        if (right.unit && right.unit != out->unit)
            return fail(parser, "divides by a quantity of another unit");
        out->number /= right.number;
        out->unit = right.unit ? SCENARIO_NUMBER : out->unit;
    }
    return rc;
}

static enum pl_err sum(struct parser *parser, struct scenario_value *out)
{
    enum pl_err rc = product(parser, out);
    while (rc == PL_OK) {
        struct scenario_value right;
        blanks(parser);
        char op = *parser->at;
        if (op != '+' && op != '-')
            return PL_OK;
        parser->at++;
        rc = product(parser, &right);
        if (rc)
            return rc;
        if (out->unit != right.unit)
            return fail(parser, "adds quantities of different units");
        out->number += op == '+' ? right.number : -right.number;
    }
    return rc;
}

enum pl_err scenario_value(const struct scenario *scenario, const struct pl_json_node *node, uint64_t copy,
                           struct scenario_value *out, struct pl_error *err)
{
    const char *text;
    if (pl_json_is_number(node)) {
        *out = (struct scenario_value){0, SCENARIO_NUMBER};
        return pl_json_as_real(node, &out->number, err);
    }
    enum pl_err rc = pl_json_as_text(node, &text, err);
    if (rc)
        return rc;
    struct parser parser = {scenario, node, text, text, copy, 0, err};
    rc = sum(&parser, out);
    blanks(&parser);
    if (rc == PL_OK && *parser.at)
        rc = fail(&parser, "is no value");
    if (rc == PL_OK && !isfinite(out->number))
        rc = fail(&parser, "is no finite number");
    return rc;
}

static enum pl_err of_unit(const struct scenario *scenario, const struct pl_json_node *node, uint64_t copy,
                           enum scenario_unit unit, const char *needs, double most, double *out, struct pl_error *err)
{
    struct scenario_value value;
    enum pl_err rc = scenario_value(scenario, node, copy, &value, err);
    if (rc)
        return rc;
    if (value.unit != unit && value.number != 0)
        return pl_json_fail(node, err, "%s is wanted here", needs);
    if (value.number < 0 || value.number > most)
        return pl_json_fail(node, err, "%s is wanted here, from 0 to %g", needs, most);
    *out = value.number;
    return PL_OK;
}

enum pl_err scenario_bytes(const struct scenario *scenario, const struct pl_json_node *node, uint64_t copy, uint64_t *out,
                           struct pl_error *err)
{
    double number = 0;
    enum pl_err rc = of_unit(scenario, node, copy, SCENARIO_BYTES, "a size such as \"64MiB\" or \"16p\"", 0x1p52, &number,
                             err);
    if (rc == PL_OK)
        *out = (uint64_t)llround(number);
    return rc;
}

enum pl_err scenario_time(const struct scenario *scenario, const struct pl_json_node *node, uint64_t copy,
                          pl_time_ps *out, struct pl_error *err)
{
    double number = 0;
    enum pl_err rc = of_unit(scenario, node, copy, SCENARIO_TIME, "a time such as \"0.5s\"", 0x1p62, &number, err);
    if (rc == PL_OK)
        *out = llround(number);
    return rc;
}

enum pl_err scenario_count(const struct scenario *scenario, const struct pl_json_node *node, uint64_t copy, uint64_t *out,
                           struct pl_error *err)
{
    double number = 0;
    enum pl_err rc = of_unit(scenario, node, copy, SCENARIO_NUMBER, "a whole number", 0x1p53, &number, err);
    if (rc == PL_OK && number != floor(number))
        rc = pl_json_fail(node, err, "a whole number is wanted here");
    if (rc == PL_OK)
        *out = (uint64_t)number;
    return rc;
}

enum pl_err scenario_share(const struct scenario *scenario, const struct pl_json_node *node, uint64_t copy, double *out,
                           struct pl_error *err)
{
    return of_unit(scenario, node, copy, SCENARIO_NUMBER, "a share", 1, out, err);
}

enum pl_err scenario_words(const struct scenario *scenario, const struct pl_json_node *node, const char **out,
                           struct pl_error *err)
{
    const char *text;
    enum pl_err rc = pl_json_as_text(node, &text, err);
    struct parser parser = {scenario, node, text, text, 0, 0, err};
    if (rc || text[0] != '$')
        *out = rc ? NULL : text;
    else {
        const struct scenario_parameter *found = find_parameter(&parser, text + 1, strlen(text + 1));
        if (!found)
            return unknown_parameter(&parser, text + 1, strlen(text + 1));
        *out = found->text;
    }
    return rc;
}

enum pl_err scenario_choice(const struct scenario *scenario, const struct pl_json_node *node, const char *const *words,
                            int *out, struct pl_error *err)
{
    const char *word;
    char hint[160], list[512] = "";
    size_t count = 0, length = 0;
    enum pl_err rc = scenario_words(scenario, node, &word, err);
    if (rc)
        return rc;
    for (; words[count]; count++) {
        if (!strcmp(words[count], word)) {
            *out = (int)count;
            return PL_OK;
        }
        int more = snprintf(list + length, sizeof list - length, "%s%s", count ? ", " : "", words[count]);
        length += more > 0 && (size_t)more < sizeof list - length ? (size_t)more : 0;
    }
    pl_did_you_mean(hint, sizeof hint, word, words, count, sizeof *words);
    return pl_json_fail(node, err, "'%.60s' is none of %s%s", word, list, hint);
}
