/*
 * The errors of CUDA that the libcudart double knows: their codes, names and texts, and which are
 * sticky: no later call on the device works.
 */
#ifndef NEREID_CUDART_ERRORS_H
#define NEREID_CUDART_ERRORS_H

#include <stdbool.h>
#include <stddef.h>

enum {
  SUCCESS = 0,
  INVALID_VALUE = 1,
  OUT_OF_MEMORY = 2,
  INSUFFICIENT_DRIVER = 35,
  NO_DEVICE = 100,
  INVALID_DEVICE = 101,
  INVALID_HANDLE = 400,
  NOT_READY = 600,
  NOT_PERMITTED = 800,
  CAPTURE_UNSUPPORTED = 900,
  CAPTURE_INVALIDATED = 901,
  CAPTURE_MERGE = 902,
  CAPTURE_UNMATCHED = 903,
  CAPTURE_UNJOINED = 904,
  CAPTURE_ISOLATION = 905,
  CAPTURED_EVENT = 907,
  CAPTURE_WRONG_THREAD = 908,
};

static const struct {
  int code;
  bool sticky;
  const char *name, *text;
} ERRORS[] = {
    {0, false, "cudaSuccess", "no error"},
    {1, false, "cudaErrorInvalidValue", "invalid argument"},
    {2, false, "cudaErrorMemoryAllocation", "out of memory"},
    {35, false, "cudaErrorInsufficientDriver",
     "CUDA driver version is insufficient for CUDA runtime version"},
    {46, false, "cudaErrorDevicesUnavailable", "CUDA-capable device(s) is/are busy or unavailable"},
    {100, false, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {101, false, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {214, true, "cudaErrorECCUncorrectable", "uncorrectable ECC error encountered"},
    {220, true, "cudaErrorNvlinkUncorrectable",
     "uncorrectable NVLink error detected during the execution"},
    {226, true, "cudaErrorContained",
     "Invalid access of peer GPU memory over nvlink or a hardware error"},
    {400, false, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {600, false, "cudaErrorNotReady", "device not ready"},
    {700, true, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
    {701, false, "cudaErrorLaunchOutOfResources", "too many resources requested for launch"},
    {702, true, "cudaErrorLaunchTimeout", "the launch timed out and was terminated"},
    {709, true, "cudaErrorContextIsDestroyed", "context is destroyed"},
    {710, true, "cudaErrorAssert", "device-side assert triggered"},
    {714, true, "cudaErrorHardwareStackError", "hardware stack error"},
    {715, true, "cudaErrorIllegalInstruction", "an illegal instruction was encountered"},
    {716, true, "cudaErrorMisalignedAddress", "misaligned address"},
    {717, true, "cudaErrorInvalidAddressSpace",
     "operation not supported on global/shared address space"},
    {718, true, "cudaErrorInvalidPc", "invalid program counter"},
    {719, true, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {721, true, "cudaErrorTensorMemoryLeak", "tensor memory was not completely deallocated"},
    {800, false, "cudaErrorNotPermitted", "operation not permitted"},
    {810, true, "cudaErrorMpsClientTerminated", "the MPS server has terminated this client"},
    {900, false, "cudaErrorStreamCaptureUnsupported",
     "operation not permitted when stream is capturing"},
    {901, false, "cudaErrorStreamCaptureInvalidated",
     "operation failed due to a previous error during capture"},
    {902, false, "cudaErrorStreamCaptureMerge",
     "operation would result in a merge of separate capture sequences"},
    {903, false, "cudaErrorStreamCaptureUnmatched",
     "capture was not ended in the same stream as it began"},
    {904, false, "cudaErrorStreamCaptureUnjoined", "capturing stream has unjoined work"},
    {905, false, "cudaErrorStreamCaptureIsolation",
     "dependency created on uncaptured work in another stream"},
    {907, false, "cudaErrorCapturedEvent",
     "operation not permitted on an event last recorded in a capturing stream"},
    {908, false, "cudaErrorStreamCaptureWrongThread",
     "attempt to terminate a thread-local capture sequence from another thread"},
    {911, true, "cudaErrorExternalDevice", "error in an external device"},
    {999, true, "cudaErrorUnknown", "unknown error"},
};
#define LENGTH(array) (sizeof(array) / sizeof *(array))

static bool is_sticky(int code) {
  for (size_t i = 0; i < LENGTH(ERRORS); i++) {
    if (ERRORS[i].code == code) return ERRORS[i].sticky;
  }
  return false;
}

const char *cudaGetErrorName(int code) {
  for (size_t i = 0; i < LENGTH(ERRORS); i++) {
    if (ERRORS[i].code == code) return ERRORS[i].name;
  }
  return "unrecognized error code";
}

const char *cudaGetErrorString(int code) {
  for (size_t i = 0; i < LENGTH(ERRORS); i++) {
    if (ERRORS[i].code == code) return ERRORS[i].text;
  }
  return "unrecognized error code";
}

#endif
