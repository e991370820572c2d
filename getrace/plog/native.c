/* The compiled scanner: records of a block to columns, line after line, without the interpreter's lock.

It knows nothing about GE. What a span of text means it looks up in tables that Python fills from the record layer, and
rows of the grammar come as programs (scan_plan.py). A span that no table knows is handed back with its line; a line that
is not of the plain form is handed back for the table. So this file can be fast or slow, but not of another opinion.

Written against the stable ABI of Python 3.11: one build serves all later versions. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define LAYOUT 3 /* changed with every array or number that Python and this file share */

typedef const uint8_t *text;

/* In the order of native.py's ARRAYS. */
enum {
    BLOCK, GIVEN, SETTINGS, STATE,
    HEAD_KEYS, HEAD_ANSWERS, SECOND_KEYS, SECOND_ANSWERS, HEADER_KEYS, HEADER_ANSWERS, KERNEL_KEYS, KERNEL_ANSWERS,
    MEMO_KEYS, MEMO_ANSWERS, OUTER_KEYS, OUTER_ANSWERS,
    OPS, LITERALS, STEP_COLUMNS, RULES, KINDS, LAST, TEXTS, SIZES, SLOT_KEYS, SLOT_FIRST,
    TIME, LEVEL, MODULE, PID, TID, KIND, KERNEL, RULE, OFFSET, LINE, FLAGS,
    EVENT_ROWS, EVENT_VALUES, EVENT_COUNTS, LEFT, AGAIN, MISSES,
    ARRAYS
};
enum { HEADS, SECONDS, HEADERS, KERNELS, MEMO, OUTERS, TABLES };
/* In the order of native.py's SETTINGS. */
enum { SALT, CAPACITY, STEPS, EVENTS, GE_ID, RUNTIME_ID, LOG_LINE, KERNEL_END, KERNEL_END_RULE, VISIBLE_LIMIT, CUT_FLAG, SETTING_COUNT };
/* In the order of native.py's STATE. */
enum { ROWS, LEFT_COUNT, AGAIN_COUNT, MISS_COUNT, LINES, DONE, STATE_COUNT };
/* In the order of scan_rows.py. */
enum { STOP, ASK, LITERAL, DECIMAL, SIGNED, HEXADECIMAL, TAGGED, POINTER, STREAMED, WORD, NO_BRACKET, NO_COMMA, COUNT, REST, SOME,
       ADDRESSES, ADDRESSES_OR_NONE, SIZES_LIST };
enum { LISTED = 4, NO_ROW = -1 }; /* numbers of a line on a list; what a line has that kept no row */
enum { NO_SCOPE = -1, TRACE_SCOPE = 0, MARK_SCOPE = 2, GE_SCOPE = 4, RUNTIME_SCOPE = 6 };
enum { MOST_VALUES = 16, LITERAL_SIZE = 32, GROUPS = 4, STAMP = 28, SECOND_SIZE = 19, OUTER_SIZE = 63, DECIMAL_LIMIT = 18, HEX_LIMIT = 15 };

#define NONE64 INT64_MIN
#define NONE32 INT32_MIN
#define MIX0 0x9E3779B97F4A7C15u
#define MIX1 0xD1B54A32D192ED03u
#define MIX2 0x8CB92BA72F3D8DD7u

typedef struct {
    const uint64_t *keys;
    const int64_t *answers;
    uint64_t mask;
    int64_t width;
} table;

typedef struct {
    Py_buffer views[ARRAYS];
    void *at[ARRAYS];
    table tables[TABLES];
    const int64_t *settings;
    int64_t *state;
    uint64_t slot_mask;
    int slot_shift;
    text second;       /* of the line before, and what it means */
    int64_t second_ns;
} scanner;

typedef struct {
    int count, asked;
    int8_t columns[MOST_VALUES];
    int64_t values[MOST_VALUES];
} claim;

typedef struct { text start, end; int64_t line; } span;

static inline uint64_t eight(text at) {
    uint64_t word;
    memcpy(&word, at, 8);
    return word;
}

static inline uint64_t four(text at) {
    uint32_t word;
    memcpy(&word, at, 4);
    return word;
}

/* Gives up to eight bytes as a number that differs for different bytes of the same size; reads nothing behind them. */
static inline uint64_t few(text at, size_t size) {
    if (size >= 8) return eight(at);
    if (size >= 4) return four(at) | four(at + size - 4) << 32;
    return size ? at[0] | (uint64_t)at[size / 2] << 8 | (uint64_t)at[size - 1] << 16 : 0;
}

