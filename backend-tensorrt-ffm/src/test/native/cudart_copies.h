/*
 * Copies and fills of the libcudart double. They run in operations of a stream.
 */
#ifndef NEREID_CUDART_COPIES_H
#define NEREID_CUDART_COPIES_H

#include "cudart_streams.h"

/* Whether work may be enqueued for a range of device memory; a violation if not. */
static bool check_range(const char *function, const struct stream *s, const void *address,
                        size_t size) {
  struct block *b = block_at(&device_memory, address);
  if (b == NULL) {
    double_violation("%s: %p is %s", function, address, what_is(address));
  } else if (!within(b, address, size)) {
    double_violation("%s: %zu bytes at offset %td of %zu bytes of device memory", function, size,
                     (const char *)address - b->base, b->size);
  } else if (b->ending) {
    double_violation("%s: the free of the memory is enqueued already", function);
  } else if (b->device != s->device) {
    double_violation("%s: memory of device %d on a stream of device %d", function, b->device,
                     s->device);
  } else {
    return true;
  }
  return false;
}

int cudaMemcpyAsync(void *to, const void *from, size_t size, int kind, void *stream) {
  BEGIN(cudaMemcpyAsync);
  FIND(stream, s, STREAM, stream);
  REQUIRE_USABLE(s->device);
  if (kind < 1 || kind > 3) REFUSE(INVALID_VALUE, "cudaMemcpyAsync: kind %d", kind);
  if (size == 0) REFUSE(INVALID_VALUE, "cudaMemcpyAsync of no bytes");
  bool to_device = kind != 2, from_device = kind != 1;
  if (!to_device && block_at(&device_memory, to) != NULL) {
    REFUSE(INVALID_VALUE, "a copy to the host has a device address as its target");
  }
  if (!from_device && block_at(&device_memory, from) != NULL) {
    REFUSE(INVALID_VALUE, "a copy from the host has a device address as its source");
  }
  if (to_device && !check_range(__func__, s, to, size)) RETURN(INVALID_VALUE);
  if (from_device && !check_range(__func__, s, from, size)) RETURN(INVALID_VALUE);
  struct block *host = block_at(&host_memory, to_device ? from : to);
  bool pinned = !(to_device && from_device) && host != NULL &&
                within(host, to_device ? from : to, size);
  struct operation o = {.kind = COPY, .to = to, .from = from, .size = size, .copy_kind = kind};
  o.pinned_from = pinned && to_device;
  o.pinned_to = pinned && from_device;
  if (kind == 1 && !pinned && s->capture == NULL) {
    o.staged = true;
    o.from = memcpy(malloc(size), from, size);
  }
  RETURN(append(s, o));
}

int cudaMemsetAsync(void *address, int value, size_t size, void *stream) {
  BEGIN(cudaMemsetAsync);
  FIND(stream, s, STREAM, stream);
  REQUIRE_USABLE(s->device);
  if (size == 0) REFUSE(INVALID_VALUE, "cudaMemsetAsync of no bytes");
  if (!check_range(__func__, s, address, size)) RETURN(INVALID_VALUE);
  struct operation o = {.kind = FILL, .to = address, .size = size, .value = value};
  RETURN(append(s, o));
}

#endif
