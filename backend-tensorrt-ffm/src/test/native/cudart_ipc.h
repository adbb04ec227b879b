/*
 * Inter-process communication of the libcudart double: handles of device memory, which
 * only this process can open; and what the driver knows of the memory.
 */
#ifndef NEREID_CUDART_IPC_H
#define NEREID_CUDART_IPC_H

#include "cudart_events.h"

static uint64_t next_id = 1;

struct ipc_handle {
  char magic[8];
  uint64_t id, check;
  char rest[40];
};
_Static_assert(sizeof(struct ipc_handle) == 64, "CUDA_IPC_HANDLE_SIZE");

static void write_handle(struct ipc_handle *handle, const char *magic, uint64_t id) {
  memset(handle, 0x5A, sizeof *handle);
  memcpy(handle->magic, magic, 8);
  handle->id = id;
  handle->check = id * 0x9E3779B97F4A7C15ul;
}

static bool is_handle(const struct ipc_handle *handle, const char *magic) {
  return memcmp(handle->magic, magic, 8) == 0 &&
         handle->check == handle->id * 0x9E3779B97F4A7C15ul &&
         all_bytes(handle->rest, sizeof handle->rest, 0x5A);
}

static struct block *block_of(uint64_t id, bool opened) {
  for (size_t i = 0; i < device_memory.count; i++) {
    struct block *b = device_memory.all[i];
    if (b->id == id && b->opened == opened) return b;
  }
  return NULL;
}

int cudaIpcGetMemHandle(struct ipc_handle *handle, void *address) {
  BEGIN(cudaIpcGetMemHandle);
  struct block *b = block_at(&device_memory, address);
  if (b == NULL || b->pool != NULL || b->opened) RETURN(INVALID_VALUE);
  REQUIRE_USABLE(b->device);
  if (b->id == 0) b->id = next_id++;
  write_handle(handle, "DOUBLEM", b->id);
  RETURN(SUCCESS);
}

int cudaIpcOpenMemHandle(void **address, struct ipc_handle handle, unsigned flags) {
  BEGIN(cudaIpcOpenMemHandle);
  REQUIRE_SAFE();
  REQUIRE_USABLE(thread.device);
  if (flags != 1) RETURN(INVALID_VALUE);
  struct block *source = is_handle(&handle, "DOUBLEM") ? block_of(handle.id, false) : NULL;
  if (source == NULL || source->device != thread.device) RETURN(INVALID_HANDLE);
  struct block *view = block_of(handle.id, true);
  if (view == NULL) {
    view = calloc(1, sizeof *view);
    *view = *source;
    view->opened = true;
    view->opens = 0;
    view->start = mmap(NULL, view->length, PROT_READ | PROT_WRITE, MAP_SHARED, source->file, 0);
    if (view->start == MAP_FAILED) abort();
    view->base = view->start;
    add_block(&device_memory, view);
  }
  view->opens++;
  source->opens++;
  double_count(live_opened, 1);
  *address = view->base;
  RETURN(SUCCESS);
}

int cudaIpcCloseMemHandle(void *address) {
  BEGIN_DESTROY(cudaIpcCloseMemHandle);
  REQUIRE_SAFE();
  struct block *view = block_at(&device_memory, address);
  if (view == NULL || !view->opened || view->base != address) {
    REFUSE(INVALID_VALUE, "cudaIpcCloseMemHandle of %p, which is not open", address);
  }
  int device = view->device;
  if (has_pending_use(view)) double_violation("shared memory is closed while a copy is pending");
  struct block *source = block_of(view->id, false);
  if (source != NULL) source->opens--;
  double_count(live_opened, -1);
  if (--view->opens == 0) {
    remove_block(&device_memory, view);
    munmap(view->start, view->length);
    free(view);
  }
  RETURN(fault != 0 ? fault : devices[device].failed);
}

/* The driver's cuMemGetAddressRange, as both functions below return it. */
static int get_address_range(void **base, size_t *size, void *address) {
  BEGIN(cuMemGetAddressRange);
  REQUIRE_USABLE(thread.device);
  struct block *b = block_at(&device_memory, address);
  if (b == NULL) RETURN(INVALID_VALUE);
  *base = b->base;
  *size = b->size;
  RETURN(SUCCESS);
}

/* Like cuGetProcAddress, refuses a version that is later than the driver's. */
static int entry_point(const char *symbol, void **function, int version, unsigned long long flags,
                       int *result) {
  if (flags != 0 || version > driver_version) return INVALID_VALUE;
  bool known = strcmp(symbol, "cuMemGetAddressRange") == 0;
  *function = known ? (void *)get_address_range : NULL;
  if (result != NULL) *result = known ? 0 : 1; /* cudaDriverEntryPointSymbolNotFound */
  return SUCCESS;
}

int cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags,
                            int *result) {
  BEGIN(cudaGetDriverEntryPoint);
  RETURN(entry_point(symbol, function, runtime_version, flags, result));
}

int cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned int version,
                                     unsigned long long flags, int *result) {
  BEGIN(cudaGetDriverEntryPointByVersion);
  RETURN(entry_point(symbol, function, (int)version, flags, result));
}

#endif
