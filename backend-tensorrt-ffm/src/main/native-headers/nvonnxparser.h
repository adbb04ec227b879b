/*
 * libnvonnxparser. Its objects have no implementation behind them: the slots are those of their own
 * tables. The source is NVIDIA's NvOnnxParser.h.
 */
#ifndef NEREID_ONNXPARSER_ABI_H
#define NEREID_ONNXPARSER_ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * In the form of libnvinfer's version, but a version of its own: 100 (0.1.0) with TensorRT 10.15. The
 * factory takes the same number.
 */
int32_t getNvOnnxParserVersion(void);
void *createNvOnnxParser_INTERNAL(void *network, void *logger, int32_t version);

/* An object of the parser begins with the pointer to its table. */
struct onnx_Object {
    void *table;
};

/* nvonnxparser::IParser */
typedef bool (*IParser_parse)(
    void *self, const void *serializedModel, size_t serializedModelSize, const char *modelPath);
typedef bool (*IParser_parseFromFile)(void *self, const char *onnxModelFile, int32_t verbosity);
typedef int32_t (*IParser_getNbErrors)(void *self);
typedef const void *(*IParser_getError)(void *self, int32_t index);
typedef void (*IParser_delete)(void *self);

struct trt10_IParser {
    IParser_parse parse;                 /* 0 */
    IParser_parseFromFile parseFromFile; /* 1 */
    void *unused_2[3];
    IParser_getNbErrors getNbErrors; /* 5 */
    IParser_getError getError;       /* 6 */
    void *unused_7[2];
    IParser_delete deletingDestructor; /* 9 */
};

struct trt11_IParser {
    IParser_parse parse;                 /* 0 */
    IParser_parseFromFile parseFromFile; /* 1 */
    void *unused_2[1];
    IParser_getNbErrors getNbErrors; /* 3 */
    IParser_getError getError;       /* 4 */
    void *unused_5[2];
    IParser_delete deletingDestructor; /* 7 */
};

/* nvonnxparser::IParserError, the same in 10 and 11 */
typedef int32_t (*IParserError_code)(void *self);
typedef const char *(*IParserError_desc)(void *self);
typedef int32_t (*IParserError_node)(void *self);
typedef const char *(*IParserError_nodeName)(void *self);
typedef const char *(*IParserError_nodeOperator)(void *self);

struct trt_IParserError {
    IParserError_code code; /* 0 */
    IParserError_desc desc; /* 1 */
    void *unused_2[3];
    IParserError_node node;                 /* 5 */
    IParserError_nodeName nodeName;         /* 6 */
    IParserError_nodeOperator nodeOperator; /* 7 */
};

#endif
