/* The runtime and the engine of the libnvinfer double. */
#ifndef NEREID_NVINFER_ENGINE_H
#define NEREID_NVINFER_ENGINE_H

#include "nvinfer_double.h"

struct runtime {
    struct base base;
    bool host_code;
};

struct engine {
    struct base base;
    struct plan plan;
    int device;
    void *weights;
    atomic_bool deleting; /* one of its contexts */
};

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

#endif