/* Says whether two texts of a size are the same; their ends are read twice rather than byte by byte. */
static inline int equal(text at, text other, size_t size) {
    if (size < 8) return few(at, size) == few(other, size);
    uint64_t differs = eight(at + size - 8) ^ eight(other + size - 8);
    for (size_t skip = 0; skip + 8 < size; skip += 8) differs |= eight(at + skip) ^ eight(other + skip);
    return differs == 0;
}

static inline int same(text at, text end, const char *what, size_t size) {
    return (size_t)(end - at) >= size && equal(at, (text)what, size);
}

/* Finds a byte; most stand near, where a call of the library would take longer than the search. */
static inline text find(text at, text end, int byte) {
    if (at >= end) return NULL;
#ifdef __SSE2__
    const __m128i wanted = _mm_set1_epi8((char)byte);
    for (int step = 0; step < 2 && end - at >= 16; step++, at += 16) {
        int found = _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)at), wanted));
        if (found) return at + __builtin_ctz((unsigned)found);
    }
    if (at >= end) return NULL;
#endif
    return memchr(at, byte, end - at);
}

static inline int is_digit(uint8_t byte) { return (uint8_t)(byte - '0') < 10; }

static inline uint64_t turned(uint64_t word, int by) { return word << by | word >> (64 - by); }

/* Two halves go side by side, as each step of one waits for the step before. */
static uint64_t hash(const scanner *self, text at, size_t size, int64_t tag) {
    uint64_t one = (uint64_t)self->settings[SALT] ^ (size * MIX0), two = one ^ ((uint64_t)tag * MIX1);
    size_t left = size;
    for (; left > 16; at += 16, left -= 16) {
        one = turned((one ^ eight(at)) * MIX2, 31);
        two = turned((two ^ eight(at + 8)) * MIX0, 29);
    }
    one = (one ^ few(at, left)) * MIX2;
    if (left > 8) two ^= eight(at + left - 8);
    two *= MIX0;
    one ^= one >> 32;
    two ^= two >> 29;
    uint64_t result = (one ^ turned(two, 23)) * MIX1;
    result ^= result >> 32;
    return result ? result : 1;
}

/* Gives what a table knows of a text by its hash; NULL puts it on the list of misses. */
static const int64_t *answer_of(scanner *self, int which, uint64_t key, text at, text end, int64_t tag) {
    const table *known_texts = &self->tables[which];
    for (uint64_t slot = key & known_texts->mask; known_texts->keys[slot]; slot = (slot + 1) & known_texts->mask)
        if (known_texts->keys[slot] == key) return known_texts->answers + slot * known_texts->width;
    int64_t *miss = (int64_t *)self->at[MISSES] + 5 * self->state[MISS_COUNT]++;
    miss[0] = which;
    miss[1] = (int64_t)key;
    miss[2] = at - (text)self->at[BLOCK];
    miss[3] = end - at;
    miss[4] = tag;
    return NULL;
}

static inline const int64_t *known(scanner *self, int which, text at, text end, int64_t tag) {
    return answer_of(self, which, hash(self, at, end - at, tag), at, end, tag);
}

/* Finds the end of the header: groups in brackets, then a tid up to the colon behind its function. */
static text border(text at, text end) {
    text start = at;
    for (int group = 0; group < GROUPS; group++) {
        int blank = at > start && end - at > 1 && at[0] == ' ' && at[1] == '[';
        if (at >= end || !(at[0] == '[' || blank)) break;
        text closing = find(at + 1, end, ']');
        if (!closing) return NULL;
        at = closing + 1;
    }
    text tid = at + (at < end && at[0] == ' ');
    if (at == start || tid >= end || !is_digit(tid[0])) return at;
    text colon = find(at, end, ':');
    if (!colon) return NULL;
    return colon + 1 + (colon + 1 < end && colon[1] == ' ');
}

/* Says whether the record layer could have found more header behind a border. */
static int reads_on(text at, text end) {
    if (at >= end) return 0;
    switch (at[0]) {
    case ':': return 1;
    case 'E': return same(at, end, "ErrorNo", 7);
    case ' ': return same(at, end, " >>> (", 6);
    case '[':
        return same(at, end, "[INI", 4) || same(at, end, "[COM", 4) || same(at, end, "[LOA", 4) || same(at, end, "[EXE", 4)
            || same(at, end, "[FIN", 4);
    default: return 0;
    }
}

