/*
 * What all parts of the libnvinfer double share: objects and their tables, faults, log lines, and
 * what it needs of the libcudart double.
 */
#ifndef NEREID_NVINFER_DOUBLE_H
#define NEREID_NVINFER_DOUBLE_H

#include <stdarg.h>
#include <stdatomic.h>

#include "cudart_double.h"
#include "nvinfer_plan.h"

/* Of the CUDA runtime, which this library is linked with. */
int cudaGetDevice(int *device);
int cudaGetDeviceCount(int *count);
int cudaMalloc(void **address, size_t size);
int cudaFree(void *address);
int cudaStreamSynchronize(void *stream);

#define SLOTS 96

enum kind {
    IRuntime, ICudaEngine, IExecutionContext, IHostMemory, IBuilder, IBuilderConfig,
    INetworkDefinition, ITensor, IOptimizationProfile, ITimingCache, KINDS
};

static const char *const kind_names[] = {
    "IRuntime", "ICudaEngine", "IExecutionContext", "IHostMemory", "IBuilder", "IBuilderConfig",
    "INetworkDefinition", "ITensor", "IOptimizationProfile", "ITimingCache"};

/* The beginning of each implementation. The API object has two words, as a real one. */
struct base {
    void **table;
    struct { void **table; void *impl; } object;
    enum kind kind;
    bool dead;
    atomic_int children;
    struct base *parent;
    void *logger;
};

static int version = 101501;
static char gpu[NAME_SIZE] = "Double GPU";
static long *live[KINDS];

__attribute__((constructor)) static void make_counters(void) {
    for (int i = 0; i < KINDS; i++) live[i] = double_counter(kind_names[i]);
}

static bool is_10(void) { return version / 10000 == 10; }

static __attribute__((format(printf, 1, 2), noreturn)) void misuse(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "libnvinfer double: ");
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
    abort();
}

/* Calls a logger in the form that the version has. */
static void log_line(void *logger, int severity, const char *text) {
    void **table = *(void ***)logger;
    int slot = is_10() ? 0 : 4;
    ((ILogger_log)table[slot])(logger, severity, text);
}

static __attribute__((format(printf, 2, 3))) void error(void *logger, const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    log_line(logger, kERROR, text);
}

/* Checks that an object of ours begins as an IVersionedInterface does. */
static void check_interface(void *object, const char *kind) {
    void **table = *(void ***)object;
    if (((trt_getAPILanguage)table[0])(object) != 0) misuse("%s is not in C++", kind);
    struct trt_InterfaceInfo info = ((trt_getInterfaceInfo)table[1])(object);
    if (strcmp(info.kind, kind) || info.major != 1 || info.minor != 0)
        misuse("%s %d.%d instead of %s 1.0", info.kind, info.major, info.minor, kind);
}

