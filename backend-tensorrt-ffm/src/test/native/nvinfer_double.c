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
 * This file has the controls, the runtime, the engine, the context and the tables.
 */
#define _GNU_SOURCE
#include "nvinfer_builder.h"

#include <pthread.h>

struct runtime {
    struct base base;
    bool host_code;
};

struct engine {
    struct base base;
    struct plan plan;
    int device;
    void *weights;
};

struct context {
    struct base base;
    struct engine *engine;
    int strategy, profile;
    void *memory;
    bool has_shape[MAX_TENSORS];
    Dims shapes[MAX_TENSORS];
    void *addresses[MAX_TENSORS];
    void *allocators[MAX_TENSORS];
    void *consumed;
    atomic_bool busy;
    atomic_int pending;   /* inferences and changes of the profile that are not executed */
    void *stream;         /* of the last of them */
    atomic_int captured;  /* inferences that graphs may execute */
    void *executing;      /* the inference that uses the context's memory now */
};

/* ---- runtime and engine ---- */

static bool returns_small_address;

void *createInferRuntime_INTERNAL(void *logger, int32_t asked) {
    int devices = 0;
    if (asked / 10000 != version / 10000) misuse("asked for version %d, is %d", asked, version);
    if (!is_10()) check_interface(logger, "ILogger");
    if (returns_small_address || cudaGetDeviceCount(&devices) != 0 || devices == 0) {
        error(logger, "CUDA initialization failure with error: 35. Please check your CUDA installation");
        return (void *)0x238;
    }
    if (fails(logger, M_createInferRuntime)) return NULL;
    struct runtime *runtime = make(IRuntime, sizeof *runtime, NULL, logger);
    return &runtime->base.object;
}

static bool runtime_set_max_threads(void *self, int32_t threads) {
    return !enter(self, IRuntime, M_IRuntime_setMaxThreads) && threads > 0;
}

static void runtime_set_host_code(void *self, bool allowed) {
    if (enter(self, IRuntime, M_IRuntime_setEngineHostCodeAllowed)) return;
    ((struct runtime *)self)->host_code = allowed;
}

static void check_ranges(const struct plan *plan) {
    for (int i = 0; i < plan->count; i++)
        for (int j = 0; j < plan->profiles; j++)
            if (plan->tensors[i].input && !is_concrete(&plan->tensors[i].ranges[j].dims[kMIN]))
                misuse("a plan has no range of input %s in profile %d", plan->tensors[i].name, j);
}

/* Why a plan is refused; null if it is not. */
static const char *refusal(const struct runtime *runtime, const struct plan *plan) {
    if (plan->version != version)
        return "Error Code 1: Serialization (Serialization assertion stdVersionRead =="
               " kSERIALIZATION_VERSION failed.Version tag does not match. Note: Current Version: 239,"
               " Serialized Engine Version: 236)";
    if (strcmp(plan->gpu, gpu))
        return "Error Code 6: API Usage Error (The engine plan file is generated on an incompatible"
               " device, please rebuild.)";
    if (plan->host_code && !runtime->host_code)
        return "Error Code 4: Internal Error (Cannot deserialize engine with lean runtime: engine host"
               " code is not allowed.)";
    return NULL;
}