static inline text decimal(text at, text end, int64_t *value, int *doubt) {
    text start = at;
    uint64_t sum = 0;
    while (at < end && is_digit(*at)) sum = sum * 10 + (*at++ - '0');
    if (at - start > DECIMAL_LIMIT) { *doubt = 1; return NULL; }
    if (at == start || (start[0] == '0' && at - start > 1)) return NULL;
    *value = (int64_t)sum;
    return at;
}

static inline text hexadecimal(text at, text end, int64_t *value, int *doubt) {
    text start = at;
    uint64_t sum = 0;
    for (; at < end; at++) {
        uint8_t digit = is_digit(*at) ? *at - '0' : (uint8_t)(*at - 'a') < 6 ? *at - 'a' + 10 : 255;
        if (digit == 255) break;
        sum = sum << 4 | digit;
    }
    if (at - start > HEX_LIMIT) { *doubt = 1; return NULL; }
    if (at == start || (start[0] == '0' && at - start > 1)) return NULL;
    *value = (int64_t)sum;
    return at;
}

static inline text tagged(text at, text end, int64_t *value, int *doubt) {
    return same(at, end, "0x", 2) ? hexadecimal(at + 2, end, value, doubt) : NULL;
}

static text pointer(text at, text end, const char *null, size_t size, int64_t *value, int *doubt) {
    text behind = tagged(at, end, value, doubt);
    if (behind && *value) return behind;
    *value = 0;
    return same(at, end, null, size) ? at + size : NULL;
}

static text list(text at, text end, int addresses, int least, int *doubt) {
    int64_t value;
    for (int count = 0;; count++) {
        text behind = addresses ? pointer(at, end, "0", 1, &value, doubt) : decimal(at, end, &value, doubt);
        if (!behind || behind >= end || *behind != ' ') return count >= least && !*doubt ? at : NULL;
        at = behind + 1;
    }
}

static text run(text at, text end, int op) {
    text start = at;
    for (; at < end; at++) {
        uint8_t byte = *at;
        if (op == WORD && !(is_digit(byte) || (uint8_t)((byte | 32) - 'a') < 26 || byte == '_')) break;
        if (op == NO_BRACKET && (byte == '[' || byte == ']')) break;
        if (op == NO_COMMA && byte == ',') break;
    }
    return at > start ? at : NULL;
}

static text count(text at, text end) {
    text start = at;
    while (at < end && at - start < 11 && is_digit(*at)) at++;
    return at > start && at - start < 11 ? at : NULL;
}

/* Reads one field; NULL when it is not there. */
static text field(int op, text at, text end, int64_t *value, int *doubt) {
    text behind;
    switch (op) {
    case DECIMAL: return decimal(at, end, value, doubt);
    case SIGNED:
        if (at >= end || *at != '-') return decimal(at, end, value, doubt);
        behind = decimal(at + 1, end, value, doubt);
        *value = -*value;
        return behind && *value ? behind : NULL;
    case HEXADECIMAL: return hexadecimal(at, end, value, doubt);
    case TAGGED: return tagged(at, end, value, doubt);
    case POINTER: return pointer(at, end, "(nil)", 5, value, doubt);
    case STREAMED: return pointer(at, end, "0", 1, value, doubt);
    case COUNT: return count(at, end);
    case REST: return end;
    case SOME: return at < end ? end : NULL;
    case ADDRESSES: return list(at, end, 1, 1, doubt);
    case ADDRESSES_OR_NONE: return list(at, end, 1, 0, doubt);
    case SIZES_LIST: return list(at, end, 0, 1, doubt);
    default: return run(at, end, op);
    }
}

/* Follows a program; says whether the message fits. */
static int follow(const scanner *self, int64_t program, text at, text end, claim *found) {
    int64_t steps = self->settings[STEPS];
    const int8_t *ops = (const int8_t *)self->at[OPS] + program * steps;
    const int16_t *literals = (const int16_t *)self->at[LITERALS] + program * steps;
    const int8_t *columns = (const int8_t *)self->at[STEP_COLUMNS] + program * steps;
    found->count = 0;
    for (int64_t step = 0;; step++) {
        if (ops[step] == STOP) return at == end;
        if (ops[step] == ASK) { found->asked = 1; return 0; }
        if (ops[step] == LITERAL) {
            int64_t size = ((const int64_t *)self->at[SIZES])[literals[step]];
            if (!same(at, end, (const char *)self->at[TEXTS] + LITERAL_SIZE * literals[step], size)) return 0;
            at += size;
        } else {
            int64_t value = 0;
            at = field(ops[step], at, end, &value, &found->asked);
            if (!at) return 0;
            if (columns[step] >= 0 && found->count < MOST_VALUES) {
                found->columns[found->count] = columns[step];
                found->values[found->count++] = value;
            }
        }
    }
}

