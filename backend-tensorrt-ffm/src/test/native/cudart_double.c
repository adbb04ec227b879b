/*
 * A double of libcudart for tests on machines without a GPU: device memory is host memory, and
 * streams do nothing by themselves. It is stricter than CUDA:
 *
 * - Work runs only when a stream or an event is synchronised or queried, and then only what that
 *   needs: the stream itself, and other streams as far as events order them. So a missing wait
 *   shows as a wrong value. A query runs a single operation at most. On demand, work also runs at
 *   random, as far as events allow, so that work that must wait for later work is found as well.
 * - New device and page-locked memory is filled with 0xCD, freed memory with 0xDD. Freed memory is
 *   not reused for a while; a write to it is a violation, like a write beside an allocation.
 * - Pageable memory is read by the call that enqueues a copy to the device, page-locked memory is
 *   read when the copy runs. Both are written when the copy runs.
 * - Handles are not addresses and are never used again, so the use of a destroyed object is found.
 * - Calls that CUDA may refuse during a capture are refused, and the capture is then invalid.
 *
 * Any misuse is a violation: it is printed, counted, and fails the test. Functions named double_*
 * control the double: which devices there are, which calls fail, what is counted. A call that is to
 * fail does nothing but fail; one that destroys an object destroys it and reports the error, as
 * CUDA reports errors of work that ran before. The declarations of CUDA are those of
 * cuda_runtime_api.h (CUDA 13) with plain types; enumerations are int.
 *
 * State is global, under one recursive lock. This file has the settings. Topics:
 *
 *   cudart_errors.h      codes, names and texts of errors
 *   cudart_faults.h      violations, counters, calls that are made to fail
 *   cudart_calls.h       how each function begins and ends; handles
 *   cudart_devices.h     versions, the last error, devices
 *   cudart_blocks.h      blocks of memory, guards, freed memory
 *   cudart_pools.h       what is left of device memory; pools
 *   cudart_memory.h      allocation of device memory and page-locked memory
 *   cudart_operations.h  what is enqueued on a stream, and what it does
 *   cudart_captures.h    captures of streams
 *   cudart_streams.h     streams
 *   cudart_events.h      events
 *   cudart_copies.h      copies and fills
 *   cudart_graphs.h      graphs
 *   cudart_ipc.h         inter-process communication
 */
#define _GNU_SOURCE
#include "cudart_copies.h"
#include "cudart_devices.h"
#include "cudart_graphs.h"
#include "cudart_ipc.h"
#include "cudart_memory.h"

void double_set_devices(int count) {
  pthread_mutex_lock(&lock);
  device_count = count;
  pthread_mutex_unlock(&lock);
}

/* 0 as the driver's version means that there is no driver. */
void double_set_versions(int runtime, int driver) {
  pthread_mutex_lock(&lock);
  runtime_version = runtime;
  driver_version = driver;
  pthread_mutex_unlock(&lock);
}

void double_set_memory(int device, long bytes) {
  pthread_mutex_lock(&lock);
  devices[device].memory = bytes;
  pthread_mutex_unlock(&lock);
}

/* How many operations a query of a stream or an event runs at most. */
void double_set_operations_per_query(long operations) {
  pthread_mutex_lock(&lock);
  operations_per_query = operations;
  pthread_mutex_unlock(&lock);
}

/* Lets work run at random too, whenever some is enqueued; only where it is waited for if 0. */
void double_set_random_order(uint64_t seed) {
  pthread_mutex_lock(&lock);
  order = seed == 0 ? 0 : seed * 0x9E3779B97F4A7C15ul | 1;
  pthread_mutex_unlock(&lock);
}

/* Lets a device fail as a kernel does that has run into an error: its work is lost. */
void double_fail_device(int device, int code) {
  pthread_mutex_lock(&lock);
  fail_device(device, code);
  pthread_mutex_unlock(&lock);
}

/* The error that cudaGetLastError would return to this thread. */
int double_last_error(void) {
  pthread_mutex_lock(&lock);
  enter_thread();
  int code = thread.last_error;
  pthread_mutex_unlock(&lock);
  return code;
}

/* Restores the defaults, and forgets faults, failed devices, violations and call counts. */
__attribute__((constructor)) void double_reset(void) {
  pthread_mutex_lock(&lock);
  generation++;
  device_count = 2;
  runtime_version = driver_version = 13000;
  operations_per_query = 1;
  order = 0;
  for (int i = 0; i < MAX_DEVICES; i++) {
    devices[i].memory = DEFAULT_MEMORY;
    devices[i].failed = 0;
  }
  fault_count = 0;
  violation_count = 0;
  for (struct double_function *f = functions; f != &last_function; f = f->next) f->calls = 0;
  pthread_mutex_unlock(&lock);
}

/* Forgets all objects, which a test has leaked. Their memory stays. */
void double_forget_objects(void) {
  pthread_mutex_lock(&lock);
  for (int kind = 1; kind < KINDS; kind++) {
    for (size_t i = 0; i < tables[kind].count; i++) tables[kind].objects[i] = NULL;
  }
  device_memory.count = host_memory.count = 0;
  streams = NULL;
  captures = NULL;
  for (int i = 0; i < MAX_DEVICES; i++) devices[i].used = 0;
  for (int i = 0; i < counter_count; i++) counters[i].live = 0;
  pthread_mutex_unlock(&lock);
}
