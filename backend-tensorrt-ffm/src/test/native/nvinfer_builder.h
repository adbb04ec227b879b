/*
 * The builder of the libnvinfer double. A network is the lines of a plan, which the double of the
 * parser adds with double_network_define; a build adds the version, the GPU, the ranges of the
 * profiles, and comments with the settings of the configuration.
 */
#ifndef NEREID_NVINFER_BUILDER_H
#define NEREID_NVINFER_BUILDER_H

#include <pthread.h>

#include "nvinfer_double.h"

struct host_memory {
    struct base base;
    char *data;
    size_t size;
};

struct profile {
    struct base base;
    struct plan ranges; /* of its tensors, only the names and profile 0 are used */
    bool complete[MAX_TENSORS][3], values[MAX_TENSORS];
    int value_count[MAX_TENSORS];
    struct profile *next;
};

struct builder {
    struct base base;
    struct profile *profiles;
};

struct timing_cache {
    struct base base;
    int entries;
    struct base *builder; /* that uses it */
};

struct config {
    struct base base;
    uint64_t flags;
    struct profile *profiles[MAX_PROFILES];
    int profile_count, level;
    size_t workspace;
    struct timing_cache *cache;
    void *monitor;
};

struct network;

struct network_tensor {
    struct base base;
    struct network *network;
    int index;
};

struct network {
    struct base base;
    uint32_t flags;
    char *text;
    struct plan plan;
    bool parsed; /* by parsers, of which so many are not deleted */
    int parsers;
    struct network_tensor *tensors[MAX_TENSORS];
};

static void *host_memory(char *data, size_t size, void *logger) {
    struct host_memory *memory = make(IHostMemory, sizeof *memory, NULL, logger);
    memory->data = data;
    memory->size = size;
    return &memory->base.object;
}

static void *host_memory_data(void *self) {
    return enter(self, IHostMemory, M_IHostMemory_data) ? NULL : ((struct host_memory *)self)->data;
}

static size_t host_memory_size(void *self) {
    return enter(self, IHostMemory, M_IHostMemory_size) ? 0 : ((struct host_memory *)self)->size;
}

static void delete_host_memory(void *object) {
    struct host_memory *memory = (struct host_memory *)bury(object);
    memset(memory->data, 0xDD, memory->size);
    free(memory->data);
}

#define FILE_NOT_FOUND 301 /* cudaErrorFileNotFound: a fault that stands for kernels which are not found */
#define RESOURCES "libnvinfer_builder_resource.so.10.6.0"

void *createInferBuilder_INTERNAL(void *logger, int32_t asked) {
    int devices = 0;
    if (asked / 10000 != version / 10000) misuse("asked for version %d, is %d", asked, version);
    if (!is_10()) check_interface(logger, "ILogger");
    if (cudaGetDeviceCount(&devices) != 0 || devices == 0) {
        error(logger, "CUDA initialization failure with error: 35. Please check your CUDA installation");
        return NULL;
    }
    int fault = double_call(&functions[M_createInferBuilder]);
    if (fault == FILE_NOT_FOUND) {
        /* of TensorRT 10.6 on an H200, whose loader did not find the file, though it lay beside libnvinfer */
        error(logger, "createInferBuilder: Error Code 6: API Usage Error (Unable to load library: %s: %s: cannot"
            " open shared object file: No such file or directory)", RESOURCES, RESOURCES);
    } else if (fault != 0) {
        planted(logger, M_createInferBuilder);
    }
    if (fault != 0) return NULL;
    struct builder *builder = make(IBuilder, sizeof *builder, NULL, logger);
    return &builder->base.object;
}

static void delete_builder(void *object) {
    struct builder *builder = (struct builder *)bury(object);
    for (struct profile *profile = builder->profiles; profile; profile = profile->next) {
        profile->base.dead = true;
        double_count(live[IOptimizationProfile], -1);
    }
}

static void *builder_create_config(void *self) {
    struct builder *builder = self;
    if (enter(self, IBuilder, M_IBuilder_createBuilderConfig)) return NULL;
    struct config *config = make(IBuilderConfig, sizeof *config, &builder->base, builder->base.logger);
    config->level = 3;
    config->flags = 1ULL << trt10_kTF32; /* the same number in 11 */
    return &config->base.object;
}

static void *builder_create_network(void *self, uint32_t flags) {
    struct builder *builder = self;
    if (enter(self, IBuilder, M_IBuilder_createNetworkV2)) return NULL;
    struct network *network =
        make(INetworkDefinition, sizeof *network, &builder->base, builder->base.logger);
    if (flags & ~(is_10() ? 1U << trt10_kSTRONGLY_TYPED : 0U))
        double_violation("a network has flags %u", flags);
    network->flags = flags;
    network->text = strdup("");
    init_plan(&network->plan);
    return &network->base.object;
}