/* Finds the program that fits a message; -1 when there is none. */
static int64_t programs(const scanner *self, text at, text end, int which, claim *found) {
    static const int sizes[] = {16, 8, 4}; /* HEADS of scan_plan.py */
    const uint64_t *keys = self->at[SLOT_KEYS];
    const int16_t *first = self->at[SLOT_FIRST], *last = self->at[LAST];
    for (int class = 0; class < 3; class++) {
        int size = sizes[class];
        if (end - at < size) continue;
        uint64_t key = (size < 8 ? four(at) : eight(at)) * MIX0;
        if (size > 8) key ^= eight(at + 8) * MIX1;
        key ^= (uint64_t)(which + size) * MIX2;
        key ^= key >> 32;
        key *= MIX0;
        uint64_t slot = key >> self->slot_shift;
        while (keys[slot] && keys[slot] != key) slot = (slot + 1) & self->slot_mask;
        if (!keys[slot]) continue;
        for (int64_t program = first[slot]; program <= last[first[slot]]; program++)
            if (follow(self, program, at, end, found)) return program;
    }
    return -1;
}

#define PUT(array, type, value) (((type *)self->at[array])[row] = (type)(value))

static void put_event(scanner *self, int64_t row, int column, int64_t value) {
    int64_t capacity = self->settings[CAPACITY], at = ((int64_t *)self->at[EVENT_COUNTS])[column]++;
    ((uint32_t *)self->at[EVENT_ROWS])[column * capacity + at] = (uint32_t)row;
    ((int64_t *)self->at[EVENT_VALUES])[column * capacity + at] = value;
}

/* Claims a message and puts down what it says; 0 when the table has to be asked first. */
static int message(scanner *self, int64_t row, text at, text end, int which) {
    claim found = {0};
    int64_t program = which == NO_SCOPE ? -1 : programs(self, at, end, which, &found);
    if (program >= 0) {
        PUT(RULE, uint16_t, ((const int64_t *)self->at[RULES])[program]);
        PUT(KIND, uint16_t, ((const int64_t *)self->at[KINDS])[program]);
        for (int value = 0; value < found.count; value++) put_event(self, row, found.columns[value], found.values[value]);
        return 1;
    }
    if (which == TRACE_SCOPE && at == end) {
        PUT(RULE, uint16_t, self->settings[KERNEL_END_RULE]);
        PUT(KIND, uint16_t, self->settings[KERNEL_END]);
        return 1;
    }
    if (which == NO_SCOPE || (which >= GE_SCOPE && !found.asked)) {
        PUT(RULE, uint16_t, 0);
        PUT(KIND, uint16_t, self->settings[LOG_LINE]);
        return 1;
    }
    const int64_t *answer = known(self, MEMO, at, end, which);
    if (!answer) return 0;
    PUT(KIND, uint16_t, answer[0]);
    PUT(RULE, uint16_t, answer[1]);
    for (int column = 0; column < self->settings[EVENTS]; column++)
        if (answer[2 + column] != NONE64) put_event(self, row, column, answer[2 + column]);
    return 1;
}

static inline int64_t three(text at) { return (at[0] - '0') * 100 + (at[1] - '0') * 10 + (at[2] - '0'); }

/* Says whether .130.001 and a blank stand behind the second. */
static inline int is_fraction(text at) {
    return at[0] == '.' && is_digit(at[1]) && is_digit(at[2]) && is_digit(at[3]) && at[4] == '.' && is_digit(at[5])
        && is_digit(at[6]) && is_digit(at[7]) && at[8] == ' ';
}

enum { READ, FOR_TABLE, MISSED };

