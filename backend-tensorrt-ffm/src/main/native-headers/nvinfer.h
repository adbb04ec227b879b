/* libnvinfer: the functions that it exports under C names, and its tables in each major version. */
#ifndef NEREID_NVINFER_H
#define NEREID_NVINFER_H

#include "trt10_abi.h"
#include "trt11_abi.h"

/* major * 10000 + minor * 100 + patch */
int32_t getInferLibVersion(void);
int32_t getInferLibBuildVersion(void);
void *createInferRuntime_INTERNAL(void *logger, int32_t version);
void *createInferBuilder_INTERNAL(void *logger, int32_t version);

#endif
