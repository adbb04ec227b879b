/*
 * An execution context whose methods do next to nothing, behind a table of TensorRT 10, and loops that call the methods
 * as a C program would. What a call costs remains.
 */
#include "trt10_abi.h"

static void *last_address;
static void *last_stream;

/* The loops must not see what they call. */
#define OPAQUE __attribute__((noinline, noipa))

OPAQUE static bool set_tensor_address(void *self, const char *tensorName, void *data) {
    last_address = data;
    return self != tensorName;
}

OPAQUE static struct trt_Dims get_tensor_shape(void *self, const char *tensorName) {
    struct trt_Dims dims = {2, {self != tensorName, 16}};
    return dims;
}

OPAQUE static bool enqueue(void *self, void *stream) {
    last_stream = stream;
    return self != stream;
}

static struct trt10_IExecutionContext table = {
    .setTensorAddress = set_tensor_address,
    .getTensorShape = get_tensor_shape,
    .enqueueV3 = enqueue,
};

static struct trt_Implementation implementation = {&table};

/* The implementation of the context. */
void *table_calls_context(void) { return &implementation; }

static const struct trt10_IExecutionContext *table_of(void *context) {
    return ((struct trt_Implementation *) context)->table;
}

/* Each loop reads the table anew for every call, as compiled C++ does, and returns how many calls succeeded. */

int64_t table_calls_set_tensor_address(void *volatile *context, const char *name, void *data, int64_t count) {
    int64_t succeeded = 0;
    for (int64_t i = 0; i < count; i++) {
        void *self = *context;
        succeeded += table_of(self)->setTensorAddress(self, name, data);
    }
    return succeeded;
}

int64_t table_calls_get_tensor_shape(void *volatile *context, const char *name, int64_t count) {
    int64_t succeeded = 0;
    for (int64_t i = 0; i < count; i++) {
        void *self = *context;
        struct trt_Dims dims = table_of(self)->getTensorShape(self, name);
        succeeded += dims.d[0];
    }
    return succeeded;
}

int64_t table_calls_enqueue(void *volatile *context, void *stream, int64_t count) {
    int64_t succeeded = 0;
    for (int64_t i = 0; i < count; i++) {
        void *self = *context;
        succeeded += table_of(self)->enqueueV3(self, stream);
    }
    return succeeded;
}