/* Splits the NAME off a trace message: moves ``at`` and ``which``. */
static int name_of(scanner *self, int64_t row, text *at, text end, int *which) {
    static const char tag[] = "[KernelTrace]";
    PUT(KERNEL, int32_t, NONE32);
    if (!same(*at, end, tag, sizeof tag - 1)) return READ;
    *at += sizeof tag - 1;
    *which = MARK_SCOPE;
    if (*at >= end || **at != '[') return READ;
    text closing = find(*at + 1, end, ']');
    if (!closing) return FOR_TABLE;
    const int64_t *kernel = known(self, KERNELS, *at + 1, closing, 0);
    if (!kernel) return MISSED;
    if (kernel[0] < 0) return FOR_TABLE;
    PUT(KERNEL, int32_t, kernel[0]);
    *at = closing + 1;
    *which = TRACE_SCOPE;
    return READ;
}

static int second_of(scanner *self, text time, int64_t *second) {
    if (!self->second || !equal(self->second, time, SECOND_SIZE)) {
        const int64_t *answer = known(self, SECONDS, time, time + SECOND_SIZE, 0);
        if (!answer) return MISSED;
        if (answer[0] == NONE64) return FOR_TABLE;
        self->second = time;
        self->second_ns = answer[0] * 1000000000;
    }
    *second = self->second_ns;
    return READ;
}

static inline int is_capital(uint8_t byte) { return (uint8_t)(byte - 'A') < 26; }

/* Moves ``at`` behind what other programs put in front of a record; texts that differ in digits only are alike. */
static int without_outer(scanner *self, text *at, text end) {
    uint8_t alike[OUTER_SIZE];
    text start = *at, head = start;
    if (end - start > 1 && start[0] == '[' && is_capital(start[1])) return READ;
    do {
        head = find(head + 1, end, '[');
        if (!head || head - start > OUTER_SIZE - 1 || end - head < 2) return READ;
    } while (!is_capital(head[1]));
    for (text from = start; from < head; from++) alike[from - start] = is_digit(*from) ? '0' : *from;
    const int64_t *answer = answer_of(self, OUTERS, hash(self, alike, head - start, 0), start, head, 0);
    if (!answer) return MISSED;
    if (answer[0] > 0) *at = head;
    return READ;
}

/* Says whether a second record may begin in a text: a bracket, a colon and a date stand there. */
static int holds_another(text at, text end) {
    while ((at = find(at, end, ')')) != NULL) {
        if (end - at > 10 && at[1] == ':' && at[6] == '-' && at[9] == '-') return 1;
        at++;
    }
    return 0;
}

/* Reads one line into a row. */
static int line(scanner *self, span of, int64_t row) {
    text start = of.start;
    int state = without_outer(self, &start, of.end);
    if (state != READ) return state;
    if (of.end - start < 8 + STAMP || start[0] != '[') return FOR_TABLE;
    text closing = find(start + 8, of.end, ')');
    if (!closing || of.end - closing < 2 + STAMP || closing[1] != ':') return FOR_TABLE;
    text time = closing + 2, body = time + STAMP;
    if (!is_fraction(time + SECOND_SIZE) || holds_another(body, of.end)) return FOR_TABLE;
    const int64_t *head = known(self, HEADS, start, closing, 0);
    if (!head) return MISSED;
    int64_t second = 0;
    state = head[0] < 0 ? FOR_TABLE : second_of(self, time, &second);
    if (state != READ) return state;
    text behind = border(body, of.end);
    if (!behind || reads_on(behind, of.end)) return FOR_TABLE;
    const int64_t *header = known(self, HEADERS, body, behind, head[1]);
    if (!header) return MISSED;
    if (header[0] < 0) return FOR_TABLE;
    text at = body + header[0];
    int which = head[1] == self->settings[GE_ID] ? GE_SCOPE : head[1] == self->settings[RUNTIME_ID] ? RUNTIME_SCOPE : NO_SCOPE;
    if (which != NO_SCOPE) which += (int)header[2];
    state = name_of(self, row, &at, of.end, &which);
    if (state != READ) return state;
    if (!message(self, row, at, of.end, which)) return MISSED;
    PUT(TIME, int64_t, second + (three(time + 20) * 1000 + three(time + 24)) * 1000);
    PUT(LEVEL, uint8_t, head[0]);
    PUT(MODULE, int32_t, head[1]);
    PUT(PID, int64_t, head[2]);
    PUT(TID, int64_t, header[1]);
    PUT(OFFSET, int64_t, of.start - (text)self->at[BLOCK]);
    PUT(LINE, uint32_t, of.line);
    PUT(FLAGS, uint8_t, of.end - of.start == self->settings[VISIBLE_LIMIT] ? self->settings[CUT_FLAG] : 0);
    return READ;
}

