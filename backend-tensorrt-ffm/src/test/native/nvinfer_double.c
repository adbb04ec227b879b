/*
 * A double of libnvinfer for tests on machines without a GPU: TensorRT 10 or 11, as
 * double_set_version says. Its objects have the layout and the tables of the real ones, from our
 * own trt10_abi.h and trt11_abi.h; all other slots end the process with their class and number.
 * Plans are texts (nvinfer_plan.h). Device memory, streams and events are those of the libcudart
 * double. It is stricter than TensorRT:
 *
 * - enqueueV3 enqueues two pieces of work on the stream: one that reads the inputs, and one that
 *   writes the outputs. The event for consumed inputs is recorded between them. Both run only when
 *   the stream is synchronised or queried, with the shapes and addresses of the enqueue.
 * - Shapes that the profile does not admit, addresses that are not set, not aligned or not in device
 *   memory, calls from two threads at once, work on two streams at once, and the deletion of what is
 *   in use are violations, or failures where TensorRT documents one. Deleted objects stay in memory,
 *   and a call of one ends the process.
 * - A failure is null or false and an error line in the log, as TensorRT's.
 * - Without a CUDA device, and if told to, createInferRuntime returns 0x238, as 10.15.1 does.
 *
 * This file has the tables and the controls. The classes are in nvinfer_engine.h, nvinfer_context.h
 * and nvinfer_builder.h, and what they share in nvinfer_double.h.
 */
#define _GNU_SOURCE
#include "nvinfer_builder.h"
#include "nvinfer_context.h"

#include <pthread.h>

/* ---- tables ---- */

static void past_end(void) { misuse("a method is called that this version of TensorRT does not have"); }
static void delete_forbidden(void *object) {
    misuse("%s is deleted, which belongs to another object", kind_names[base_of(object)->kind]);
}

#define TRAP(kind, slot) \
    static void trap_##kind##_##slot(void) { misuse(#kind ", slot " #slot ": Nereid must not call it"); }