/* The profile belongs to the builder. */
static void *builder_create_profile(void *self) {
    struct builder *builder = self;
    if (enter(self, IBuilder, M_IBuilder_createOptimizationProfile)) return NULL;
    struct profile *profile = make(IOptimizationProfile, sizeof *profile, NULL, builder->base.logger);
    init_plan(&profile->ranges);
    profile->next = builder->profiles;
    builder->profiles = profile;
    return &profile->base.object;
}

static int profile_tensor(struct profile *profile, const char *name) {
    int index = find_tensor(&profile->ranges, name);
    if (index < 0) {
        index = profile->ranges.count++;
        snprintf(profile->ranges.tensors[index].name, NAME_SIZE, "%s", name);
    }
    return index;
}

static bool profile_set_dimensions(void *self, const char *name, int32_t select, const Dims *dims) {
    struct profile *profile = self;
    if (enter(self, IOptimizationProfile, M_IOptimizationProfile_setDimensions)) return false;
    if (select < 0 || select > 2 || !is_concrete(dims)) {
        error(profile->base.logger, "IOptimizationProfile::setDimensions: Error Code 3: API Usage Error");
        return false;
    }
    int index = profile_tensor(profile, name);
    profile->ranges.tensors[index].ranges[0].dims[select] = *dims;
    profile->complete[index][select] = true;
    return true;
}

static bool profile_set_values(
    void *self, const char *name, int32_t select, const int64_t *values, int32_t count) {
    struct profile *profile = self;
    if (enter(self, IOptimizationProfile, M_IOptimizationProfile_setShapeValuesV2)) return false;
    if (select < 0 || select > 2 || count > MAX_VALUES) return false;
    int index = profile_tensor(profile, name);
    profile->values[index] = true;
    profile->value_count[index] = count;
    memcpy(profile->ranges.tensors[index].ranges[0].values[select], values, sizeof *values * (size_t)count);
    profile->complete[index][select] = true;
    return true;
}

static bool profile_valid(struct profile *profile) {
    for (int i = 0; i < profile->ranges.count; i++) {
        struct range *range = &profile->ranges.tensors[i].ranges[0];
        for (int j = 0; j < 3; j++)
            if (!profile->complete[i][j]) return false;
        for (int j = 0; j < range->dims[0].nbDims; j++)
            if (range->dims[0].d[j] > range->dims[1].d[j] || range->dims[1].d[j] > range->dims[2].d[j])
                return false;
    }
    return true;
}

static bool profile_is_valid(void *self) {
    if (enter(self, IOptimizationProfile, M_IOptimizationProfile_isValid)) return false;
    return profile_valid(self);
}

static void check_flag(int32_t flag) {
    bool known = flag == trt10_kTF32
        || (is_10() && (flag == trt10_kFP16 || flag == trt10_kINT8 || flag == trt10_kBF16));
    if (!known) double_violation("there is no flag %d in version %d", flag, version);
}

static void config_set_flag(void *self, int32_t flag) {
    if (enter(self, IBuilderConfig, M_IBuilderConfig_setFlag)) return;
    check_flag(flag);
    ((struct config *)self)->flags |= 1ULL << flag;
}

static void config_clear_flag(void *self, int32_t flag) {
    if (enter(self, IBuilderConfig, M_IBuilderConfig_clearFlag)) return;
    check_flag(flag);
    ((struct config *)self)->flags &= ~(1ULL << flag);
}

static int32_t config_add_profile(void *self, const void *object) {
    struct config *config = self;
    if (enter(self, IBuilderConfig, M_IBuilderConfig_addOptimizationProfile)) return -1;
    struct profile *profile = (struct profile *)base_of((void *)object);
    if (profile->base.kind != IOptimizationProfile) misuse("addOptimizationProfile of another object");
    if (!profile_valid(profile) || config->profile_count == MAX_PROFILES) {
        error(config->base.logger, "IBuilderConfig::addOptimizationProfile: Error Code 3: API Usage Error"
            " (Parameter check failed, condition: profile->isValid().)");
        return -1;
    }
    config->profiles[config->profile_count] = profile;
    return config->profile_count++;
}

#define CACHE_MAGIC "nereid-timing-cache %d"

static void *config_create_cache(void *self, const void *blob, size_t size) {
    struct config *config = self;
    if (enter(self, IBuilderConfig, M_IBuilderConfig_createTimingCache)) return NULL;
    int entries = 0;
    char text[64];
    snprintf(text, sizeof text, "%.*s", (int)size, size ? (const char *)blob : "");
    if (size && sscanf(text, CACHE_MAGIC, &entries) != 1) {
        error(config->base.logger, "IBuilderConfig::createTimingCache: Error Code 1: Serialization");
        return NULL;
    }
    struct timing_cache *cache = make(ITimingCache, sizeof *cache, NULL, config->base.logger);
    cache->entries = entries;
    return &cache->base.object;
}