static void put_line(scanner *self, int array, int counter, span of, int64_t row) {
    int64_t *put = (int64_t *)self->at[array] + LISTED * self->state[counter]++;
    put[0] = of.line;
    put[1] = of.start - (text)self->at[BLOCK];
    put[2] = of.end - (text)self->at[BLOCK];
    put[3] = row;
}

/* Reads a line into a row; one that has to wait for an answer keeps its row. Says whether the row is taken. */
static int take(scanner *self, span of, int64_t row, int kept) {
    int state = line(self, of, row);
    if (state == FOR_TABLE) put_line(self, LEFT, LEFT_COUNT, of, kept ? row : NO_ROW);
    if (state == MISSED) put_line(self, AGAIN, AGAIN_COUNT, of, row);
    return state != FOR_TABLE;
}

/* Reads the lines of a block from DONE on, as many as there is room for; or the lines that are given. */
static void scan_lines(scanner *self) {
    text block = self->at[BLOCK], stop = block + self->views[BLOCK].len;
    const int64_t *given = self->at[GIVEN];
    int64_t count = self->views[GIVEN].len / (LISTED * (Py_ssize_t)sizeof(int64_t));
    for (; count > 0 && given < (const int64_t *)self->at[GIVEN] + LISTED * count; given += LISTED) {
        span of = {block + given[1], block + given[2], given[0]};
        take(self, of, given[3], 1);
    }
    if (count) return;
    text at = block + self->state[DONE];
    for (int64_t room = self->settings[CAPACITY]; at < stop && room > 0; room--) {
        text newline = memchr(at, '\n', stop - at);
        text end = newline ? newline : stop;
        span of = {at, end > at && end[-1] == '\r' ? end - 1 : end, self->state[LINES]++};
        self->state[ROWS] += take(self, of, self->state[ROWS], 0);
        at = newline ? newline + 1 : stop;
    }
    self->state[DONE] = at - block;
}

static void prepare(scanner *self) {
    static const int widths[] = {3, 1, 3, 1, 0, 1};
    self->settings = self->at[SETTINGS];
    self->state = self->at[STATE];
    for (int number = 0; number < TABLES; number++) {
        self->tables[number].keys = self->at[HEAD_KEYS + 2 * number];
        self->tables[number].answers = self->at[HEAD_ANSWERS + 2 * number];
        self->tables[number].mask = self->views[HEAD_KEYS + 2 * number].len / 8 - 1;
        self->tables[number].width = widths[number] ? widths[number] : 2 + self->settings[EVENTS];
    }
    self->slot_mask = self->views[SLOT_KEYS].len / 8 - 1;
    self->slot_shift = 64;
    for (uint64_t mask = self->slot_mask; mask; mask >>= 1) self->slot_shift--;
    self->second = NULL;
}

static int is_written(int array) { return array == STATE || array >= TIME; }

static PyObject *scan(PyObject *module, PyObject *arrays) {
    (void)module;
    scanner self;
    int taken = 0;
    if (!PyTuple_Check(arrays) || PyTuple_Size(arrays) != ARRAYS) {
        PyErr_Format(PyExc_TypeError, "scan takes a tuple of %d arrays", ARRAYS);
        return NULL;
    }
    for (; taken < ARRAYS; taken++) {
        if (PyObject_GetBuffer(PyTuple_GetItem(arrays, taken), &self.views[taken], is_written(taken) ? PyBUF_WRITABLE : PyBUF_SIMPLE) < 0) break;
        self.at[taken] = self.views[taken].buf;
    }
    if (taken == ARRAYS) {
        prepare(&self);
        Py_BEGIN_ALLOW_THREADS
        scan_lines(&self);
        Py_END_ALLOW_THREADS
    }
    for (int number = 0; number < taken; number++) PyBuffer_Release(&self.views[number]);
    if (taken < ARRAYS) return NULL;
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"scan", scan, METH_O, "Read the lines of a block into arrays; see getrace.plog.scan_native for their order."},
    {NULL, NULL, 0, NULL},
};

static int execute(PyObject *module) { return PyModule_AddIntConstant(module, "LAYOUT", LAYOUT); }

static PyModuleDef_Slot slots[] = {{Py_mod_exec, execute}, {0, NULL}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_native", "The compiled scanner; see getrace.plog.scan_native.", 0, methods, slots, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__native(void) { return PyModuleDef_Init(&definition); }