static void *runtime_deserialize(void *self, const void *blob, size_t size) {
    struct runtime *runtime = self;
    void *logger = runtime->base.logger;
    if (enter(self, IRuntime, M_IRuntime_deserializeCudaEngine)) return NULL;
    log_line(logger, kVERBOSE, "Deserialization of an engine begins");
    if (size < strlen(PLAN_MAGIC) || memcmp(blob, PLAN_MAGIC, strlen(PLAN_MAGIC))) {
        error(logger, "IRuntime::deserializeCudaEngine: Error Code 1: Serialization (Serialization"
            " assertion magicTagRead == kMAGIC_TAG failed.Magic tag does not match)");
        return NULL;
    }
    struct engine *engine = make(ICudaEngine, sizeof *engine, &runtime->base, logger);
    struct plan *plan = &engine->plan;
    init_plan(plan);
    char *bad = read_lines(plan, (const char *)blob + strlen(PLAN_MAGIC), size - strlen(PLAN_MAGIC));
    if (bad) misuse("a plan has the line '%s'", bad);
    check_ranges(plan);
    const char *refused = refusal(runtime, plan);
    if (refused) {
        error(logger, "IRuntime::deserializeCudaEngine: %s", refused);
        bury(&engine->base.object);
        return NULL;
    }
    if (cudaGetDevice(&engine->device)
        || (plan->weights > 0 && cudaMalloc(&engine->weights, (size_t)plan->weights))) {
        error(logger, "IRuntime::deserializeCudaEngine: Error Code 2: OutOfMemory (Requested size was %lld"
            " bytes.)", (long long)plan->weights);
        bury(&engine->base.object);
        return NULL;
    }
    log_line(logger, kINFO, "Loaded engine size: 0 MiB");
    return &engine->base.object;
}

static void delete_runtime(void *object) { bury(object); }

static void delete_engine(void *object) {
    struct engine *engine = (struct engine *)bury(object);
    if (engine->weights) cudaFree(engine->weights);
}

static struct tensor *engine_tensor(struct engine *engine, const char *name) {
    int index = find_tensor(&engine->plan, name);
    if (index >= 0) return &engine->plan.tensors[index];
    error(engine->base.logger, "ICudaEngine: Error Code 3: API Usage Error (Given invalid tensor name: %s."
        " Get valid tensor names with getIOTensorName())", name ? name : "null");
    return NULL;
}