static bool config_set_cache(void *self, const void *cache, bool ignore_mismatch) {
    (void)ignore_mismatch;
    if (enter(self, IBuilderConfig, M_IBuilderConfig_setTimingCache)) return false;
    struct config *config = self;
    config->cache = (struct timing_cache *)base_of((void *)cache);
    config->cache->builder = config->base.parent;
    return true;
}

static const void *config_get_cache(void *self) {
    struct config *config = self;
    if (enter(self, IBuilderConfig, M_IBuilderConfig_getTimingCache)) return NULL;
    return config->cache ? &config->cache->base.object : NULL;
}

static void *cache_serialize(void *self) {
    struct timing_cache *cache = self;
    if (enter(self, ITimingCache, M_ITimingCache_serialize)) return NULL;
    char *text = malloc(64);
    int size = snprintf(text, 64, CACHE_MAGIC, cache->entries);
    return host_memory(text, (size_t)size, cache->base.logger);
}

static void config_set_limit(void *self, int32_t pool, size_t size) {
    if (enter(self, IBuilderConfig, M_IBuilderConfig_setMemoryPoolLimit)) return;
    if (pool == kWORKSPACE) ((struct config *)self)->workspace = size;
}

static void config_set_level(void *self, int32_t level) {
    if (enter(self, IBuilderConfig, M_IBuilderConfig_setBuilderOptimizationLevel)) return;
    ((struct config *)self)->level = level;
}

static void config_set_monitor(void *self, void *monitor) {
    if (enter(self, IBuilderConfig, M_IBuilderConfig_setProgressMonitor)) return;
    if (monitor) check_interface(monitor, "IProgressMonitor");
    ((struct config *)self)->monitor = monitor;
}

/* For the double of the parser: adds lines "input" and "output". Returns whether they can be read. */
bool double_network_define(void *object, const char *lines, size_t size) {
    struct network *network = (struct network *)base_of(object);
    if (network->base.kind != INetworkDefinition || network->base.dead)
        misuse("double_network_define of another object");
    char *bad = read_lines(&network->plan, lines, size);
    free(bad);
    if (bad) return false;
    size_t before = strlen(network->text);
    network->text = realloc(network->text, before + size + 2);
    memcpy(network->text + before, lines, size);
    strcpy(network->text + before + size, "\n");
    return true;
}

/* For the double of the parser, which owns the weights of the network: it is made or deleted. */
void double_network_parser(void *object, int change) {
    struct network *network = (struct network *)base_of(object);
    if (network->base.kind != INetworkDefinition) misuse("a parser of another object");
    if (network->base.dead) double_violation("a network is deleted before its parser");
    network->parsed = true;
    network->parsers += change;
}

static int network_input(struct network *network, int number) {
    for (int i = 0; i < network->plan.count; i++)
        if (network->plan.tensors[i].input && number-- == 0) return i;
    return -1;
}

static int32_t network_inputs(void *self) {
    int count = 0;
    if (enter(self, INetworkDefinition, M_INetworkDefinition_getNbInputs)) return 0;
    while (network_input(self, count) >= 0) count++;
    return count;
}

static void *network_get_input(void *self, int32_t number) {
    struct network *network = self;
    if (enter(self, INetworkDefinition, M_INetworkDefinition_getInput)) return NULL;
    int index = network_input(network, number);
    if (index < 0) return NULL;
    if (!network->tensors[index]) {
        struct network_tensor *tensor = make(ITensor, sizeof *tensor, NULL, network->base.logger);
        tensor->network = network;
        tensor->index = index;
        network->tensors[index] = tensor;
    }
    return &network->tensors[index]->base.object;
}

/* The tensors belong to the network. */
static void delete_network(void *object) {
    struct network *network = (struct network *)bury(object);
    for (int i = 0; i < MAX_TENSORS; i++)
        if (network->tensors[i]) {
            network->tensors[i]->base.dead = true;
            double_count(live[ITensor], -1);
        }
    free(network->text);
}

static struct tensor *described(void *self) {
    struct network_tensor *tensor = self;
    return &tensor->network->plan.tensors[tensor->index];
}

static const char *tensor_name(void *self) {
    return enter(self, ITensor, M_ITensor_getName) ? NULL : described(self)->name;
}

static Dims tensor_dimensions(void *self) {
    return enter(self, ITensor, M_ITensor_getDimensions) ? (Dims){-1, {0}} : described(self)->dims;
}

static int32_t tensor_type(void *self) {
    return enter(self, ITensor, M_ITensor_getType) ? 0 : described(self)->type;
}

static bool tensor_is_shape(void *self) {
    return !enter(self, ITensor, M_ITensor_isShapeTensor) && described(self)->shape;
}

