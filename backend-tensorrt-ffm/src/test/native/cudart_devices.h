/*
 * Versions, the last error, and devices of the libcudart double.
 */
#ifndef NEREID_CUDART_DEVICES_H
#define NEREID_CUDART_DEVICES_H

#include "cudart_calls.h"

/* ---- versions, errors ---- */

int cudaRuntimeGetVersion(int *version) {
  pthread_mutex_lock(&lock);
  enter_thread();
  int code = DOUBLE_CALL(cudaRuntimeGetVersion);
  if (code == 0) *version = runtime_version;
  RETURN(code);
}

int cudaDriverGetVersion(int *version) {
  pthread_mutex_lock(&lock);
  enter_thread();
  int code = DOUBLE_CALL(cudaDriverGetVersion);
  if (code == 0) *version = driver_version;
  RETURN(code);
}

int cudaGetLastError(void) {
  pthread_mutex_lock(&lock);
  enter_thread();
  int code = thread.last_error;
  thread.last_error = 0;
  pthread_mutex_unlock(&lock);
  return code;
}

/* ---- devices ---- */

int cudaGetDeviceCount(int *count) {
  BEGIN(cudaGetDeviceCount);
  *count = device_count;
  RETURN(SUCCESS);
}

int cudaSetDevice(int device) {
  BEGIN(cudaSetDevice);
  if (device < 0 || device >= device_count) RETURN(INVALID_DEVICE);
  REQUIRE_USABLE(device);
  thread.device = device;
  RETURN(SUCCESS);
}

int cudaGetDevice(int *device) {
  BEGIN(cudaGetDevice);
  *device = thread.device;
  RETURN(SUCCESS);
}

int cudaDeviceGetAttribute(int *value, int attribute, int device) {
  BEGIN(cudaDeviceGetAttribute);
  if (device < 0 || device >= device_count) RETURN(INVALID_DEVICE);
  switch (attribute) {
    case 75: /* cudaDevAttrComputeCapabilityMajor */
      *value = 9;
      break;
    case 76: /* cudaDevAttrComputeCapabilityMinor */
      *value = 0;
      break;
    default:
      REFUSE(INVALID_VALUE, "cudaDeviceGetAttribute: the double does not know %d", attribute);
  }
  RETURN(SUCCESS);
}

#define PROPERTIES_SIZE 1024 /* cudaDeviceProp has a little less in CUDA 12 and 13 */

int cudaGetDeviceProperties(void *properties, int device) {
  BEGIN(cudaGetDeviceProperties);
  if (device < 0 || device >= device_count) RETURN(INVALID_DEVICE);
  char *fields = memset(properties, 0xEE, PROPERTIES_SIZE);
  snprintf(fields, 256, "Double GPU %d", device); /* name */
  for (int i = 0; i < 16; i++) fields[256 + i] = (char)(16 * device + i); /* uuid */
  size_t memory = (size_t)devices[device].memory;
  memcpy(fields + 288, &memory, sizeof memory); /* totalGlobalMem */
  RETURN(SUCCESS);
}

int cudaMemGetInfo(size_t *free_bytes, size_t *total) {
  BEGIN(cudaMemGetInfo);
  struct device *d = &devices[thread.device];
  REQUIRE_USABLE(thread.device);
  *total = (size_t)d->memory;
  *free_bytes = (size_t)(d->used < d->memory ? d->memory - d->used : 0);
  RETURN(SUCCESS);
}

int cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
  BEGIN(cudaDeviceGetStreamPriorityRange);
  *least = 0;
  *greatest = -5;
  RETURN(SUCCESS);
}

int cudaDeviceSynchronize(void) {
  double_violation("cudaDeviceSynchronize waits for the work of others");
  return NOT_PERMITTED;
}

int cudaDeviceReset(void) {
  double_violation("cudaDeviceReset destroys the objects of others");
  return NOT_PERMITTED;
}

#endif