#define TEN(X, kind, t) \
    X(kind, t##0) X(kind, t##1) X(kind, t##2) X(kind, t##3) X(kind, t##4) \
    X(kind, t##5) X(kind, t##6) X(kind, t##7) X(kind, t##8) X(kind, t##9)
#define ALL_SLOTS(X, kind) \
    X(kind, 0) X(kind, 1) X(kind, 2) X(kind, 3) X(kind, 4) X(kind, 5) X(kind, 6) X(kind, 7) X(kind, 8) X(kind, 9) \
    TEN(X, kind, 1) TEN(X, kind, 2) TEN(X, kind, 3) TEN(X, kind, 4) TEN(X, kind, 5) TEN(X, kind, 6) TEN(X, kind, 7) \
    TEN(X, kind, 8) X(kind, 90) X(kind, 91) X(kind, 92) X(kind, 93) X(kind, 94) X(kind, 95)
#define ALL_KINDS(X, Y) \
    X(Y, IRuntime) X(Y, ICudaEngine) X(Y, IExecutionContext) X(Y, IHostMemory) X(Y, IBuilder) X(Y, IBuilderConfig) \
    X(Y, INetworkDefinition) X(Y, ITensor) X(Y, IOptimizationProfile) X(Y, ITimingCache)
ALL_KINDS(ALL_SLOTS, TRAP)

#define TRAP_ENTRY(kind, slot) tables[kind][slot] = (void *)trap_##kind##_##slot;

/* Puts a method at its slot of the version's table. */
#define SET(kind, method, function)                                                                 \
    tables[kind][(is_10() ? offsetof(struct trt10_##kind, method) : offsetof(struct trt11_##kind, method)) \
        / sizeof(void *)] = (void *)(kind##_##method){function}

/* The number of entries of the engine's table; the others have no entry that came later. */
static int engine_slots(void) {
    if (!is_10()) return 51;
    return version < 100100 ? 48 : version < 101100 ? 54 : 59;
}

/* Sets the version; if it changes, no object may be there. */
void double_set_version(int number) {
    if (number == version && tables[0][0]) return;
    version = number;
    ALL_KINDS(ALL_SLOTS, TRAP_ENTRY)
    static void (*const destructors[KINDS])(void *) = {
        delete_runtime, delete_engine, delete_context, delete_host_memory, delete_builder, delete_config,
        delete_network, delete_forbidden, delete_forbidden, delete_cache};
    for (int i = 0; i < KINDS; i++) {
        if (*live[i] != 0) misuse("the version changes while there is an %s", kind_names[i]);
        object_tables[i][0] = (void *)past_end;
        object_tables[i][1] = (void *)destructors[i];
    }
    SET(IRuntime, deserializeCudaEngine, runtime_deserialize);
    SET(IRuntime, setMaxThreads, runtime_set_max_threads);
    SET(IRuntime, setEngineHostCodeAllowed, runtime_set_host_code);
    SET(ICudaEngine, createExecutionContext, engine_create_context);
    SET(ICudaEngine, getName, engine_name);
    SET(ICudaEngine, getNbOptimizationProfiles, engine_profiles);
    SET(ICudaEngine, getTensorShape, engine_shape);
    SET(ICudaEngine, getTensorDataType, engine_type);
    SET(ICudaEngine, getTensorLocation, engine_location);
    SET(ICudaEngine, isShapeInferenceIO, engine_is_shape);
    SET(ICudaEngine, getTensorIOMode, engine_mode);
    SET(ICudaEngine, getProfileShape, engine_profile_shape);
    SET(ICudaEngine, getNbIOTensors, engine_tensors);
    SET(ICudaEngine, getIOTensorName, engine_tensor_name);
    SET(ICudaEngine, getTensorFormatV2, engine_format);
    SET(ICudaEngine, getDeviceMemorySizeV2, engine_memory);
    SET(ICudaEngine, getDeviceMemorySizeForProfileV2, engine_profile_memory);
    SET(ICudaEngine, getProfileTensorValuesV2, engine_profile_values);
    SET(IExecutionContext, setName, context_set_name);
    SET(IExecutionContext, setOptimizationProfileAsync, context_set_profile);
    SET(IExecutionContext, setInputShape, context_set_shape);
    SET(IExecutionContext, getTensorShape, context_shape);
    SET(IExecutionContext, setTensorAddress, context_set_address);
    SET(IExecutionContext, inferShapes, context_infer_shapes);
    SET(IExecutionContext, setInputConsumedEvent, context_set_consumed);
    SET(IExecutionContext, setOutputAllocator, context_set_allocator);
    SET(IExecutionContext, getMaxOutputSize, context_max_size);
    SET(IExecutionContext, enqueueV3, context_enqueue);
    SET(IHostMemory, data, host_memory_data);
    SET(IHostMemory, size, host_memory_size);
    SET(IBuilder, createBuilderConfig, builder_create_config);
    SET(IBuilder, createNetworkV2, builder_create_network);
    SET(IBuilder, createOptimizationProfile, builder_create_profile);
    SET(IBuilder, buildSerializedNetwork, builder_build);
    SET(IBuilderConfig, setFlag, config_set_flag);
    SET(IBuilderConfig, clearFlag, config_clear_flag);
    SET(IBuilderConfig, addOptimizationProfile, config_add_profile);
    SET(IBuilderConfig, createTimingCache, config_create_cache);
    SET(IBuilderConfig, setTimingCache, config_set_cache);
    SET(IBuilderConfig, getTimingCache, config_get_cache);
    SET(IBuilderConfig, setMemoryPoolLimit, config_set_limit);
    SET(IBuilderConfig, setBuilderOptimizationLevel, config_set_level);
    SET(IBuilderConfig, setProgressMonitor, config_set_monitor);
    SET(ITimingCache, serialize, cache_serialize);
    SET(INetworkDefinition, getNbInputs, network_inputs);
    SET(INetworkDefinition, getInput, network_get_input);
    SET(ITensor, getName, tensor_name);
    SET(ITensor, getDimensions, tensor_dimensions);
    SET(ITensor, getType, tensor_type);
    SET(ITensor, isShapeTensor, tensor_is_shape);
    SET(IOptimizationProfile, setDimensions, profile_set_dimensions);
    SET(IOptimizationProfile, isValid, profile_is_valid);
    SET(IOptimizationProfile, setShapeValuesV2, profile_set_values);
    for (int slot = engine_slots(); slot < SLOTS; slot++) tables[ICudaEngine][slot] = (void *)past_end;
    if (is_10() && version < 101100)
        for (int slot = 10; slot < SLOTS; slot++) tables[IOptimizationProfile][slot] = (void *)past_end;
}

/* ---- controls ---- */

int32_t getInferLibVersion(void) { return version; }
int32_t getInferLibBuildVersion(void) { return 29; }

/* The GPU that plans must name. */
void double_set_gpu(const char *name) { snprintf(gpu, sizeof gpu, "%s", name); }

/* Lets createInferRuntime return 0x238 although there is a device. */
void double_set_small_address(bool returns) { returns_small_address = returns; }

__attribute__((constructor)) void double_reset_nvinfer(void) {
    double_set_version(101501);
    double_set_gpu("Double GPU");
    returns_small_address = false;
}

struct line {
    void *logger;
    int severity;
    const char *text;
};

static void *log_in_thread(void *argument) {
    struct line *line = argument;
    log_line(line->logger, line->severity, line->text);
    return NULL;
}

/* Logs a line from a thread that the JVM does not know, and waits for that. */
void double_log_from_thread(void *logger, int severity, const char *text) {
    struct line line = {logger, severity, text};
    pthread_t thread;
    if (pthread_create(&thread, NULL, log_in_thread, &line) != 0) misuse("no thread");
    pthread_join(thread, NULL);
}

/* For the double of the parser, whose factory has the logger. */
void double_log(void *logger, int severity, const char *text) { log_line(logger, severity, text); }
