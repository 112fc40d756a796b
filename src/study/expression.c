/* study/expression.c: formulas, compiled by recursive descent into steps for a stack machine.
 *
 * A formula is evaluated for every point of a study, perhaps millions of times, so names are looked up once. The stack
 * has a fixed depth, which the compiler checks; evaluation cannot fail. */
#include "study/expression.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTH_MAX = 4096, DEPTH_MAX = 64, ARGUMENTS_MAX = 16 };

enum step_kind {
    STEP_NUMBER, STEP_SLOT, STEP_OR, STEP_AND, STEP_NOT, STEP_LESS, STEP_LESS_EQUAL, STEP_MORE, STEP_MORE_EQUAL,
    STEP_EQUAL, STEP_UNEQUAL, STEP_ADD, STEP_SUBTRACT, STEP_MULTIPLY, STEP_DIVIDE, STEP_NEGATE, STEP_POWER,
    STEP_MIN, STEP_MAX, STEP_ABS, STEP_SQRT, STEP_EXP, STEP_LOG, STEP_LOG2, STEP_FLOOR, STEP_CEIL,
};

struct step {
    enum step_kind kind;
    union {
        double number; /* of STEP_NUMBER; of STEP_SLOT, what the value is divided by */
        size_t arguments; /* of functions with several */
    };
    size_t slot;
};

struct pl_expression {
    const char *text;
    struct step *step;
    size_t count;
};

struct parser {
    const char *text, *at;
    const struct pl_symbol *symbols;
    size_t symbol_count;
    struct step *step;
    size_t count, capacity;
    int nested;
    size_t depth; /* of the stack when the steps so far have run */
    /* Set when what was just compiled is a quantity with words, or a quoted word that waits for one. */
    const struct pl_symbol *words;
    const char *word;
    size_t word_length;
    struct pl_error *err;
};

static enum pl_err parse_or(struct parser *parser);

/* --- complaints and steps ------------------------------------------------------------------ */

static enum pl_err complain(const struct parser *parser, const char *what)
{
    char seen[80];
    size_t length = (size_t)(parser->at - parser->text);
    if (!length)
        return pl_fail(parser->err, PL_ERR_USAGE, "at the beginning of the formula: %s", what);
    pl_printable(seen, sizeof seen, length > 60 ? parser->at - 60 : parser->text, length > 60 ? 60 : length);
    return pl_fail(parser->err, PL_ERR_USAGE, "after '%s': %s", seen, what);
}

/* Appends a step that takes `takes` values from the stack and puts one back. */
static enum pl_err emit(struct parser *parser, struct step step, size_t takes)
{
    if (parser->count == parser->capacity)
        return complain(parser, "the formula is too long");
    parser->depth = parser->depth - takes + 1;
    if (parser->depth > DEPTH_MAX)
        return complain(parser, "the formula is nested too deeply");
    parser->step[parser->count++] = step;
    return PL_OK;
}

/* --- tokens ------------------------------------------------------------------------------------ */

static void skip_blanks(struct parser *parser)
{
    while (isspace((unsigned char)*parser->at))
        parser->at++;
}