/* The methods, which faults can be planted in under names such as "IRuntime_setMaxThreads". */
#define METHODS(X)                                                                              \
    X(createInferRuntime) X(createInferBuilder)                                                 \
    X(IRuntime_deserializeCudaEngine) X(IRuntime_setMaxThreads)                                 \
    X(IRuntime_setEngineHostCodeAllowed)                                                        \
    X(ICudaEngine_createExecutionContext) X(ICudaEngine_getName)                                \
    X(ICudaEngine_getNbOptimizationProfiles) X(ICudaEngine_getTensorShape)                      \
    X(ICudaEngine_getTensorDataType) X(ICudaEngine_getTensorLocation)                           \
    X(ICudaEngine_isShapeInferenceIO) X(ICudaEngine_getTensorIOMode)                            \
    X(ICudaEngine_getProfileShape) X(ICudaEngine_getNbIOTensors)                                \
    X(ICudaEngine_getIOTensorName) X(ICudaEngine_getTensorFormatV2)                             \
    X(ICudaEngine_getDeviceMemorySizeV2) X(ICudaEngine_getDeviceMemorySizeForProfileV2)         \
    X(ICudaEngine_getProfileTensorValuesV2)                                                     \
    X(IExecutionContext_setName) X(IExecutionContext_setOptimizationProfileAsync)               \
    X(IExecutionContext_setInputShape) X(IExecutionContext_getTensorShape)                      \
    X(IExecutionContext_setTensorAddress) X(IExecutionContext_inferShapes)                      \
    X(IExecutionContext_setInputConsumedEvent) X(IExecutionContext_setOutputAllocator)          \
    X(IExecutionContext_getMaxOutputSize) X(IExecutionContext_enqueueV3)                        \
    X(IHostMemory_data) X(IHostMemory_size)                                                     \
    X(IBuilder_createBuilderConfig) X(IBuilder_createNetworkV2)                                 \
    X(IBuilder_createOptimizationProfile) X(IBuilder_buildSerializedNetwork)                    \
    X(IBuilderConfig_setFlag) X(IBuilderConfig_clearFlag)                                       \
    X(IBuilderConfig_addOptimizationProfile) X(IBuilderConfig_createTimingCache)                \
    X(IBuilderConfig_setTimingCache) X(IBuilderConfig_getTimingCache)                           \
    X(IBuilderConfig_setMemoryPoolLimit) X(IBuilderConfig_setBuilderOptimizationLevel)          \
    X(IBuilderConfig_setProgressMonitor) X(ITimingCache_serialize)                              \
    X(INetworkDefinition_getNbInputs) X(INetworkDefinition_getInput)                            \
    X(ITensor_getName) X(ITensor_getDimensions) X(ITensor_getType) X(ITensor_isShapeTensor)     \
    X(IOptimizationProfile_setDimensions) X(IOptimizationProfile_isValid)                       \
    X(IOptimizationProfile_setShapeValuesV2)

#define METHOD_ENUM(name) M_##name,
#define METHOD_NAME(name) #name,
enum method { METHODS(METHOD_ENUM) METHOD_COUNT };
static const char *const method_names[] = {METHODS(METHOD_NAME)};
static struct double_function functions[METHOD_COUNT];

__attribute__((constructor)) static void name_functions(void) {
    for (int i = 0; i < METHOD_COUNT; i++) functions[i].name = method_names[i];
}

static void planted(void *logger, enum method method) {
    error(logger, "%s: Error Code 10: Internal Error (planted fault)", method_names[method]);
}

/* Counts a call. Logs an error and returns true if this call is to fail. */
static bool fails(void *logger, enum method method) {
    if (double_call(&functions[method]) == 0) return false;
    planted(logger, method);
    return true;
}

/* Checks the object and counts the call; see fails. */
static bool enter(void *self, enum kind kind, enum method method) {
    struct base *base = self;
    if (!base) misuse("%s of null", method_names[method]);
    if (base->kind != kind) misuse("%s of another object", method_names[method]);
    if (base->dead) misuse("%s of a deleted object", method_names[method]);
    return fails(base->logger, method);
}

/* The tables of implementations and of API objects; filled by set_version. */
static void *tables[KINDS][SLOTS];
static void *object_tables[KINDS][2];

static void *make(enum kind kind, size_t size, struct base *parent, void *logger) {
    struct base *base = calloc(1, size);
    base->table = tables[kind];
    base->object.table = object_tables[kind];
    base->object.impl = base;
    base->kind = kind;
    base->parent = parent;
    base->logger = logger;
    if (parent) parent->children++;
    double_count(live[kind], 1);
    return base;
}

static struct base *base_of(void *object) {
    return ((struct { void **table; struct base *impl; } *)object)->impl;
}

/* Marks an object as deleted; it stays in memory, so that a later use is found. */
static struct base *bury(void *object) {
    struct base *base = base_of(object);
    if (base->dead) misuse("%s is deleted twice", kind_names[base->kind]);
    if (base->children > 0)
        double_violation("%s is deleted before the objects made from it", kind_names[base->kind]);
    base->dead = true;
    if (base->parent) base->parent->children--;
    double_count(live[base->kind], -1);
    return base;
}

#endif
