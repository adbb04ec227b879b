/*
 * The execution context of the libnvinfer double: what is set, the shapes that follow from it, and
 * inferences.
 */
#ifndef NEREID_NVINFER_CONTEXT_H
#define NEREID_NVINFER_CONTEXT_H

#define OUTPUT_ALIGNMENT 512 /* what TensorRT 10.6 asks of an IOutputAllocator on an H200 */

#include <sched.h>

#include "nvinfer_engine.h"

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
    if (engine->deleting) double_violation("a context is created while another one of its engine is deleted");
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

/*
 * TensorRT lists what threads may do with the objects of one engine at the same time: read it, create
 * contexts, and use a context each. To delete one is not listed. Takes a while, so that others meet it.
 */
static void delete_context(void *object) {
    struct context *context = (struct context *)base_of(object);
    struct engine *engine = context->engine;
    if (atomic_exchange(&engine->deleting, true))
        double_violation("two contexts of an engine are deleted at the same time");
    for (int i = 0; i < 50; i++) sched_yield();
    if (context->busy) double_violation("a context is deleted by one thread while another calls it");
    if (context->pending) double_violation("a context is deleted before its work is executed");
    if (context->captured) double_violation("a context is deleted before the graphs that execute it");
    bury(object);
    if (context->memory) cudaFree(context->memory);
    engine->deleting = false;
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
    UNLOCK(double_enqueue(stream, nothing, &context->pending, done) == 0);
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

/* ---- inference ---- */

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
        allocator, output->name, context->addresses[index], size ? size : 1, OUTPUT_ALIGNMENT, stream);
    if (!inference->addresses[index]) return refuse(context, output->name, "The allocator has no memory");
    if ((uintptr_t)inference->addresses[index] % OUTPUT_ALIGNMENT) double_violation("an allocator's address is not aligned");
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
        code = double_enqueue(stream, read_inputs, inference, release_inference);
        if (code == 0 && context->consumed) code = double_record(context->consumed, stream);
        if (code == 0) {
            inference->references++;
            code = double_enqueue(stream, write_outputs, inference, release_inference);
        }
        if (code) error(context->base.logger, "IExecutionContext::enqueueV3: Error Code 1: Cuda Runtime (error %d)", code);
    }
    release_inference(inference);
    UNLOCK(code == 0);
failed:
    return false;
}

#endif
