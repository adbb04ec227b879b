/*
 * An inference with two inputs and two outputs that makes the native calls which TensorRtInferenceBenchmark makes from
 * Java. What it costs on the doubles is what the doubles cost.
 */
#include <stdlib.h>
#include <string.h>

#include "nvinfer.h"

int cudaSetDevice(int device);
int cudaStreamCreateWithPriority(void **stream, unsigned flags, int priority);
int cudaEventCreateWithFlags(void **event, unsigned flags);
int cudaMalloc(void **address, size_t size);
int cudaHostAlloc(void **address, size_t size, unsigned flags);
int cudaMemcpyAsync(void *to, const void *from, size_t size, int kind, void *stream);
int cudaEventRecord(void *event, void *stream);
int cudaStreamWaitEvent(void *stream, void *event, unsigned flags);
int cudaEventSynchronize(void *event);

enum { TENSORS = 4, STREAMS = 3 };

static const char *const names[TENSORS] = {"INPUT0", "INPUT1", "OUTPUT0", "OUTPUT1"};

struct inference {
    void *context; /* the implementation */
    void *host[TENSORS], *device[TENSORS];
    size_t size;
    void *copy_in, *compute, *copy_out;
    void *copied_in, *computed, *copied_out;
    struct trt_Dims dims;
};

static void discard(void *self, int32_t severity, const char *message) {
    (void) self, (void) severity, (void) message;
}

static struct trt10_ILogger logger_table = {.log = discard};
static struct { struct trt10_ILogger *table; } logger = {&logger_table};

static void *table_of(void *object) { return ((struct trt_Object *) object)->impl->table; }
static void *impl_of(void *object) { return ((struct trt_Object *) object)->impl; }

/* Opens an inference for the life of the process; null if a call fails. */
struct inference *inference_open(const char *plan, int64_t rows, int64_t columns) {
    struct inference *i = calloc(1, sizeof *i);
    int failed = cudaSetDevice(0);
    void *runtime = createInferRuntime_INTERNAL(&logger, 101501);
    struct trt10_IRuntime *runtimes = table_of(runtime);
    void *engine = runtimes->deserializeCudaEngine(impl_of(runtime), plan, strlen(plan));
    if (!engine) return NULL;
    struct trt10_ICudaEngine *engines = table_of(engine);
    i->context = impl_of(engines->createExecutionContext(impl_of(engine), kSTATIC));
    const struct trt10_IExecutionContext *table = ((struct trt_Implementation *) i->context)->table;
    i->size = (size_t) (rows * columns) * sizeof(float);
    i->dims = (struct trt_Dims) {2, {rows, columns}};
    void **streams[STREAMS] = {&i->copy_in, &i->compute, &i->copy_out};
    void **events[STREAMS] = {&i->copied_in, &i->computed, &i->copied_out};
    for (int k = 0; k < STREAMS; k++) {
        failed |= cudaStreamCreateWithPriority(streams[k], 1, 0);
        failed |= cudaEventCreateWithFlags(events[k], 2);
    }
    for (int t = 0; t < TENSORS; t++) {
        failed |= cudaMalloc(&i->device[t], i->size);
        failed |= cudaHostAlloc(&i->host[t], i->size, 1);
        failed |= !table->setTensorAddress(i->context, names[t], i->device[t]);
    }
    return failed ? NULL : i;
}

/* Runs the inference `count` times; returns how often each call succeeded. */
int64_t inference_run(const struct inference *i, int64_t count) {
    void *self = i->context;
    int64_t succeeded = 0;
    for (int64_t n = 0; n < count; n++) {
        const struct trt10_IExecutionContext *table = ((struct trt_Implementation *) self)->table;
        int failed = 0;
        for (int t = 0; t < 2; t++) {
            failed |= cudaMemcpyAsync(i->device[t], i->host[t], i->size, 1, i->copy_in);
            failed |= !table->setInputShape(self, names[t], &i->dims);
        }
        failed |= cudaEventRecord(i->copied_in, i->copy_in);
        failed |= cudaStreamWaitEvent(i->compute, i->copied_in, 0);
        failed |= !table->enqueueV3(self, i->compute);
        failed |= cudaEventRecord(i->computed, i->compute);
        failed |= cudaStreamWaitEvent(i->copy_out, i->computed, 0);
        for (int t = 2; t < TENSORS; t++) {
            failed |= table->getTensorShape(self, names[t]).d[0] != i->dims.d[0];
            failed |= cudaMemcpyAsync(i->host[t], i->device[t], i->size, 2, i->copy_out);
        }
        failed |= cudaEventRecord(i->copied_out, i->copy_out);
        failed |= cudaEventSynchronize(i->copied_out);
        succeeded += !failed;
    }
    return succeeded;
}
