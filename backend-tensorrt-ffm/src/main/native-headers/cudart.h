/* The CUDA runtime, as NVIDIA declares it; cudart.jextract names the part that is bound. */
#include <cuda_runtime_api.h>
