/*
 * The plans of the libnvinfer double: a text of lines, which tests write.
 *
 *   nereid-plan
 *   version 101501            the TensorRT that built it; another one refuses it
 *   gpu Double GPU         the GPU that it was built for; another one refuses it
 *   name add_sub              optional
 *   weights 4096              bytes of device memory that the engine allocates; optional
 *   memory 1024 2048          bytes of device memory that a context needs, by profile; optional
 *   host_code                 needs setEngineHostCodeAllowed; optional
 *   profiles 2                1 if absent
 *   input X FP32 [-1,16]      name, type and dimensions; then "shape" for a shape tensor
 *   output Y FP32 [-1,16] add X0 X1      the same, and an operation with its operands
 *   range X 0 [1,16] [4,16] [8,16]       least, optimal and greatest dimensions in a profile
 *   values S 0 [1,2] [2,2] [8,2]         the same for the values of a shape tensor
 *   format X 0 5              a value of nvinfer1::TensorFormat in a profile
 *
 * Operations: "identity X"; "scale X a b" is a * X + b; "add X Y"; "sub X Y"; "reshape X S" has the
 * values of the shape tensor S as dimensions; "shape X" is a shape tensor on the host; "nonzero X"
 * has the indices of elements other than zero, in dimensions [rank, count], as ONNX's NonZero;
 * "fail" makes enqueueV3 fail. "scale", "add" and "sub" are for FP32, INT8, UINT8, INT32 and INT64,
 * all others for any type. Lines that begin with '#' are comments.
 */
#ifndef NEREID_NVINFER_PLAN_H
#define NEREID_NVINFER_PLAN_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvinfer.h"

#define MAX_TENSORS 32
#define MAX_PROFILES 8
#define MAX_VALUES 8
#define NAME_SIZE 128

typedef struct trt_Dims Dims;

struct range {
    Dims dims[3]; /* by trt_OptProfileSelector */
    bool has_values;
    int64_t values[3][MAX_VALUES];
    int format;
};

struct tensor {
    char name[NAME_SIZE];
    bool input, host, shape;
    int type;
    Dims dims;
    struct range ranges[MAX_PROFILES];
    char op[16];
    int operand[2];
    double factor, offset;
};

struct plan {
    int version;
    char gpu[NAME_SIZE], name[NAME_SIZE];
    bool host_code;
    int64_t weights, memory[MAX_PROFILES];
    int profiles, count;
    struct tensor tensors[MAX_TENSORS];
};

static const char *const type_names[] = {
    "FP32", "FP16", "INT8", "INT32", "BOOL", "UINT8", "FP8", "BF16", "INT64", "INT4", "FP4", "E8M0"};
static const int type_sizes[] = {4, 2, 1, 4, 1, 1, 1, 2, 8, 1, 1, 1};

static int64_t elements(const Dims *dims) {
    int64_t count = 1;
    for (int i = 0; i < dims->nbDims; i++) count *= dims->d[i];
    return count;
}

static bool is_concrete(const Dims *dims) {
    for (int i = 0; i < dims->nbDims; i++)
        if (dims->d[i] < 0) return false;
    return dims->nbDims >= 0;
}

static bool same_dims(const Dims *a, const Dims *b) {
    return a->nbDims == b->nbDims && !memcmp(a->d, b->d, sizeof(int64_t) * (size_t)a->nbDims);
}

/* Writes dimensions as "[1,16]" and returns the text. */
static const char *dims_text(const Dims *dims, char *text) {
    char *at = text + sprintf(text, "[");
    for (int i = 0; i < dims->nbDims; i++)
        at += sprintf(at, "%s%lld", i ? "," : "", (long long)dims->d[i]);
    sprintf(at, "]");
    return text;
}

/* Reads "[1,16]" into at most 8 numbers; returns how many, or -1. */
static int read_numbers(const char *text, int64_t *numbers) {
    int count = 0;
    if (!text || *text++ != '[') return -1;
    while (*text && *text != ']') {
        char *end;
        if (count == 8) return -1;
        numbers[count++] = strtoll(text, &end, 10);
        if (end == text) return -1;
        text = *end == ',' ? end + 1 : end;
    }
    return *text == ']' ? count : -1;
}

static bool read_dims(const char *text, Dims *dims) {
    memset(dims, 0, sizeof *dims);
    dims->nbDims = read_numbers(text, dims->d);
    return dims->nbDims >= 0;
}

static int find_tensor(const struct plan *plan, const char *name) {
    for (int i = 0; name && i < plan->count; i++)
        if (!strcmp(plan->tensors[i].name, name)) return i;
    return -1;
}

static int find_type(const char *name) {
    for (int i = 0; name && i < 12; i++)
        if (!strcmp(type_names[i], name)) return i;
    return -1;
}

static bool has_arithmetic(int type) {
    return type == kFLOAT || type == kINT8 || type == kUINT8 || type == kINT32 || type == kINT64;
}

