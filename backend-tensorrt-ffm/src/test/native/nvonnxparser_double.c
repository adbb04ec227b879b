/*
 * A double of libnvonnxparser. Its models are any files that contain, between the lines
 * "double-network" and "end", such as in the documentation of an ONNX model:
 *
 *   input X FP32 [-1,16]              lines of a plan, see nvinfer_plan.h: what is defined in the
 *   output Y FP32 [-1,16] identity X    network
 *   needs weights.bin                 a file that must be in the directory of the model
 *   error 8 3 conv1 Conv no kernel    code, node, name, operator and text of an error: parsing fails
 *   crash                             parsing fails without an error
 *
 * A name or operator "-" is null. The parser owns the weights: the double of libnvinfer refuses to
 * build a network whose parser is deleted.
 */
#define _GNU_SOURCE
#include "cudart_double.h"
#include "nvonnxparser.h"

#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of the double of libnvinfer, which this library is linked with. */
int32_t getInferLibVersion(void);
bool double_network_define(void *network, const char *lines, size_t size);
void double_network_parser(void *network, int change);

#define VERSION 100
#define SLOTS 32
#define MAX_ERRORS 8
#define BEGIN "double-network\n"
#define END "end\n"

struct error {
    void **table;
    int code, node;
    char name[64], op[64], text[256];
};

struct parser {
    void **table;
    void *network, *logger;
    bool dead;
    int error_count;
    struct error errors[MAX_ERRORS];
};

static long *live;

__attribute__((constructor)) static void make_counter(void) { live = double_counter("IParser"); }

static void die(const char *what) {
    fprintf(stderr, "libnvonnxparser double: %s\n", what);
    abort();
}

static void unused(void) { die("a slot is called that is not used"); }

static struct parser *enter(void *self) {
    struct parser *parser = self;
    if (!parser || parser->dead) die("a deleted parser is used");
    return parser;
}

static int32_t error_code(void *self) { return ((struct error *)self)->code; }
static const char *error_text(void *self) { return ((struct error *)self)->text; }
static int32_t error_node(void *self) { return ((struct error *)self)->node; }
static const char *error_name(void *self) {
    const char *name = ((struct error *)self)->name;
    return strcmp(name, "-") ? name : NULL;
}
static const char *error_operator(void *self) {
    const char *op = ((struct error *)self)->op;
    return strcmp(op, "-") ? op : NULL;
}

static void *error_table[SLOTS];

static void add_error(struct parser *parser, int code, int node, const char *name, const char *op,
                      const char *text) {
    if (parser->error_count == MAX_ERRORS) die("too many errors");
    struct error *error = &parser->errors[parser->error_count++];
    error->table = error_table;
    error->code = code;
    error->node = node;
    snprintf(error->name, sizeof error->name, "%s", name);
    snprintf(error->op, sizeof error->op, "%s", op);
    snprintf(error->text, sizeof error->text, "%s", text);
}

static void log_error(struct parser *parser, const char *text) {
    void **table = *(void ***)parser->logger;
    int slot = getInferLibVersion() / 10000 == 10 ? 0 : 4;
    ((void (*)(void *, int32_t, const char *))table[slot])(parser->logger, 1, text);
}

static char *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size + 1);
    if (fread(bytes, 1, *size, file) != *size) die("a file cannot be read");
    fclose(file);
    bytes[*size] = 0;
    return bytes;
}

/* Handles a line that is not of a plan. Returns whether it is one. */
static bool own_line(struct parser *parser, const char *line, const char *path, bool *failed) {
    int code, node;
    char name[64], op[64], text[256];
    if (sscanf(line, "error %d %d %63s %63s %255[^\n]", &code, &node, name, op, text) == 5) {
        add_error(parser, code, node, name, op, text);
        *failed = true;
        return true;
    }
    if (sscanf(line, "needs %255s", text) == 1) {
        char *copy = strdup(path), file[4096];
        snprintf(file, sizeof file, "%s/%s", dirname(copy), text);
        free(copy);
        if (access(file, R_OK)) {
            add_error(parser, 3, -1, "-", "-", "Failed to open file with external weights");
            *failed = true;
        }
        return true;
    }
    if (!strcmp(line, "crash")) {
        log_error(parser, "ModelImporter: Error Code 3: out of luck");
        *failed = true;
        return true;
    }
    return false;
}