static bool is_name_character(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* Takes an operator, or a word operator that does not go on as a name. */
static bool take(struct parser *parser, const char *token)
{
    size_t length = strlen(token);
    skip_blanks(parser);
    if (strncmp(parser->at, token, length) != 0)
        return false;
    if (isalpha((unsigned char)*token) && is_name_character(parser->at[length]))
        return false;
    parser->at += length;
    return true;
}

/* "8MiB", "2ms", "320 MiB/s" is not allowed with a blank here: a name may follow. */
static enum pl_err parse_unit(const char *text, double *out)
{
    uint64_t bytes;
    pl_time_ps time;
    if (pl_parse_rate(text, out, NULL) == PL_OK)
        return PL_OK;
    if (pl_parse_time(text, &time, NULL) == PL_OK) {
        *out = (double)time / (double)PL_PS_PER_S;
        return PL_OK;
    }
    enum pl_err rc = pl_parse_bytes(text, 0, &bytes, NULL);
    if (rc == PL_OK)
        *out = (double)bytes;
    return rc;
}

static enum pl_err parse_number(struct parser *parser)
{
    char text[64], *end;
    double number = strtod(parser->at, &end);
    size_t length = (size_t)(end - parser->at);
    if (isalpha((unsigned char)*end) || *end == '%') {
        while (
            isalpha((unsigned char)parser->at[length]) ||
            (parser->at[length] == '/' && parser->at[length + 1] == 's' && !is_name_character(parser->at[length + 2])))
            length++;
        if (length >= sizeof text)
            return complain(parser, "a number that is too long");
        memcpy(text, parser->at, length);
        text[length] = '\0';
        if (length == (size_t)(end - parser->at) || parse_unit(text, &number))
            return complain(parser, "a number with a unit that is none (8MiB, 2ms, 320MiB/s)");
    }
    parser->at += length;
    return emit(parser, (struct step){.kind = STEP_NUMBER, .number = number}, 0);
}

/* --- names and functions -------------------------------------------------------------------------- */

static const struct {
    const char *name;
    enum step_kind kind;
    bool several;
} functions[] = {
    {"min", STEP_MIN, true},    {"max", STEP_MAX, true},   {"abs", STEP_ABS, false},     {"sqrt", STEP_SQRT, false},
    {"exp", STEP_EXP, false},   {"log", STEP_LOG, false},  {"log2", STEP_LOG2, false},   {"floor", STEP_FLOOR, false},
    {"ceil", STEP_CEIL, false},
};

static enum pl_err parse_call(struct parser *parser, size_t which)
{
    size_t arguments = 0;
    do {
        enum pl_err rc = parse_or(parser);
        if (rc)
            return rc;
        arguments++;
    } while (take(parser, ","));
    if (!take(parser, ")"))
        return complain(parser, "')' is missing");
    if (functions[which].several ? arguments < 2 || arguments > ARGUMENTS_MAX : arguments != 1)
        return complain(parser, functions[which].several ? "it takes 2 to 16 numbers" : "it takes one number");
    return emit(parser, (struct step){.kind = functions[which].kind, .arguments = arguments}, arguments);
}

static enum pl_err unknown_name(const struct parser *parser, const char *name)
{
    char hint[128], words[256];
    pl_did_you_mean(hint, sizeof hint, name, &parser->symbols->name, parser->symbol_count, sizeof *parser->symbols);
    snprintf(words, sizeof words, "there is no quantity '%.80s' here%s", name, hint);
    return complain(parser, words);
}

static enum pl_err parse_name(struct parser *parser)
{
    char name[128];
    size_t length = 0;
    while (is_name_character(parser->at[length]))
        length++;
    if (length >= sizeof name)
        return complain(parser, "a name that is too long");
    memcpy(name, parser->at, length);
    name[length] = '\0';
    for (size_t i = 0; i < PL_COUNT_OF(functions); i++) {
        const char *behind = parser->at + length;
        while (*behind == ' ')
            behind++;
        if (!strcmp(functions[i].name, name) && *behind == '(') {
            parser->at = behind + 1;
            return parse_call(parser, i);
        }
    }
    for (size_t i = 0; i < parser->symbol_count; i++) {
        const struct pl_symbol *symbol = &parser->symbols[i];
        if (strcmp(symbol->name, name) != 0)
            continue;
        parser->at += length;
        parser->words = symbol->words ? symbol : NULL;
        return emit(parser, (struct step){.kind = STEP_SLOT, .number = symbol->scale, .slot = symbol->slot}, 0);
    }
    return unknown_name(parser, name);
}

/* A quoted word stands for its number; which that is, only the other side of the comparison knows. */
static enum pl_err parse_word(struct parser *parser)
{
    const char quote = *parser->at, *end = strchr(parser->at + 1, quote);
    if (!end)
        return complain(parser, "a quote that does not end");
    parser->word = parser->at + 1;
    parser->word_length = (size_t)(end - parser->word);
    parser->at = end + 1;
    return emit(parser, (struct step){.kind = STEP_NUMBER, .number = NAN}, 0);
}

static enum pl_err parse_primary(struct parser *parser)
{
    skip_blanks(parser);
    if (take(parser, "(")) {
        enum pl_err rc = parse_or(parser);
        if (rc == PL_OK && !take(parser, ")"))
            rc = complain(parser, "')' is missing");
        return rc;
    }
    if (isdigit((unsigned char)*parser->at) || (*parser->at == '.' && isdigit((unsigned char)parser->at[1])))
        return parse_number(parser);
    if (*parser->at == '\'' || *parser->at == '"')
        return parse_word(parser);
    if (isalpha((unsigned char)*parser->at) || *parser->at == '_')
        return parse_name(parser);
    return complain(parser, *parser->at ? "a number or a name is expected" : "something is missing");
}

/* --- operators, from strong to weak ------------------------------------------------------------------ */

static enum pl_err parse_unary(struct parser *parser);

static enum pl_err parse_power(struct parser *parser)
{
    enum pl_err rc = parse_primary(parser);
    if (rc || !take(parser, "^"))
        return rc;
    rc = parse_unary(parser); /* 2^-3^2 is 2^(-(3^2)) */
    return rc ? rc : emit(parser, (struct step){.kind = STEP_POWER}, 2);
}

static enum pl_err parse_unary(struct parser *parser)
{
    bool negative = take(parser, "-");
    if (!negative)
        return parse_power(parser);
    if (++parser->nested > DEPTH_MAX)
        return complain(parser, "the formula is nested too deeply");
    enum pl_err rc = parse_unary(parser);
    parser->nested--;
    return rc ? rc : emit(parser, (struct step){.kind = STEP_NEGATE}, 1);
}

struct operator_row {
    const char *token;
    enum step_kind kind;
};

/* A chain of operators of the same strength, to the left. The rows end with one without a token. */
static enum pl_err parse_chain(struct parser *parser, const struct operator_row *rows,
                               enum pl_err (*operand)(struct parser *parser))
{
    enum pl_err rc = operand(parser);
    for (size_t i = 0; rc == PL_OK && rows[i].token;) {
        if (!take(parser, rows[i].token)) {
            i++;
            continue;
        }
        rc = operand(parser);
        if (rc == PL_OK)
            rc = emit(parser, (struct step){.kind = rows[i].kind}, 2);
        parser->words = NULL;
        i = 0;
    }
    return rc;
}

static enum pl_err parse_product(struct parser *parser)
{
    static const struct operator_row rows[] = {{"*", STEP_MULTIPLY}, {"/", STEP_DIVIDE}, {NULL, STEP_NUMBER}};
    return parse_chain(parser, rows, parse_unary);
}

static enum pl_err parse_sum(struct parser *parser)
{
    static const struct operator_row rows[] = {{"+", STEP_ADD}, {"-", STEP_SUBTRACT}, {NULL, STEP_NUMBER}};
    return parse_chain(parser, rows, parse_product);
}

/* Puts the number of a quoted word where its step waits. */
static enum pl_err settle_word(struct parser *parser, const struct pl_symbol *of, size_t step)
{
    if (!of)
        return complain(parser, "a quoted word can only be compared with a quantity that has words");
    char word[128] = "", hint[128], message[320];
    snprintf(word, sizeof word, "%.*s", (int)(parser->word_length < 120 ? parser->word_length : 120), parser->word);
    parser->word = NULL;
    for (size_t i = 0; i < of->word_count; i++)
        if (!strcmp(of->words[i], word)) {
            parser->step[step].number = (double)i;
            return PL_OK;
        }
    pl_did_you_mean(hint, sizeof hint, word, of->words, of->word_count, sizeof *of->words);
    snprintf(message, sizeof message, "%s is never '%s'%s", of->name, word, hint);
    return complain(parser, message);
}

static const struct operator_row comparisons[] = {
    {"<=", STEP_LESS_EQUAL}, {">=", STEP_MORE_EQUAL}, {"==", STEP_EQUAL}, {"!=", STEP_UNEQUAL},
    {"<", STEP_LESS},        {">", STEP_MORE},        {NULL, STEP_NUMBER},
};

static enum pl_err parse_comparison(struct parser *parser)
{
    parser->words = NULL;
    parser->word = NULL;
    enum pl_err rc = parse_sum(parser);
    const struct pl_symbol *left = parser->words;
    const bool left_is_word = parser->word != NULL;
    const size_t left_step = parser->count - 1;
    const struct operator_row *row = comparisons;
    while (rc == PL_OK && row->token && !take(parser, row->token))
        row++;
    if (rc || !row->token)
        return rc ? rc : left_is_word ? settle_word(parser, NULL, 0) : PL_OK;
    parser->words = NULL;
    if (left_is_word) { /* 'zstd' == codec */
        const char *word = parser->word;
        parser->word = NULL;
        rc = parse_sum(parser);
        parser->word = word;
        if (rc == PL_OK)
            rc = settle_word(parser, parser->words, left_step);
    } else {
        rc = parse_sum(parser);
        if (rc == PL_OK && parser->word)
            rc = settle_word(parser, left, parser->count - 1);
    }
    parser->words = NULL;
    if (rc)
        return rc;
    rc = emit(parser, (struct step){.kind = row->kind}, 2);
    for (row = comparisons; rc == PL_OK && row->token; row++)
        if (take(parser, row->token))
            return complain(parser, "comparisons do not chain; write a < b and b < c");
    return rc;
}

static enum pl_err parse_not(struct parser *parser)
{
    if (!take(parser, "not"))
        return parse_comparison(parser);
    if (++parser->nested > DEPTH_MAX)
        return complain(parser, "the formula is nested too deeply");
    enum pl_err rc = parse_not(parser);
    parser->nested--;
    return rc ? rc : emit(parser, (struct step){.kind = STEP_NOT}, 1);
}

static enum pl_err parse_and(struct parser *parser)
{
    static const struct operator_row rows[] = {{"and", STEP_AND}, {NULL, STEP_NUMBER}};
    return parse_chain(parser, rows, parse_not);
}

static enum pl_err parse_or(struct parser *parser)
{
    static const struct operator_row rows[] = {{"or", STEP_OR}, {NULL, STEP_NUMBER}};
    if (++parser->nested > DEPTH_MAX)
        return complain(parser, "the formula is nested too deeply");
    enum pl_err rc = parse_chain(parser, rows, parse_and);
    parser->nested--;
    return rc;
}

enum pl_err pl_expression_compile(const char *text, const struct pl_symbol *symbols, size_t symbol_count,
                                  struct pl_arena *arena, struct pl_expression **out, struct pl_error *err)
{
    const size_t length = strlen(text);
    if (length > LENGTH_MAX)
        return pl_fail(err, PL_ERR_USAGE, "a formula of %zu characters; at most %d", length, LENGTH_MAX);
    struct pl_expression *expression = pl_arena_alloc(arena, 1, sizeof *expression);
    struct step *step = pl_arena_alloc(arena, length + 1, sizeof *step);
    char *copy = pl_arena_strdup(arena, text);
    if (!expression || !step || !copy)
        return pl_fail_memory(err, length * sizeof *step, "a formula");
    struct parser parser = {.text = copy, .at = copy, .symbols = symbols, .symbol_count = symbol_count, .step = step,
                            .capacity = length + 1, .err = err};
    enum pl_err rc = parse_or(&parser);
    skip_blanks(&parser);
    if (rc == PL_OK && *parser.at)
        rc = complain(&parser, "the formula should end here");
    if (rc)
        return rc;
    *expression = (struct pl_expression){copy, step, parser.count};
    *out = expression;
    return PL_OK;
}

/* --- evaluation ------------------------------------------------------------------------------------------- */

static double compute_two(enum step_kind kind, double a, double b)
{
    switch (kind) {
    case STEP_OR: return (a != 0 && !isnan(a)) || (b != 0 && !isnan(b));
    case STEP_AND: return (a != 0 && !isnan(a)) && (b != 0 && !isnan(b));
    case STEP_LESS: return a < b;
    case STEP_LESS_EQUAL: return a <= b;
    case STEP_MORE: return a > b;
    case STEP_MORE_EQUAL: return a >= b;
    case STEP_EQUAL: return a == b;
    case STEP_UNEQUAL: return a != b;
    case STEP_ADD: return a + b;
    case STEP_SUBTRACT: return a - b;
    case STEP_MULTIPLY: return a * b;
    case STEP_DIVIDE: return a / b;
    case STEP_POWER: return pow(a, b);
    default: return NAN;
    }
}

static double compute_one(enum step_kind kind, double a)
{
    switch (kind) {
    case STEP_NOT: return !(a != 0 && !isnan(a));
    case STEP_NEGATE: return -a;
    case STEP_ABS: return fabs(a);
    case STEP_SQRT: return sqrt(a);
    case STEP_EXP: return exp(a);
    case STEP_LOG: return log(a);
    case STEP_LOG2: return log2(a);
    case STEP_FLOOR: return floor(a);
    case STEP_CEIL: return ceil(a);
    default: return NAN;
    }
}

/* A missing number among the arguments makes the result missing, unlike fmin. */
static double compute_several(enum step_kind kind, const double *argument, size_t count)
{
    double best = argument[0];
    for (size_t i = 1; i < count; i++)
        if (isnan(argument[i]) || (kind == STEP_MIN ? argument[i] < best : argument[i] > best))
            best = argument[i];
    return best;
}

double pl_expression_value(const struct pl_expression *expression, const double *slots)
{
    double stack[DEPTH_MAX + 1];
    size_t top = 0; /* values on the stack */
    for (const struct step *step = expression->step; step < expression->step + expression->count; step++) {
        if (step->kind == STEP_NUMBER) {
            stack[top++] = step->number;
        } else if (step->kind == STEP_SLOT) {
            stack[top++] = slots[step->slot] / step->number;
        } else if (step->kind == STEP_MIN || step->kind == STEP_MAX) {
            top -= step->arguments - 1;
            stack[top - 1] = compute_several(step->kind, stack + top - 1, step->arguments);
        } else if (step->kind == STEP_NOT || step->kind == STEP_NEGATE || step->kind > STEP_MAX) {
            stack[top - 1] = compute_one(step->kind, stack[top - 1]);
        } else {
            top--;
            stack[top - 1] = compute_two(step->kind, stack[top - 1], stack[top]);
        }
    }
    return stack[0];
}

bool pl_expression_holds(const struct pl_expression *expression, const double *slots)
{
    double value = pl_expression_value(expression, slots);
    return value != 0 && !isnan(value);
}

bool pl_expression_uses(const struct pl_expression *expression, size_t slot)
{
    for (size_t i = 0; i < expression->count; i++)
        if (expression->step[i].kind == STEP_SLOT && expression->step[i].slot == slot)
            return true;
    return false;
}

const char *pl_expression_text(const struct pl_expression *expression)
{
    return expression->text;
}
