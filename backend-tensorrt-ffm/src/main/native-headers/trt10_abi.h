/*
 * The tables of TensorRT 10: what the implementation of each object is called through. The number
 * behind a method is its slot. A table may only be read up to the slots that the loaded version
 * has: see docs/tensorrt.md.
 */
#ifndef NEREID_TRT10_ABI_H
#define NEREID_TRT10_ABI_H

#include "trt_types.h"

/* nvinfer1::ILogger in TensorRT 10, which we implement. */
struct trt10_ILogger {
    ILogger_log log;
    trt_delete completeDestructor;
    trt_delete deletingDestructor;
};

/* nvinfer1::BuilderFlag in TensorRT 10 */
enum trt10_BuilderFlag {
    trt10_kFP16 = 0,
    trt10_kINT8 = 1,
    trt10_kTF32 = 6,
    trt10_kVERSION_COMPATIBLE = 13,
    trt10_kBF16 = 17
};

/* nvinfer1::NetworkDefinitionCreationFlag in TensorRT 10 */
enum trt10_NetworkDefinitionCreationFlag { trt10_kSTRONGLY_TYPED = 1 };

/* nvinfer1::apiv::VRuntime, major 10 */
struct trt10_IRuntime {
    void *unused_0[3];
    IRuntime_deserializeCudaEngine deserializeCudaEngine; /* 3 */
    void *unused_4[8];
    IRuntime_setMaxThreads setMaxThreads; /* 12 */
    void *unused_13[8];
    IRuntime_setEngineHostCodeAllowed setEngineHostCodeAllowed; /* 21 */
};

/* nvinfer1::apiv::VCudaEngine, major 10 */
struct trt10_ICudaEngine {
    void *unused_0[5];
    ICudaEngine_createExecutionContext createExecutionContext; /* 5 */
    void *unused_6[3];
    ICudaEngine_getName getName; /* 9 */
    ICudaEngine_getNbOptimizationProfiles getNbOptimizationProfiles; /* 10 */
    void *unused_11[8];
    ICudaEngine_getTensorShape getTensorShape; /* 19 */
    ICudaEngine_getTensorDataType getTensorDataType; /* 20 */
    ICudaEngine_getTensorLocation getTensorLocation; /* 21 */
    ICudaEngine_isShapeInferenceIO isShapeInferenceIO; /* 22 */
    ICudaEngine_getTensorIOMode getTensorIOMode; /* 23 */
    void *unused_24[5];
    ICudaEngine_getProfileShape getProfileShape; /* 29 */
    ICudaEngine_getNbIOTensors getNbIOTensors; /* 30 */
    ICudaEngine_getIOTensorName getIOTensorName; /* 31 */
    void *unused_32[4];
    ICudaEngine_getTensorFormatV2 getTensorFormatV2; /* 36 */
    void *unused_37[15];
    ICudaEngine_getDeviceMemorySizeV2 getDeviceMemorySizeV2; /* 52 */
    ICudaEngine_getDeviceMemorySizeForProfileV2 getDeviceMemorySizeForProfileV2; /* 53 */
    ICudaEngine_getProfileTensorValuesV2 getProfileTensorValuesV2; /* 54 */
};

/* nvinfer1::apiv::VExecutionContext, major 10 */
struct trt10_IExecutionContext {
    void *unused_0[8];
    IExecutionContext_setName setName; /* 8 */
    void *unused_9[8];
    IExecutionContext_setOptimizationProfileAsync setOptimizationProfileAsync; /* 17 */
    void *unused_18[3];
    IExecutionContext_setInputShape setInputShape; /* 21 */
    IExecutionContext_getTensorShape getTensorShape; /* 22 */
    void *unused_23[1];
    IExecutionContext_setTensorAddress setTensorAddress; /* 24 */
    void *unused_25[3];
    IExecutionContext_inferShapes inferShapes; /* 28 */
    IExecutionContext_setInputConsumedEvent setInputConsumedEvent; /* 29 */
    void *unused_30[2];
    IExecutionContext_setOutputAllocator setOutputAllocator; /* 32 */
    void *unused_33[1];
    IExecutionContext_getMaxOutputSize getMaxOutputSize; /* 34 */
    void *unused_35[2];
    IExecutionContext_enqueueV3 enqueueV3; /* 37 */
};

/* nvinfer1::apiv::VHostMemory, major 10 */
struct trt10_IHostMemory {
    void *unused_0[2];
    IHostMemory_data data; /* 2 */
    IHostMemory_size size; /* 3 */
};

/* nvinfer1::apiv::VBuilder, major 10 */
struct trt10_IBuilder {
    void *unused_0[7];
    IBuilder_createBuilderConfig createBuilderConfig; /* 7 */
    IBuilder_createNetworkV2 createNetworkV2; /* 8 */
    IBuilder_createOptimizationProfile createOptimizationProfile; /* 9 */
    void *unused_10[4];
    IBuilder_buildSerializedNetwork buildSerializedNetwork; /* 14 */
};

/* nvinfer1::apiv::VBuilderConfig, major 10 */
struct trt10_IBuilderConfig {
    void *unused_0[10];
    IBuilderConfig_clearFlag clearFlag; /* 10 */
    IBuilderConfig_setFlag setFlag; /* 11 */
    void *unused_12[13];
    IBuilderConfig_addOptimizationProfile addOptimizationProfile; /* 25 */
    void *unused_26[14];
    IBuilderConfig_createTimingCache createTimingCache; /* 40 */
    IBuilderConfig_setTimingCache setTimingCache; /* 41 */
    IBuilderConfig_getTimingCache getTimingCache; /* 42 */
    IBuilderConfig_setMemoryPoolLimit setMemoryPoolLimit; /* 43 */
    void *unused_44[3];
    IBuilderConfig_setBuilderOptimizationLevel setBuilderOptimizationLevel; /* 47 */
    void *unused_48[8];
    IBuilderConfig_setProgressMonitor setProgressMonitor; /* 56 */
};

/* nvinfer1::apiv::VTimingCache, major 10 */
struct trt10_ITimingCache {
    void *unused_0[2];
    ITimingCache_serialize serialize; /* 2 */
};

/* nvinfer1::apiv::VNetworkDefinition, major 10 */
struct trt10_INetworkDefinition {
    void *unused_0[14];
    INetworkDefinition_getNbInputs getNbInputs; /* 14 */
    INetworkDefinition_getInput getInput; /* 15 */
};

/* nvinfer1::apiv::VTensor, major 10 */
struct trt10_ITensor {
    void *unused_0[3];
    ITensor_getName getName; /* 3 */
    void *unused_4[1];
    ITensor_getDimensions getDimensions; /* 5 */
    void *unused_6[1];
    ITensor_getType getType; /* 7 */
    void *unused_8[13];
    ITensor_isShapeTensor isShapeTensor; /* 21 */
};

/* nvinfer1::apiv::VOptimizationProfile, major 10 */
struct trt10_IOptimizationProfile {
    void *unused_0[2];
    IOptimizationProfile_setDimensions setDimensions; /* 2 */
    void *unused_3[6];
    IOptimizationProfile_isValid isValid; /* 9 */
    IOptimizationProfile_setShapeValuesV2 setShapeValuesV2; /* 10 */
};

#endif