/* Begins a method of the engine on a tensor; the tensor is null if the method is to fail. */
#define ENGINE_TENSOR(method)                                                     \
    struct engine *engine = self;                                                 \
    bool failed_ = enter(self, ICudaEngine, M_ICudaEngine_##method);              \
    struct tensor *tensor = failed_ ? NULL : engine_tensor(engine, name)

static const char *engine_name(void *self) {
    if (enter(self, ICudaEngine, M_ICudaEngine_getName)) return NULL;
    return ((struct engine *)self)->plan.name;
}

static int32_t engine_profiles(void *self) {
    if (enter(self, ICudaEngine, M_ICudaEngine_getNbOptimizationProfiles)) return 0;
    return ((struct engine *)self)->plan.profiles;
}

static int32_t engine_tensors(void *self) {
    if (enter(self, ICudaEngine, M_ICudaEngine_getNbIOTensors)) return 0;
    return ((struct engine *)self)->plan.count;
}

static const char *engine_tensor_name(void *self, int32_t index) {
    struct engine *engine = self;
    if (enter(self, ICudaEngine, M_ICudaEngine_getIOTensorName)) return NULL;
    return index >= 0 && index < engine->plan.count ? engine->plan.tensors[index].name : NULL;
}

static Dims engine_shape(void *self, const char *name) {
    ENGINE_TENSOR(getTensorShape);
    return tensor ? tensor->dims : (Dims){-1, {0}};
}

static int32_t engine_type(void *self, const char *name) {
    ENGINE_TENSOR(getTensorDataType);
    return tensor ? tensor->type : -1;
}

static int32_t engine_location(void *self, const char *name) {
    ENGINE_TENSOR(getTensorLocation);
    return !tensor ? -1 : tensor->host ? kHOST : kDEVICE;
}

static bool engine_is_shape(void *self, const char *name) {
    ENGINE_TENSOR(isShapeInferenceIO);
    return tensor && tensor->shape;
}

static int32_t engine_mode(void *self, const char *name) {
    ENGINE_TENSOR(getTensorIOMode);
    return !tensor ? kNONE : tensor->input ? kINPUT : kOUTPUT;
}

static bool has_profile(struct engine *engine, int profile, int select) {
    return profile >= 0 && profile < engine->plan.profiles && select >= 0 && select <= 2;
}

static int32_t engine_format(void *self, const char *name, int32_t profile) {
    ENGINE_TENSOR(getTensorFormatV2);
    return tensor && has_profile(engine, profile, 0) ? tensor->ranges[profile].format : -1;
}

static Dims engine_profile_shape(void *self, const char *name, int32_t profile, int32_t select) {
    ENGINE_TENSOR(getProfileShape);
    if (!tensor || !tensor->input || !has_profile(engine, profile, select)) return (Dims){-1, {0}};
    return tensor->ranges[profile].dims[select];
}

static const int64_t *engine_profile_values(
    void *self, const char *name, int32_t profile, int32_t select) {
    ENGINE_TENSOR(getProfileTensorValuesV2);
    if (!tensor || !has_profile(engine, profile, select)) return NULL;
    struct range *range = &tensor->ranges[profile];
    return range->has_values ? range->values[select] : NULL;
}

static int64_t memory_of(const struct plan *plan, int profile) {
    int64_t most = 0;
    for (int i = 0; i < plan->profiles; i++)
        if ((profile < 0 || profile == i) && plan->memory[i] > most) most = plan->memory[i];
    return most;
}

static int64_t engine_memory(void *self) {
    if (enter(self, ICudaEngine, M_ICudaEngine_getDeviceMemorySizeV2)) return 0;
    return memory_of(&((struct engine *)self)->plan, -1);
}

static int64_t engine_profile_memory(void *self, int32_t profile) {
    if (enter(self, ICudaEngine, M_ICudaEngine_getDeviceMemorySizeForProfileV2)) return 0;
    return memory_of(&((struct engine *)self)->plan, profile);
}

/* ---- execution context: state ---- */

static bool allocate_memory(struct context *context, int64_t size) {
    if (context->memory) cudaFree(context->memory);
    context->memory = NULL;
    if (size == 0 || cudaMalloc(&context->memory, (size_t)size) == 0) return true;
    error(context->base.logger, "IExecutionContext: Error Code 2: OutOfMemory (Requested size was %lld bytes.)",
        (long long)size);
    return false;
}

static void *engine_create_context(void *self, int32_t strategy) {
    struct engine *engine = self;
    if (enter(self, ICudaEngine, M_ICudaEngine_createExecutionContext)) return NULL;
    if (strategy != kSTATIC && strategy != kON_PROFILE_CHANGE)
        misuse("createExecutionContext with strategy %d", strategy);
    struct context *context = make(IExecutionContext, sizeof *context, &engine->base, engine->base.logger);
    context->engine = engine;
    context->strategy = strategy;
    if (!allocate_memory(context, memory_of(&engine->plan, strategy == kSTATIC ? -1 : 0))) {
        bury(&context->base.object);
        return NULL;
    }
    log_line(engine->base.logger, kINFO, "[MS] Created an execution context");
    return &context->base.object;
}

static void delete_context(void *object) {
    struct context *context = (struct context *)base_of(object);
    if (context->busy) double_violation("a context is deleted by one thread while another calls it");
    if (context->pending) double_violation("a context is deleted before its work is executed");
    if (context->captured) double_violation("a context is deleted before the graphs that execute it");
    bury(object);
    if (context->memory) cudaFree(context->memory);
}

static void lock_context(struct context *context, const char *method) {
    if (atomic_exchange(&context->busy, true))
        double_violation("%s: two threads call one context", method);
}

/* Begins and ends a method of the context, with its tensor; goes to `end` if it is to fail. */
#define CONTEXT(method)                                                    \
    struct context *context = self;                                        \
    struct plan *plan = &context->engine->plan;                            \
    if (enter(self, IExecutionContext, M_IExecutionContext_##method)) goto failed; \
    lock_context(context, #method)
#define UNLOCK(result)                      \
    do {                                    \
        __typeof__(result) result_ = result; \
        context->busy = false;              \
        return result_;                     \
    } while (0)

static int context_tensor(struct context *context, const char *name) {
    return engine_tensor(context->engine, name) ? find_tensor(&context->engine->plan, name) : -1;
}

static void context_set_name(void *self, const char *name) {
    (void)name;
    enter(self, IExecutionContext, M_IExecutionContext_setName);
}

static void done(void *pending) { --*(atomic_int *)pending; }
static void nothing(void *argument) { (void)argument; }

/* Work of a context is ordered by one stream; on another one it must be done before. */
static void check_stream(struct context *context, void *stream) {
    if (!stream) double_violation("work of a context on the default stream");
    if (double_is_capturing(stream)) return;
    if (context->pending && context->stream != stream)
        double_violation("work of a context on a second stream before that on the first is executed");
    context->stream = stream;
}

static bool context_set_profile(void *self, int32_t profile, void *stream) {
    CONTEXT(setOptimizationProfileAsync);
    if (!has_profile(context->engine, profile, 0)) {
        error(context->base.logger, "IExecutionContext::setOptimizationProfileAsync: Error Code 3: API Usage"
            " Error (Parameter check failed, condition: profileIndex >= 0 && profileIndex <"
            " mEngine.getNbOptimizationProfiles(). Profile %d of %d.)", profile, plan->profiles);
        UNLOCK(false);
    }
    check_stream(context, stream);
    bool changes = profile != context->profile;
    if (changes && context->strategy == kON_PROFILE_CHANGE) {
        if (context->pending) cudaStreamSynchronize(stream);
        if (!allocate_memory(context, memory_of(plan, profile))) UNLOCK(false);
    }
    context->profile = profile;
    if (changes) memset(context->has_shape, 0, sizeof context->has_shape);
    context->pending++;
    UNLOCK(double_enqueue_owned(stream, nothing, &context->pending, done) == 0);
failed:
    return false;
}

static bool within(const Dims *dims, const struct range *range) {
    if (dims->nbDims != range->dims[0].nbDims) return false;
    for (int i = 0; i < dims->nbDims; i++)
        if (dims->d[i] < range->dims[kMIN].d[i] || dims->d[i] > range->dims[kMAX].d[i]) return false;
    return true;
}

static bool context_set_shape(void *self, const char *name, const Dims *dims) {
    CONTEXT(setInputShape);
    int index = context_tensor(context, name);
    if (index < 0 || !plan->tensors[index].input) UNLOCK(false);
    struct range *range = &plan->tensors[index].ranges[context->profile];
    if (!within(dims, range)) {
        char set[256], least[256], most[256];
        error(context->base.logger, "IExecutionContext::setInputShape: Error Code 3: API Usage Error (Parameter"
            " check failed, condition: satisfyProfile. Set dimension %s for tensor %s does not satisfy any"
            " optimization profiles. Valid range for profile %d: %s..%s.)", dims_text(dims, set), name,
            context->profile, dims_text(&range->dims[kMIN], least), dims_text(&range->dims[kMAX], most));
        UNLOCK(false);
    }
    context->shapes[index] = *dims;
    context->has_shape[index] = true;
    UNLOCK(true);
failed:
    return false;
}

/* The dimensions of an input as far as they are known: set, static, or the only ones allowed. */
static Dims input_dims(struct context *context, int index) {
    struct tensor *tensor = &context->engine->plan.tensors[index];
    if (context->has_shape[index]) return context->shapes[index];
    struct range *range = &tensor->ranges[context->profile];
    return same_dims(&range->dims[kMIN], &range->dims[kMAX]) ? range->dims[kMIN] : tensor->dims;
}

static int64_t shape_value(const struct tensor *tensor, const void *values, int64_t index) {
    return tensor->type == kINT32 ? ((const int32_t *)values)[index] : ((const int64_t *)values)[index];
}

/* The dimensions of an output; with -1 where they are not known. */
static Dims output_dims(struct context *context, int index) {
    struct plan *plan = &context->engine->plan;
    struct tensor *output = &plan->tensors[index];
    if (!strcmp(output->op, "fail")) return output->dims;
    Dims first = input_dims(context, output->operand[0]), result = output->dims;
    if (!strcmp(output->op, "reshape")) {
        struct tensor *shape = &plan->tensors[output->operand[1]];
        void *values = context->addresses[output->operand[1]];
        if (!values) return result;
        result.nbDims = (int32_t)elements(&shape->dims);
        for (int i = 0; i < result.nbDims; i++) result.d[i] = shape_value(shape, values, i);
        return result;
    }
    if (!strcmp(output->op, "shape")) return (Dims){1, {first.nbDims}};
    if (!strcmp(output->op, "nonzero")) return (Dims){2, {first.nbDims, -1}};
    return first;
}

static Dims context_shape(void *self, const char *name) {
    CONTEXT(getTensorShape);
    (void)plan;
    int index = context_tensor(context, name);
    if (index < 0) UNLOCK(((Dims){-1, {0}}));
    Dims dims = context->engine->plan.tensors[index].input ? input_dims(context, index)
                                                           : output_dims(context, index);
    UNLOCK(dims);
failed:
    return (Dims){-1, {0}};
}

static bool context_set_address(void *self, const char *name, void *address) {
    CONTEXT(setTensorAddress);
    int index = context_tensor(context, name);
    if (index < 0) UNLOCK(false);
    struct tensor *tensor = &plan->tensors[index];
    if ((uintptr_t)address % 256 != 0) {
        error(context->base.logger, "IExecutionContext::setTensorAddress: Error Code 3: API Usage Error (Parameter"
            " check failed, condition: isAligned. Address of tensor %s is not aligned to 256 bytes.)", name);
        UNLOCK(false);
    }
    if (tensor->host && double_is_device_memory(address, 1))
        double_violation("the address of %s is not in host memory", name);
    context->addresses[index] = address;
    UNLOCK(true);
failed:
    return false;
}

/* Whether the values of a shape tensor are set and in the profile's range. */
static bool values_admitted(struct context *context, int index) {
    struct tensor *tensor = &context->engine->plan.tensors[index];
    struct range *range = &tensor->ranges[context->profile];
    for (int64_t i = 0; range->has_values && i < elements(&tensor->dims); i++) {
        int64_t value = shape_value(tensor, context->addresses[index], i);
        if (value < range->values[kMIN][i] || value > range->values[kMAX][i]) return false;
    }
    return true;
}

static bool insufficient(struct context *context, int index) {
    struct tensor *tensor = &context->engine->plan.tensors[index];
    Dims dims = input_dims(context, index);
    return tensor->input && (!is_concrete(&dims) || (tensor->shape && !context->addresses[index]));
}

/* Whether the shapes of all tensors fit together. Logs why not. */
static bool check_shapes(struct context *context, const char *method) {
    struct plan *plan = &context->engine->plan;
    for (int i = 0; i < plan->count; i++) {
        struct tensor *tensor = &plan->tensors[i];
        if (tensor->input && tensor->shape && !values_admitted(context, i)) {
            error(context->base.logger, "IExecutionContext::%s: Error Code 7: Internal Error (values of shape"
                " tensor %s are not in the range of profile %d)", method, tensor->name, context->profile);
            return false;
        }
        if (tensor->input || !strcmp(tensor->op, "fail")) continue;
        Dims first = input_dims(context, tensor->operand[0]), dims = output_dims(context, i);
        bool binary = !strcmp(tensor->op, "add") || !strcmp(tensor->op, "sub");
        Dims second = binary ? input_dims(context, tensor->operand[1]) : first;
        bool reshape = !strcmp(tensor->op, "reshape");
        if (!same_dims(&first, &second) || (reshape && elements(&first) != elements(&dims))) {
            char a[256], b[256];
            error(context->base.logger, "IExecutionContext::%s: Error Code 7: Internal Error (%s: dimensions %s and"
                " %s do not fit)", method, tensor->name, dims_text(&first, a), dims_text(reshape ? &dims : &second, b));
            return false;
        }
    }
    return true;
}

/* Writes the outputs that are shape tensors. */
static void write_shape_outputs(struct context *context) {
    struct plan *plan = &context->engine->plan;
    for (int i = 0; i < plan->count; i++) {
        struct tensor *tensor = &plan->tensors[i];
        if (tensor->input || !tensor->shape || !context->addresses[i]) continue;
        Dims dims = input_dims(context, tensor->operand[0]);
        for (int j = 0; j < dims.nbDims; j++) {
            if (tensor->type == kINT32) ((int32_t *)context->addresses[i])[j] = (int32_t)dims.d[j];
            else ((int64_t *)context->addresses[i])[j] = dims.d[j];
        }
    }
}

static int32_t context_infer_shapes(void *self, int32_t max, const char **names) {
    CONTEXT(inferShapes);
    int missing = 0;
    if (max < 0 || (max > 0 && !names)) UNLOCK(-1);
    for (int i = 0; i < plan->count; i++)
        if (insufficient(context, i)) {
            if (missing < max) names[missing] = plan->tensors[i].name;
            missing++;
        }
    if (missing) UNLOCK(missing);
    if (!check_shapes(context, "inferShapes")) UNLOCK(-1);
    write_shape_outputs(context);
    UNLOCK(0);
failed:
    return -1;
}

static bool context_set_consumed(void *self, void *event) {
    CONTEXT(setInputConsumedEvent);
    (void)plan;
    context->consumed = event;
    UNLOCK(true);
failed:
    return false;
}

static bool context_set_allocator(void *self, const char *name, void *allocator) {
    CONTEXT(setOutputAllocator);
    int index = context_tensor(context, name);
    if (index < 0 || plan->tensors[index].input) UNLOCK(false);
    if (allocator) check_interface(allocator, "IOutputAllocator");
    context->allocators[index] = allocator;
    UNLOCK(true);
failed:
    return false;
}

/* Above the exact size, as an upper bound may be. */
static int64_t context_max_size(void *self, const char *name) {
    CONTEXT(getMaxOutputSize);
    int index = context_tensor(context, name);
    if (index < 0 || plan->tensors[index].input) UNLOCK(-1);
    struct tensor *tensor = &plan->tensors[index];
    Dims dims = output_dims(context, index);
    if (!strcmp(tensor->op, "nonzero")) {
        Dims operand = input_dims(context, tensor->operand[0]);
        dims.d[1] = is_concrete(&operand) ? elements(&operand) : -1;
    }
    int64_t size = is_concrete(&dims) ? elements(&dims) * type_sizes[tensor->type] : -1;
    UNLOCK(size < 0 ? -1 : (size + 255) / 256 * 256);
failed:
    return -1;
}

/* ---- execution context: inference ---- */

/* One inference: what was set when it was enqueued. A graph may execute it several times. */
struct inference {
    struct context *context;
    atomic_int *counter; /* in which it counts */
    atomic_int references;
    Dims dims[MAX_TENSORS];
    char *addresses[MAX_TENSORS], *inputs[MAX_TENSORS];
};

static size_t byte_size(const struct inference *inference, int index) {
    return (size_t)(elements(&inference->dims[index]) * type_sizes[inference->context->engine->plan.tensors[index].type]);
}

static bool usable(const struct inference *inference, int index, const char *when) {
    struct tensor *tensor = &inference->context->engine->plan.tensors[index];
    size_t size = byte_size(inference, index);
    if (tensor->host || size == 0 || double_is_device_memory(inference->addresses[index], size)) return true;
    double_violation("%s: %zu bytes of %s at %p are not in device memory", when, size, tensor->name,
        (void *)inference->addresses[index]);
    return false;
}

/* Work on the stream: reads the inputs. */
static void read_inputs(void *argument) {
    struct inference *inference = argument;
    struct plan *plan = &inference->context->engine->plan;
    if (inference->context->executing) double_violation("two streams execute one context at once");
    inference->context->executing = inference;
    for (int i = 0; i < plan->count; i++)
        if (plan->tensors[i].input && !plan->tensors[i].host && usable(inference, i, "inputs are read"))
            memcpy(inference->inputs[i], inference->addresses[i], byte_size(inference, i));
}

static double get(const void *data, int type, int64_t i) {
    switch (type) {
    case kFLOAT: return ((const float *)data)[i];
    case kINT8: return ((const int8_t *)data)[i];
    case kINT32: return ((const int32_t *)data)[i];
    case kINT64: return (double)((const int64_t *)data)[i];
    default: return ((const uint8_t *)data)[i];
    }
}

static void put(void *data, int type, int64_t i, double value) {
    switch (type) {
    case kFLOAT: ((float *)data)[i] = (float)value; break;
    case kINT8: ((int8_t *)data)[i] = (int8_t)(int64_t)value; break;
    case kINT32: ((int32_t *)data)[i] = (int32_t)value; break;
    case kINT64: ((int64_t *)data)[i] = (int64_t)value; break;
    default: ((uint8_t *)data)[i] = (uint8_t)(int64_t)value; break;
    }
}

static bool is_zero(const char *data, int size) {
    for (int i = 0; i < size; i++)
        if (data[i]) return false;
    return true;
}

/* The indices of elements other than zero, by dimension; counts them if `result` is null. */
static int64_t nonzero(const char *data, int size, const Dims *dims, int64_t *result, int64_t stride) {
    int64_t count = 0;
    for (int64_t i = 0; i < elements(dims); i++) {
        if (is_zero(data + i * size, size)) continue;
        int64_t rest = i;
        for (int j = dims->nbDims - 1; result && j >= 0; j--) {
            result[j * stride + count] = rest % dims->d[j];
            rest /= dims->d[j];
        }
        count++;
    }
    return count;
}

static void compute(struct inference *inference, int index) {
    struct plan *plan = &inference->context->engine->plan;
    struct tensor *output = &plan->tensors[index];
    char *to = inference->addresses[index], *a = inference->inputs[output->operand[0]];
    int type = plan->tensors[output->operand[0]].type;
    if (!strcmp(output->op, "nonzero")) {
        nonzero(a, type_sizes[type], &inference->dims[output->operand[0]], (int64_t *)to, inference->dims[index].d[1]);
        return;
    }
    if (!strcmp(output->op, "identity") || !strcmp(output->op, "reshape")) {
        memcpy(to, a, byte_size(inference, index));
        return;
    }
    char *b = inference->inputs[output->operand[1]];
    for (int64_t i = 0; i < elements(&inference->dims[index]); i++) {
        double x = get(a, type, i), value = x * output->factor + output->offset;
        if (!strcmp(output->op, "add")) value = x + get(b, type, i);
        if (!strcmp(output->op, "sub")) value = x - get(b, type, i);
        put(to, output->type, i, value);
    }
}

/* Work on the stream: writes the outputs. */
static void write_outputs(void *argument) {
    struct inference *inference = argument;
    struct plan *plan = &inference->context->engine->plan;
    for (int i = 0; i < plan->count; i++) {
        struct tensor *tensor = &plan->tensors[i];
        if (!tensor->input && !tensor->shape && usable(inference, i, "outputs are written")) compute(inference, i);
    }
    inference->context->executing = NULL;
}

static void release_inference(void *argument) {
    struct inference *inference = argument;
    if (--inference->references > 0) return;
    --*inference->counter;
    if (inference->context->executing == inference) inference->context->executing = NULL;
    for (int i = 0; i < MAX_TENSORS; i++) free(inference->inputs[i]);
    free(inference);
}

static bool refuse(struct context *context, const char *tensor, const char *what) {
    error(context->base.logger, "IExecutionContext::enqueueV3: Error Code 3: API Usage Error (Parameter check failed:"
        " %s for tensor %s.)", what, tensor);
    return false;
}

/* Gives memory to an output whose dimensions depend on data, and says which they are. */
static bool allocate_output(struct inference *inference, int index, void *stream) {
    struct context *context = inference->context;
    struct plan *plan = &context->engine->plan;
    struct tensor *output = &plan->tensors[index];
    void *allocator = context->allocators[index];
    if (!strcmp(output->op, "nonzero")) {
        int operand = output->operand[0];
        if (double_is_capturing(stream)) return refuse(context, output->name, "Data-dependent shape in a capture");
        if (cudaStreamSynchronize(stream) != 0) return refuse(context, output->name, "Cuda failure");
        if (!usable(inference, operand, "enqueueV3")) return refuse(context, output->name, "Illegal address");
        inference->dims[index].d[1] = nonzero(inference->addresses[operand], type_sizes[plan->tensors[operand].type],
            &inference->dims[operand], NULL, 0);
    }
    if (!allocator) return true;
    size_t size = byte_size(inference, index);
    struct trt_IOutputAllocator *table = *(struct trt_IOutputAllocator **)allocator;
    inference->addresses[index] = table->reallocateOutputAsync(
        allocator, output->name, context->addresses[index], size ? size : 1, 256, stream);
    if (!inference->addresses[index]) return refuse(context, output->name, "The allocator has no memory");
    if ((uintptr_t)inference->addresses[index] % 256) double_violation("an allocator's address is not aligned");
    table->notifyShape(allocator, output->name, &inference->dims[index]);
    return true;
}

/* Checks what is set, and copies it. */
static bool prepare(struct inference *inference, void *stream) {
    struct context *context = inference->context;
    struct plan *plan = &context->engine->plan;
    for (int i = 0; i < plan->count; i++) {
        struct tensor *tensor = &plan->tensors[i];
        if (insufficient(context, i)) return refuse(context, tensor->name, "Shape or values are not set");
        if (tensor->input ? !context->addresses[i] : !context->addresses[i] && !context->allocators[i])
            return refuse(context, tensor->name, "Neither address nor allocator is set");
        if (!tensor->input && !strcmp(tensor->op, "fail")) return refuse(context, tensor->name, "It fails as planned");
    }
    if (!check_shapes(context, "enqueueV3")) return false;
    for (int i = 0; i < plan->count; i++) {
        inference->dims[i] = plan->tensors[i].input ? input_dims(context, i) : output_dims(context, i);
        inference->addresses[i] = context->addresses[i];
        if (plan->tensors[i].input) {
            size_t size = byte_size(inference, i);
            inference->inputs[i] = malloc(size ? size : 1);
            if (plan->tensors[i].host) memcpy(inference->inputs[i], inference->addresses[i], size);
        }
    }
    for (int i = 0; i < plan->count; i++) {
        if (plan->tensors[i].input || plan->tensors[i].shape) continue;
        if (!allocate_output(inference, i, stream)) return false;
    }
    write_shape_outputs(context);
    return true;
}

static bool context_enqueue(void *self, void *stream) {
    CONTEXT(enqueueV3);
    (void)plan;
    check_stream(context, stream);
    if (double_stream_device(stream) != context->engine->device)
        double_violation("an inference is enqueued on a stream of another device than the engine's");
    struct inference *inference = calloc(1, sizeof *inference);
    inference->context = context;
    inference->counter = double_is_capturing(stream) ? &context->captured : &context->pending;
    inference->references = 1;
    ++*inference->counter;
    int code = 1;
    if (prepare(inference, stream)) {
        inference->references++;
        code = double_enqueue_owned(stream, read_inputs, inference, release_inference);
        if (code == 0 && context->consumed) code = double_record(context->consumed, stream);
        if (code == 0) {
            inference->references++;
            code = double_enqueue_owned(stream, write_outputs, inference, release_inference);
        }
        if (code) error(context->base.logger, "IExecutionContext::enqueueV3: Error Code 1: Cuda Runtime (error %d)", code);
    }
    release_inference(inference);
    UNLOCK(code == 0);
failed:
    return false;
}

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