struct phase {
    void *monitor;
    bool go_on;
};

/* Runs on a thread that the JVM does not know, as phases of the real builder may. */
static void *report_phase(void *argument) {
    struct phase *phase = argument;
    struct trt_IProgressMonitor *table = *(struct trt_IProgressMonitor **)phase->monitor;
    table->phaseStart(phase->monitor, "Timing tactics", "Building Engine", 1);
    phase->go_on = table->stepComplete(phase->monitor, "Timing tactics", 0);
    table->phaseFinish(phase->monitor, "Timing tactics");
    return NULL;
}

/* Reports three steps to the monitor. Returns false if it cancels the build. */
static bool report_progress(void *monitor) {
    if (!monitor) return true;
    struct trt_IProgressMonitor *table = *(struct trt_IProgressMonitor **)monitor;
    struct phase inner = {monitor, true};
    bool go_on = true;
    table->phaseStart(monitor, "Building Engine", NULL, 3);
    for (int step = 0; step < 3 && go_on; step++) {
        if (step == 1) {
            pthread_t thread;
            pthread_create(&thread, NULL, report_phase, &inner);
            pthread_join(thread, NULL);
        }
        go_on = inner.go_on && table->stepComplete(monitor, "Building Engine", step);
    }
    table->phaseFinish(monitor, "Building Engine");
    return go_on;
}

static bool write_ranges(FILE *out, struct network *network, struct config *config) {
    for (int i = 0; i < network->plan.count; i++) {
        struct tensor *input = &network->plan.tensors[i];
        if (!input->input) continue;
        bool needed = !is_concrete(&input->dims) || input->shape;
        if (needed && config->profile_count == 0) {
            error(config->base.logger, "IBuilder::buildSerializedNetwork: Error Code 4: API Usage Error (Network"
                " has dynamic or shape inputs, but no optimization profile has been defined.)");
            return false;
        }
        for (int p = 0; p < config->profile_count; p++) {
            struct profile *profile = config->profiles[p];
            int index = find_tensor(&profile->ranges, input->name);
            if (index < 0 && needed) {
                error(config->base.logger, "IBuilder::buildSerializedNetwork: Error Code 4: API Usage Error (%s:"
                    " dynamic input is missing dimensions in profile %d.)", input->name, p);
                return false;
            }
            if (index < 0) continue;
            struct range *range = &profile->ranges.tensors[index].ranges[0];
            fprintf(out, "%s %s %d", profile->values[index] ? "values" : "range", input->name, p);
            for (int j = 0; j < 3; j++) {
                Dims values = {profile->value_count[index], {0}};
                char text[256];
                memcpy(values.d, range->values[j], sizeof values.d);
                fprintf(out, " %s", dims_text(profile->values[index] ? &values : &range->dims[j], text));
            }
            fprintf(out, "\n");
        }
    }
    return true;
}

static void *builder_build(void *self, void *network_object, void *config_object) {
    struct builder *builder = self;
    if (enter(self, IBuilder, M_IBuilder_buildSerializedNetwork)) return NULL;
    struct network *network = (struct network *)base_of(network_object);
    struct config *config = (struct config *)base_of(config_object);
    if (network->base.kind != INetworkDefinition || config->base.kind != IBuilderConfig)
        misuse("buildSerializedNetwork of other objects");
    if (network->base.dead || config->base.dead) misuse("buildSerializedNetwork of deleted objects");
    if (network->parsed && network->parsers == 0)
        double_violation("a network is built whose parser, which owns its weights, is deleted");
    if (!report_progress(config->monitor)) {
        error(builder->base.logger, "IBuilder::buildSerializedNetwork: Error Code 4: Internal Error"
            " (Build was cancelled by the progress monitor.)");
        return NULL;
    }
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    fprintf(out, PLAN_MAGIC "version %d\ngpu %s\n", version, gpu);
    fprintf(out, "# network flags %u\n# flags %llu\n# level %d\n# workspace %zu\n", network->flags,
        (unsigned long long)config->flags, config->level, config->workspace);
    fprintf(out, "profiles %d\n%s", config->profile_count ? config->profile_count : 1, network->text);
    bool written = write_ranges(out, network, config);
    fclose(out);
    if (!written) {
        free(text);
        return NULL;
    }
    if (config->cache) config->cache->entries++;
    return host_memory(text, size, builder->base.logger);
}

static void delete_config(void *object) { bury(object); }

/* "The lifetime of the ITimingCache must exceed the lifetime of all builders that use it." */
static void delete_cache(void *object) {
    struct timing_cache *cache = (struct timing_cache *)bury(object);
    if (cache->builder && !cache->builder->dead)
        double_violation("a timing cache is deleted before the builder that uses it");
}

#endif