/* Reads the operation of an output from the rest of its line. */
static bool read_operation(struct plan *plan, struct tensor *tensor, const char *op, char **rest) {
    snprintf(tensor->op, sizeof tensor->op, "%s", op);
    int operands = !strcmp(op, "fail") ? 0
        : !strcmp(op, "add") || !strcmp(op, "sub") || !strcmp(op, "reshape") ? 2 : 1;
    for (int i = 0; i < operands; i++) {
        tensor->operand[i] = find_tensor(plan, strtok_r(NULL, " ", rest));
        if (tensor->operand[i] < 0) return false;
    }
    if (!strcmp(op, "scale")) {
        const char *factor = strtok_r(NULL, " ", rest), *offset = strtok_r(NULL, " ", rest);
        if (!factor || !offset) return false;
        tensor->factor = atof(factor);
        tensor->offset = atof(offset);
    }
    bool arithmetic = !strcmp(op, "add") || !strcmp(op, "sub") || !strcmp(op, "scale");
    return !arithmetic || has_arithmetic(tensor->type);
}

static bool read_tensor(struct plan *plan, bool input, char **rest) {
    if (plan->count == MAX_TENSORS) return false;
    struct tensor *tensor = &plan->tensors[plan->count];
    const char *name = strtok_r(NULL, " ", rest);
    if (!name) return false;
    snprintf(tensor->name, NAME_SIZE, "%s", name);
    tensor->input = input;
    tensor->type = find_type(strtok_r(NULL, " ", rest));
    if (tensor->type < 0 || !read_dims(strtok_r(NULL, " ", rest), &tensor->dims)) return false;
    for (char *word; (word = strtok_r(NULL, " ", rest));) {
        if (!strcmp(word, "shape") && input) tensor->shape = tensor->host = true;
        else if (input || !read_operation(plan, tensor, word, rest)) return false;
    }
    if (!input && !tensor->op[0]) return false;
    if (!input && !strcmp(tensor->op, "shape")) tensor->shape = tensor->host = true;
    for (int i = 0; i < MAX_PROFILES; i++)
        for (int j = 0; j < 3; j++) tensor->ranges[i].dims[j] = tensor->dims;
    plan->count++;
    return true;
}

/* Reads the line "range", "values" or "format" of a tensor in a profile. */
static bool read_range(struct plan *plan, const char *what, char **rest) {
    int index = find_tensor(plan, strtok_r(NULL, " ", rest));
    const char *number = strtok_r(NULL, " ", rest);
    int profile = number ? atoi(number) : -1;
    if (index < 0 || profile < 0 || profile >= MAX_PROFILES) return false;
    struct range *range = &plan->tensors[index].ranges[profile];
    for (int i = 0; i < 3; i++) {
        const char *text = strtok_r(NULL, " ", rest);
        if (!text) return false;
        if (!strcmp(what, "format")) {
            range->format = atoi(text);
            return true;
        }
        if (!strcmp(what, "values")) {
            range->has_values = true;
            if (read_numbers(text, range->values[i]) < 0) return false;
        } else if (!read_dims(text, &range->dims[i])) {
            return false;
        }
    }
    return true;
}

static bool read_line(struct plan *plan, char *line) {
    char *rest = NULL;
    const char *key = strtok_r(line, " ", &rest);
    if (!key || *key == '#') return true;
    if (!strcmp(key, "input")) return read_tensor(plan, true, &rest);
    if (!strcmp(key, "output")) return read_tensor(plan, false, &rest);
    if (!strcmp(key, "range") || !strcmp(key, "values") || !strcmp(key, "format"))
        return read_range(plan, key, &rest);
    if (!strcmp(key, "host_code")) return plan->host_code = true;
    if (!strcmp(key, "memory")) {
        char *word;
        for (int i = 0; i < MAX_PROFILES && (word = strtok_r(NULL, " ", &rest)); i++)
            plan->memory[i] = atoll(word);
        return true;
    }
    if (!rest || !*rest) return false;
    if (!strcmp(key, "version")) plan->version = atoi(rest);
    else if (!strcmp(key, "gpu")) snprintf(plan->gpu, NAME_SIZE, "%s", rest);
    else if (!strcmp(key, "name")) snprintf(plan->name, NAME_SIZE, "%s", rest);
    else if (!strcmp(key, "weights")) plan->weights = atoll(rest);
    else if (!strcmp(key, "profiles")) plan->profiles = atoi(rest);
    else return false;
    return plan->profiles >= 1 && plan->profiles <= MAX_PROFILES;
}

/* Adds lines to a plan. Returns null, or a copy of the first line that cannot be read. */
static char *read_lines(struct plan *plan, const char *bytes, size_t size) {
    char *text = strndup(bytes, size), *rest = NULL, *bad = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line && !bad; line = strtok_r(NULL, "\n", &rest)) {
        char *copy = strdup(line);
        if (!read_line(plan, copy)) bad = strdup(line);
        free(copy);
    }
    free(text);
    return bad;
}

#define PLAN_MAGIC "nereid-plan\n"

static void init_plan(struct plan *plan) {
    memset(plan, 0, sizeof *plan);
    plan->profiles = 1;
}

#endif
