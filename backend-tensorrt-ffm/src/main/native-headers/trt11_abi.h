/*
 * The tables of TensorRT 11: what the implementation of each object is called through. The number
 * behind a method is its slot. A table may only be read up to the slots that the loaded version
 * has: see docs/tensorrt.md.
 */
#ifndef NEREID_TRT11_ABI_H
#define NEREID_TRT11_ABI_H

#include "trt_types.h"

/* nvinfer1::ILogger in TensorRT 11, which we implement. */
struct trt11_ILogger {
    trt_getAPILanguage getAPILanguage;
    trt_getInterfaceInfo getInterfaceInfo;
    trt_delete completeDestructor;
    trt_delete deletingDestructor;
    ILogger_log log;
};

/* nvinfer1::BuilderFlag in TensorRT 11: networks are strongly typed, so there is no FP16. */
enum trt11_BuilderFlag { trt11_kTF32 = 6, trt11_kVERSION_COMPATIBLE = 12 };

/* nvinfer1::apiv::VRuntime, major 11 */
struct trt11_IRuntime {
    void *unused_0[3];
    IRuntime_deserializeCudaEngine deserializeCudaEngine; /* 3 */
    void *unused_4[7];
    IRuntime_setMaxThreads setMaxThreads; /* 11 */
    void *unused_12[8];
    IRuntime_setEngineHostCodeAllowed setEngineHostCodeAllowed; /* 20 */
};

/* nvinfer1::apiv::VCudaEngine, major 11 */
struct trt11_ICudaEngine {
    void *unused_0[5];
    ICudaEngine_createExecutionContext createExecutionContext; /* 5 */
    void *unused_6[1];
    ICudaEngine_getName getName; /* 7 */
    ICudaEngine_getNbOptimizationProfiles getNbOptimizationProfiles; /* 8 */
    void *unused_9[6];
    ICudaEngine_getTensorShape getTensorShape; /* 15 */
    ICudaEngine_getTensorDataType getTensorDataType; /* 16 */
    ICudaEngine_getTensorLocation getTensorLocation; /* 17 */
    ICudaEngine_isShapeInferenceIO isShapeInferenceIO; /* 18 */
    ICudaEngine_getTensorIOMode getTensorIOMode; /* 19 */
    void *unused_20[5];
    ICudaEngine_getProfileShape getProfileShape; /* 25 */
    ICudaEngine_getNbIOTensors getNbIOTensors; /* 26 */
    ICudaEngine_getIOTensorName getIOTensorName; /* 27 */
    void *unused_28[4];
    ICudaEngine_getTensorFormatV2 getTensorFormatV2; /* 32 */
    void *unused_33[11];
    ICudaEngine_getDeviceMemorySizeV2 getDeviceMemorySizeV2; /* 44 */
    ICudaEngine_getDeviceMemorySizeForProfileV2 getDeviceMemorySizeForProfileV2; /* 45 */
    ICudaEngine_getProfileTensorValuesV2 getProfileTensorValuesV2; /* 46 */
};

/* nvinfer1::apiv::VExecutionContext, major 11 */
struct trt11_IExecutionContext {
    void *unused_0[8];
    IExecutionContext_setName setName; /* 8 */
    void *unused_9[7];
    IExecutionContext_setOptimizationProfileAsync setOptimizationProfileAsync; /* 16 */
    void *unused_17[3];
    IExecutionContext_setInputShape setInputShape; /* 20 */
    IExecutionContext_getTensorShape getTensorShape; /* 21 */
    void *unused_22[1];
    IExecutionContext_setTensorAddress setTensorAddress; /* 23 */
    void *unused_24[3];
    IExecutionContext_inferShapes inferShapes; /* 27 */
    IExecutionContext_setInputConsumedEvent setInputConsumedEvent; /* 28 */
    void *unused_29[2];
    IExecutionContext_setOutputAllocator setOutputAllocator; /* 31 */
    void *unused_32[1];
    IExecutionContext_getMaxOutputSize getMaxOutputSize; /* 33 */
    void *unused_34[2];
    IExecutionContext_enqueueV3 enqueueV3; /* 36 */
};

/* nvinfer1::apiv::VHostMemory, major 11 */
struct trt11_IHostMemory {
    void *unused_0[2];
    IHostMemory_data data; /* 2 */
    IHostMemory_size size; /* 3 */
};

/* nvinfer1::apiv::VBuilder, major 11 */
struct trt11_IBuilder {
    void *unused_0[5];
    IBuilder_createBuilderConfig createBuilderConfig; /* 5 */
    IBuilder_createNetworkV2 createNetworkV2; /* 6 */
    IBuilder_createOptimizationProfile createOptimizationProfile; /* 7 */
    void *unused_8[3];
    IBuilder_buildSerializedNetwork buildSerializedNetwork; /* 11 */
};

/* nvinfer1::apiv::VBuilderConfig, major 11 */
struct trt11_IBuilderConfig {
    void *unused_0[8];
    IBuilderConfig_clearFlag clearFlag; /* 8 */
    IBuilderConfig_setFlag setFlag; /* 9 */
    void *unused_10[13];
    IBuilderConfig_addOptimizationProfile addOptimizationProfile; /* 23 */
    void *unused_24[5];
    IBuilderConfig_createTimingCache createTimingCache; /* 29 */
    IBuilderConfig_setTimingCache setTimingCache; /* 30 */
    IBuilderConfig_getTimingCache getTimingCache; /* 31 */
    IBuilderConfig_setMemoryPoolLimit setMemoryPoolLimit; /* 32 */
    void *unused_33[3];
    IBuilderConfig_setBuilderOptimizationLevel setBuilderOptimizationLevel; /* 36 */
    void *unused_37[8];
    IBuilderConfig_setProgressMonitor setProgressMonitor; /* 45 */
};

/* nvinfer1::apiv::VTimingCache, major 11 */
struct trt11_ITimingCache {
    void *unused_0[2];
    ITimingCache_serialize serialize; /* 2 */
};

/* nvinfer1::apiv::VNetworkDefinition, major 11 */
struct trt11_INetworkDefinition {
    void *unused_0[14];
    INetworkDefinition_getNbInputs getNbInputs; /* 14 */
    INetworkDefinition_getInput getInput; /* 15 */
};

/* nvinfer1::apiv::VTensor, major 11 */
struct trt11_ITensor {
    void *unused_0[3];
    ITensor_getName getName; /* 3 */
    void *unused_4[1];
    ITensor_getDimensions getDimensions; /* 5 */
    ITensor_getType getType; /* 6 */
    void *unused_7[8];
    ITensor_isShapeTensor isShapeTensor; /* 15 */
};

/* nvinfer1::apiv::VOptimizationProfile, major 11 */
struct trt11_IOptimizationProfile {
    void *unused_0[2];
    IOptimizationProfile_setDimensions setDimensions; /* 2 */
    void *unused_3[4];
    IOptimizationProfile_isValid isValid; /* 7 */
    IOptimizationProfile_setShapeValuesV2 setShapeValuesV2; /* 8 */
};

#endif
