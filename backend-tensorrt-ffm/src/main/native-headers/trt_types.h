/*
 * What the tables of TensorRT 10 and 11 have in common: types, enum constants and the signatures of
 * the methods that Nereid calls or implements. The source is NVIDIA's public C++ headers
 * (github.com/NVIDIA/TensorRT, include/); names are theirs.
 *
 * The C++ ABI is Itanium's (Linux on x86-64 and aarch64): a method is a function whose first
 * parameter is the object, and a struct is returned as C returns it.
 */
#ifndef NEREID_TRT_TYPES_H
#define NEREID_TRT_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* nvinfer1::Dims64. The rank is -1 if there is no such tensor, or its shape is not known. */
struct trt_Dims {
    int32_t nbDims;
    int64_t d[8];
};

/*
 * An object of the API, such as nvinfer1::ICudaEngine. Its public methods are inline: they call
 * the table of the implementation with the implementation as the first argument. Only the
 * deleting destructor is a function of the object's own table.
 */
struct trt_Object {
    struct trt_ObjectTable *table;
    struct trt_Implementation *impl;
};

/* The object behind an API object; begins with the pointer to its table. */
struct trt_Implementation {
    void *table;
};

typedef void (*trt_delete)(void *self);

struct trt_ObjectTable {
    void *completeDestructor;
    trt_delete deletingDestructor;
};

/* nvinfer1::DataType */
enum trt_DataType {
    kFLOAT = 0,
    kHALF = 1,
    kINT8 = 2,
    kINT32 = 3,
    kBOOL = 4,
    kUINT8 = 5,
    kFP8 = 6,
    kBF16 = 7,
    kINT64 = 8,
    kINT4 = 9,
    kFP4 = 10,
    kE8M0 = 11
};

/* nvinfer1::TensorIOMode */
enum trt_TensorIOMode { kNONE = 0, kINPUT = 1, kOUTPUT = 2 };

/* nvinfer1::TensorLocation */
enum trt_TensorLocation { kDEVICE = 0, kHOST = 1 };

/* nvinfer1::TensorFormat; all others are vectorized or padded. */
enum trt_TensorFormat { kLINEAR = 0 };

/* nvinfer1::OptProfileSelector */
enum trt_OptProfileSelector { kMIN = 0, kOPT = 1, kMAX = 2 };

/* nvinfer1::ExecutionContextAllocationStrategy */
enum trt_ExecutionContextAllocationStrategy { kSTATIC = 0, kON_PROFILE_CHANGE = 1 };

/* nvinfer1::MemoryPoolType */
enum trt_MemoryPoolType { kWORKSPACE = 0 };

/* nvinfer1::ILogger::Severity */
enum trt_Severity {
    kINTERNAL_ERROR = 0,
    kERROR = 1,
    kWARNING = 2,
    kINFO = 3,
    kVERBOSE = 4
};

/* nvinfer1::InterfaceInfo */
struct trt_InterfaceInfo {
    const char *kind;
    int32_t major;
    int32_t minor;
};

/* Of every interface that we implement. */
typedef int32_t (*trt_getAPILanguage)(void *self);
typedef struct trt_InterfaceInfo (*trt_getInterfaceInfo)(void *self);

/* nvinfer1::ILogger */
typedef void (*ILogger_log)(void *self, int32_t severity, const char *message);

/* nvinfer1::IOutputAllocator, version 1.0 */
typedef void *(*IOutputAllocator_reallocateOutput)(
    void *self, const char *tensorName, void *currentMemory, uint64_t size, uint64_t alignment);
typedef void *(*IOutputAllocator_reallocateOutputAsync)(
    void *self, const char *tensorName, void *currentMemory, uint64_t size, uint64_t alignment,
    void *stream);
typedef void (*IOutputAllocator_notifyShape)(
    void *self, const char *tensorName, const struct trt_Dims *dims);

struct trt_IOutputAllocator {
    trt_getAPILanguage getAPILanguage;
    trt_getInterfaceInfo getInterfaceInfo;
    trt_delete completeDestructor;
    trt_delete deletingDestructor;
    IOutputAllocator_reallocateOutput reallocateOutput;
    IOutputAllocator_reallocateOutputAsync reallocateOutputAsync;
    IOutputAllocator_notifyShape notifyShape;
};

/* nvinfer1::IProgressMonitor, version 1.0 */
typedef void (*IProgressMonitor_phaseStart)(
    void *self, const char *phaseName, const char *parentPhase, int32_t nbSteps);
typedef bool (*IProgressMonitor_stepComplete)(void *self, const char *phaseName, int32_t step);
typedef void (*IProgressMonitor_phaseFinish)(void *self, const char *phaseName);

struct trt_IProgressMonitor {
    trt_getAPILanguage getAPILanguage;
    trt_getInterfaceInfo getInterfaceInfo;
    trt_delete completeDestructor;
    trt_delete deletingDestructor;
    IProgressMonitor_phaseStart phaseStart;
    IProgressMonitor_stepComplete stepComplete;
    IProgressMonitor_phaseFinish phaseFinish;
};

/* nvinfer1::IRuntime */
typedef void *(*IRuntime_deserializeCudaEngine)(void *self, const void *blob, size_t size);
typedef bool (*IRuntime_setMaxThreads)(void *self, int32_t maxThreads);
typedef void (*IRuntime_setEngineHostCodeAllowed)(void *self, bool allowed);