static bool parse_from_file(void *self, const char *path, int32_t verbosity) {
    struct parser *parser = enter(self);
    if (verbosity < 0 || verbosity > 4) die("no such verbosity");
    if (DOUBLE_CALL(IParser_parseFromFile)) {
        log_error(parser, "IParser_parseFromFile: Error Code 10: Internal Error (planted fault)");
        return false;
    }
    size_t size;
    char *bytes = read_file(path, &size);
    if (!bytes) {
        log_error(parser, "Failed to parse ONNX model from file");
        return false;
    }
    char *begin = memmem(bytes, size, BEGIN, strlen(BEGIN));
    char *end = begin ? memmem(begin, size - (size_t)(begin - bytes), END, strlen(END)) : NULL;
    if (!end) {
        add_error(parser, 3, -1, "-", "-", "the model has no network of the double");
        free(bytes);
        return false;
    }
    *end = 0;
    bool failed = false;
    char *rest = NULL;
    for (char *line = strtok_r(begin + strlen(BEGIN), "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest))
        if (!own_line(parser, line, path, &failed) &&
            !double_network_define(parser->network, line, strlen(line)))
            die(line);
    free(bytes);
    return !failed;
}

static int32_t get_error_count(void *self) {
    struct parser *parser = enter(self);
    return DOUBLE_CALL(IParser_getNbErrors) ? 0 : parser->error_count;
}

static const void *get_error(void *self, int32_t index) {
    struct parser *parser = enter(self);
    if (index < 0 || index >= parser->error_count) die("no such error");
    return DOUBLE_CALL(IParser_getError) ? NULL : &parser->errors[index];
}

static void delete_parser(void *self) {
    struct parser *parser = enter(self);
    parser->dead = true; /* it stays in memory, so that a later use is found */
    double_network_parser(parser->network, -1);
    double_count(live, -1);
}

static void *tables[2][SLOTS];

__attribute__((constructor)) static void make_tables(void) {
    for (int i = 0; i < SLOTS; i++) {
        tables[0][i] = tables[1][i] = (void *)unused;
        error_table[i] = (void *)unused;
    }
    struct trt10_IParser *ten = (struct trt10_IParser *)tables[0];
    ten->parseFromFile = parse_from_file;
    ten->getNbErrors = get_error_count;
    ten->getError = get_error;
    ten->deletingDestructor = delete_parser;
    struct trt11_IParser *eleven = (struct trt11_IParser *)tables[1];
    eleven->parseFromFile = parse_from_file;
    eleven->getNbErrors = get_error_count;
    eleven->getError = get_error;
    eleven->deletingDestructor = delete_parser;
    struct trt_IParserError *error = (struct trt_IParserError *)error_table;
    error->code = error_code;
    error->desc = error_text;
    error->node = error_node;
    error->nodeName = error_name;
    error->nodeOperator = error_operator;
}

int32_t getNvOnnxParserVersion(void) { return VERSION; }

void *createNvOnnxParser_INTERNAL(void *network, void *logger, int32_t version) {
    if (!network || !logger) die("a parser needs a network and a logger");
    if (version != VERSION) double_violation("a parser of version %d is asked for", version);
    struct parser *parser = calloc(1, sizeof *parser);
    parser->network = network;
    parser->logger = logger;
    if (DOUBLE_CALL(createNvOnnxParser)) {
        log_error(parser, "createNvOnnxParser: Error Code 10: Internal Error (planted fault)");
        free(parser);
        return NULL;
    }
    parser->table = tables[getInferLibVersion() / 10000 == 10 ? 0 : 1];
    double_network_parser(network, 1);
    double_count(live, 1);
    return parser;
}
