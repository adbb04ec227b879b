/*
 * The functions of the libcudart double that allocate and free memory: of a device, of a pool in
 * the order of a stream, and page-locked memory of the host.
 */
#ifndef NEREID_CUDART_MEMORY_H
#define NEREID_CUDART_MEMORY_H

#include "cudart_streams.h"

/* ---- device memory ---- */

int cudaMalloc(void **address, size_t size) {
  BEGIN(cudaMalloc);
  REQUIRE_SAFE();
  REQUIRE_USABLE(thread.device);
  if (size == 0) REFUSE(INVALID_VALUE, "cudaMalloc of no bytes");
  if (size > (size_t)INT64_MAX || !take_memory(thread.device, (long)size)) RETURN(OUT_OF_MEMORY);
  struct block *b = obtain(size, true);
  b->device = thread.device;
  b->state = LIVE;
  add_block(&device_memory, b);
  double_count(live_allocations, 1);
  double_count(live_bytes, (long)size);
  *address = b->base;
  RETURN(SUCCESS);
}

int cudaFree(void *address) {
  BEGIN_DESTROY(cudaFree);
  REQUIRE_SAFE();
  struct block *b = block_at(&device_memory, address);
  if (b == NULL || b->base != address || b->pool != NULL || b->opened) {
    REFUSE(INVALID_VALUE, "cudaFree of %p, %s", address,
           b == NULL ? what_is(address) : "no allocation of cudaMalloc");
  }
  int device = b->device;
  if (has_pending_use(b)) double_violation("device memory is freed while a copy is pending");
  if (b->opens > 0) double_violation("device memory is freed while its handle is open");
  end_device_block(b);
  RETURN(fault != 0 ? fault : devices[device].failed);
}

/* ---- memory of pools ---- */

int cudaMallocFromPoolAsync(void **address, size_t size, void *pool, void *stream) {
  BEGIN(cudaMallocFromPoolAsync);
  FIND(pool, p, POOL, pool);
  FIND(stream, s, STREAM, stream);
  REQUIRE_USABLE(s->device);
  if (p->device != s->device) {
    REFUSE(INVALID_VALUE, "memory of device %d is allocated on a stream of device %d", p->device,
           s->device);
  }
  if (size == 0) REFUSE(INVALID_VALUE, "cudaMallocFromPoolAsync of no bytes");
  if (unsupported_in_capture(s) != SUCCESS) RETURN(CAPTURE_UNSUPPORTED);
  if (size > (size_t)INT64_MAX / 2 || !reserve(p, (long)size)) RETURN(OUT_OF_MEMORY);
  struct block *b = obtain(size, false);
  b->device = p->device;
  b->pool = p;
  b->state = REQUESTED;
  p->allocations++;
  add_block(&device_memory, b);
  double_count(live_allocations, 1);
  double_count(live_bytes, (long)size);
  *address = b->base;
  struct operation o = {.kind = ALLOCATE, .to = b->base};
  RETURN(append(s, o));
}

int cudaFreeAsync(void *address, void *stream) {
  BEGIN_DESTROY(cudaFreeAsync);
  FIND(stream, s, STREAM, stream);
  struct block *b = block_at(&device_memory, address);
  if (b == NULL || b->base != address || b->pool == NULL || b->ending) {
    REFUSE(INVALID_VALUE, "cudaFreeAsync of %p, %s", address,
           b == NULL ? what_is(address) : "no allocation of a pool, or freed already");
  }
  if (b->device != s->device) {
    double_violation("memory of device %d is freed on a stream of device %d", b->device, s->device);
  }
  if (unsupported_in_capture(s) != SUCCESS) RETURN(CAPTURE_UNSUPPORTED);
  if (devices[s->device].failed != 0) {
    end_device_block(b);
    RETURN(devices[s->device].failed);
  }
  b->ending = true;
  struct operation o = {.kind = FREE, .to = b->base};
  int code = append(s, o);
  RETURN(fault != 0 ? fault : code);
}

/* ---- page-locked memory ---- */

int cudaHostAlloc(void **address, size_t size, unsigned flags) {
  BEGIN(cudaHostAlloc);
  REQUIRE_SAFE();
  REQUIRE_USABLE(thread.device);
  if (size == 0) REFUSE(INVALID_VALUE, "cudaHostAlloc of no bytes");
  if (flags != 1) REFUSE(INVALID_VALUE, "page-locked memory that is not portable is allocated");
  if (size > 1ul << 40) RETURN(OUT_OF_MEMORY);
  struct block *b = obtain((size + 4095) / 4096 * 4096, false);
  memset(b->base + size, GUARD, b->size - size);
  b->size = size;
  add_block(&host_memory, b);
  double_count(live_pinned, 1);
  double_count(live_pinned_bytes, (long)size);
  *address = b->base;
  RETURN(SUCCESS);
}

int cudaFreeHost(void *address) {
  BEGIN_DESTROY(cudaFreeHost);
  REQUIRE_SAFE();
  struct block *b = block_at(&host_memory, address);
  if (b == NULL || b->base != address) {
    REFUSE(INVALID_VALUE, "cudaFreeHost of %p, which cudaHostAlloc has not allocated", address);
  }
  if (has_pending_use(b)) double_violation("page-locked memory is freed while a copy is pending");
  remove_block(&host_memory, b);
  double_count(live_pinned, -1);
  double_count(live_pinned_bytes, -(long)b->size);
  put_in_quarantine(b);
  RETURN(fault != 0 ? fault : devices[thread.device].failed);
}

#endif
