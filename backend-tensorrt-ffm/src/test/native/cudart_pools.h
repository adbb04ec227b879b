/*
 * How much device memory is left in the libcudart double, to a device and to its memory pools, and
 * the functions of pools. Allocations of pools are in cudart_memory.h.
 */
#ifndef NEREID_CUDART_POOLS_H
#define NEREID_CUDART_POOLS_H

#include "cudart_blocks.h"

#define POOL_GRANULARITY 65536L

struct pool {
  int device;
  uint64_t threshold;
  long used, reserved, allocations;
  bool destroyed;
};

static long round_up(long bytes) {
  return (bytes + POOL_GRANULARITY - 1) / POOL_GRANULARITY * POOL_GRANULARITY;
}

static bool take_memory(int device, long bytes) {
  if (bytes > devices[device].memory - devices[device].used) return false;
  devices[device].used += bytes;
  return true;
}

/* Gives memory of a pool that is not used back to the device, but keeps `threshold` bytes. */
static void trim(struct pool *pool, uint64_t threshold) {
  long keep = pool->used;
  if (threshold > (uint64_t)keep) {
    keep = threshold > (uint64_t)pool->reserved ? pool->reserved : (long)threshold;
  }
  keep = round_up(keep);
  if (keep < pool->reserved) {
    devices[pool->device].used -= pool->reserved - keep;
    pool->reserved = keep;
  }
}

static void trim_pools(int device, bool all) {
  for (size_t i = 0; i < tables[POOL].count; i++) {
    struct pool *pool = tables[POOL].objects[i];
    if (pool != NULL && pool->device == device) trim(pool, all ? 0 : pool->threshold);
  }
}

/* Takes bytes of a pool, for which it may take more of the device; false if there are too few. */
static bool reserve(struct pool *pool, long bytes) {
  long more = pool->used + bytes - pool->reserved;
  if (more > 0) {
    more = round_up(more);
    if (!take_memory(pool->device, more)) {
      trim_pools(pool->device, true);
      more = pool->used + bytes - pool->reserved;
      more = more <= 0 ? 0 : round_up(more);
      if (!take_memory(pool->device, more)) return false;
    }
    pool->reserved += more;
  }
  pool->used += bytes;
  return true;
}

/* Ends device memory of cudaMalloc or of a pool. */
static void end_device_block(struct block *b) {
  remove_block(&device_memory, b);
  double_count(live_allocations, -1);
  double_count(live_bytes, -(long)b->size);
  if (b->pool != NULL) {
    b->pool->used -= (long)b->size;
    b->pool->allocations--;
    if (b->pool->destroyed) {
      trim(b->pool, 0);
      if (b->pool->allocations == 0) free(b->pool);
    }
  } else {
    devices[b->device].used -= (long)b->size;
  }
  put_in_quarantine(b);
}

struct pool_properties {
  int allocation_type, handle_types, location_type, location_id;
  void *win32;
  size_t max_size;
  char rest[56];
};

int cudaMemPoolCreate(void **pool, const struct pool_properties *properties) {
  BEGIN(cudaMemPoolCreate);
  bool zero = all_bytes(properties->rest, sizeof properties->rest, 0);
  if (properties->allocation_type != 1 || properties->handle_types != 0 ||
      properties->location_type != 1 || properties->win32 != NULL || properties->max_size != 0 ||
      !zero) {
    REFUSE(INVALID_VALUE, "cudaMemPoolCreate: wrong properties");
  }
  int device = properties->location_id;
  if (device < 0 || device >= device_count) RETURN(INVALID_VALUE);
  REQUIRE_USABLE(device);
  struct pool *p = calloc(1, sizeof *p);
  p->device = device;
  *pool = make_handle(POOL, p);
  double_count(live_pools, 1);
  RETURN(SUCCESS);
}

int cudaMemPoolDestroy(void *pool) {
  BEGIN_DESTROY(cudaMemPoolDestroy);
  FIND(pool, p, POOL, pool);
  int device = p->device;
  for (size_t i = 0; i < device_memory.count; i++) {
    struct block *b = device_memory.all[i];
    if (b->pool == p && !b->ending) {
      double_violation("a pool is destroyed before %zu bytes of it are freed", b->size);
    }
  }
  *find_slot(POOL, pool) = NULL;
  trim(p, 0);
  p->destroyed = true;
  if (p->allocations == 0) free(p);
  double_count(live_pools, -1);
  RETURN(fault != 0 ? fault : devices[device].failed);
}

int cudaMemPoolSetAttribute(void *pool, int attribute, void *value) {
  BEGIN(cudaMemPoolSetAttribute);
  FIND(pool, p, POOL, pool);
  REQUIRE_USABLE(p->device);
  if (attribute != 4) REFUSE(INVALID_VALUE, "the double does not know pool attribute %d", attribute);
  memcpy(&p->threshold, value, sizeof p->threshold);
  RETURN(SUCCESS);
}

int cudaMemPoolGetAttribute(void *pool, int attribute, void *value) {
  BEGIN(cudaMemPoolGetAttribute);
  FIND(pool, p, POOL, pool);
  REQUIRE_USABLE(p->device);
  switch (attribute) {
    case 4: /* cudaMemPoolAttrReleaseThreshold */
      memcpy(value, &p->threshold, sizeof p->threshold);
      break;
    case 5: /* cudaMemPoolAttrReservedMemCurrent */
      memcpy(value, &p->reserved, sizeof p->reserved);
      break;
    case 7: /* cudaMemPoolAttrUsedMemCurrent */
      memcpy(value, &p->used, sizeof p->used);
      break;
    default:
      REFUSE(INVALID_VALUE, "the double does not know pool attribute %d", attribute);
  }
  RETURN(SUCCESS);
}

#endif
