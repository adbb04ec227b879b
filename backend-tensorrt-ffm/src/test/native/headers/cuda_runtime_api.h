/* What NVIDIA's TensorRT headers need of CUDA: two types. The conformance program needs no more. */
#ifndef NEREID_CUDA_RUNTIME_API_H
#define NEREID_CUDA_RUNTIME_API_H

typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;

#endif