/* nvinfer1::ICudaEngine */
typedef void *(*ICudaEngine_createExecutionContext)(void *self, int32_t strategy);
typedef const char *(*ICudaEngine_getName)(void *self);
typedef int32_t (*ICudaEngine_getNbOptimizationProfiles)(void *self);
typedef struct trt_Dims (*ICudaEngine_getTensorShape)(void *self, const char *tensorName);
typedef int32_t (*ICudaEngine_getTensorDataType)(void *self, const char *tensorName);
typedef int32_t (*ICudaEngine_getTensorLocation)(void *self, const char *tensorName);
typedef bool (*ICudaEngine_isShapeInferenceIO)(void *self, const char *tensorName);
typedef int32_t (*ICudaEngine_getTensorIOMode)(void *self, const char *tensorName);
typedef struct trt_Dims (*ICudaEngine_getProfileShape)(void *self, const char *tensorName, int32_t profileIndex, int32_t select);
typedef int32_t (*ICudaEngine_getNbIOTensors)(void *self);
typedef const char *(*ICudaEngine_getIOTensorName)(void *self, int32_t index);
typedef int32_t (*ICudaEngine_getTensorFormatV2)(void *self, const char *tensorName, int32_t profileIndex);
typedef int64_t (*ICudaEngine_getDeviceMemorySizeV2)(void *self);
typedef int64_t (*ICudaEngine_getDeviceMemorySizeForProfileV2)(void *self, int32_t profileIndex);
typedef const int64_t *(*ICudaEngine_getProfileTensorValuesV2)(void *self, const char *tensorName, int32_t profileIndex, int32_t select);

/* nvinfer1::IExecutionContext */
typedef void (*IExecutionContext_setName)(void *self, const char *name);
typedef bool (*IExecutionContext_setOptimizationProfileAsync)(void *self, int32_t profileIndex, void *stream);
typedef bool (*IExecutionContext_setInputShape)(void *self, const char *tensorName, const struct trt_Dims *dims);
typedef struct trt_Dims (*IExecutionContext_getTensorShape)(void *self, const char *tensorName);
typedef bool (*IExecutionContext_setTensorAddress)(void *self, const char *tensorName, void *data);
typedef int32_t (*IExecutionContext_inferShapes)(void *self, int32_t nbMaxNames, const char **tensorNames);
typedef bool (*IExecutionContext_setInputConsumedEvent)(void *self, void *event);
typedef bool (*IExecutionContext_setOutputAllocator)(void *self, const char *tensorName, void *outputAllocator);
typedef int64_t (*IExecutionContext_getMaxOutputSize)(void *self, const char *tensorName);
typedef bool (*IExecutionContext_enqueueV3)(void *self, void *stream);

/* nvinfer1::IHostMemory */
typedef void *(*IHostMemory_data)(void *self);
typedef size_t (*IHostMemory_size)(void *self);

/* nvinfer1::IBuilder */
typedef void *(*IBuilder_createBuilderConfig)(void *self);
typedef void *(*IBuilder_createNetworkV2)(void *self, uint32_t flags);
typedef void *(*IBuilder_createOptimizationProfile)(void *self);
typedef void *(*IBuilder_buildSerializedNetwork)(void *self, void *network, void *config);

/* nvinfer1::IBuilderConfig */
typedef void (*IBuilderConfig_clearFlag)(void *self, int32_t builderFlag);
typedef void (*IBuilderConfig_setFlag)(void *self, int32_t builderFlag);
typedef int32_t (*IBuilderConfig_addOptimizationProfile)(void *self, const void *profile);
typedef void *(*IBuilderConfig_createTimingCache)(void *self, const void *blob, size_t size);
typedef bool (*IBuilderConfig_setTimingCache)(void *self, const void *cache, bool ignoreMismatch);
typedef const void *(*IBuilderConfig_getTimingCache)(void *self);
typedef void (*IBuilderConfig_setMemoryPoolLimit)(void *self, int32_t pool, size_t poolSize);
typedef void (*IBuilderConfig_setBuilderOptimizationLevel)(void *self, int32_t level);
typedef void (*IBuilderConfig_setProgressMonitor)(void *self, void *monitor);

/* nvinfer1::ITimingCache */
typedef void *(*ITimingCache_serialize)(void *self);

/* nvinfer1::INetworkDefinition */
typedef int32_t (*INetworkDefinition_getNbInputs)(void *self);
typedef void *(*INetworkDefinition_getInput)(void *self, int32_t index);

/* nvinfer1::ITensor */
typedef const char *(*ITensor_getName)(void *self);
typedef struct trt_Dims (*ITensor_getDimensions)(void *self);
typedef int32_t (*ITensor_getType)(void *self);
typedef bool (*ITensor_isShapeTensor)(void *self);

/* nvinfer1::IOptimizationProfile */
typedef bool (*IOptimizationProfile_setDimensions)(void *self, const char *inputName, int32_t select, const struct trt_Dims *dims);
typedef bool (*IOptimizationProfile_isValid)(void *self);
typedef bool (*IOptimizationProfile_setShapeValuesV2)(void *self, const char *inputName, int32_t select, const int64_t *values, int32_t nbValues);

#endif
