/*
 * Blocks of device memory and page-locked memory in the libcudart double: which one an address is
 * in, the guards around each, and freed memory, which is kept for a while so that its use is seen.
 */
#ifndef NEREID_CUDART_BLOCKS_H
#define NEREID_CUDART_BLOCKS_H

#include <sys/mman.h>
#include <unistd.h>

#include "cudart_calls.h"

#define FRESH 0xCD
#define FREED 0xDD
#define GUARD 0xAB
#define GUARD_SIZE 256
#define QUARANTINE_BLOCKS 512
#define QUARANTINE_BYTES (64L << 20)

/* Where an allocation is in its life; pool memory begins and ends in the order of a stream. */
enum state { REQUESTED, LIVE };

struct block {
  char *base;
  size_t size;
  char *start; /* of what was obtained: guards included */
  size_t length;
  int device; /* of device memory */
  bool mapped;
  struct pool *pool;
  enum state state;
  bool ending;        /* its free is enqueued */
  int file;           /* of mapped device memory, for IPC */
  uint64_t id;        /* of exported memory */
  long opens;         /* of memory opened by IPC */
  bool opened;        /* a second view of exported memory */
};

struct blocks {
  struct block **all; /* ascending */
  size_t count, capacity;
};
static struct blocks device_memory, host_memory;
static struct block *quarantine[QUARANTINE_BLOCKS]; /* a ring */
static size_t quarantine_first, quarantine_end, quarantine_bytes;

/* The index of the first block that begins after `address`. */
static size_t after(const struct blocks *blocks, const void *address) {
  size_t low = 0, high = blocks->count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (blocks->all[middle]->base <= (const char *)address) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

static void add_block(struct blocks *blocks, struct block *b) {
  if (blocks->count == blocks->capacity) {
    blocks->capacity = blocks->capacity == 0 ? 64 : 2 * blocks->capacity;
    blocks->all = realloc(blocks->all, blocks->capacity * sizeof *blocks->all);
  }
  size_t at = after(blocks, b->base);
  memmove(&blocks->all[at + 1], &blocks->all[at], (blocks->count - at) * sizeof *blocks->all);
  blocks->all[at] = b;
  blocks->count++;
}

static void remove_block(struct blocks *blocks, const struct block *b) {
  size_t at = after(blocks, b->base) - 1;
  blocks->count--;
  memmove(&blocks->all[at], &blocks->all[at + 1], (blocks->count - at) * sizeof *blocks->all);
}

/* The block that `address` is in, null if there is none. */
static struct block *block_at(const struct blocks *blocks, const void *address) {
  size_t at = after(blocks, address);
  if (at == 0) return NULL;
  struct block *b = blocks->all[at - 1];
  return (const char *)address < b->base + b->size ? b : NULL;
}

static bool within(const struct block *b, const void *address, size_t size) {
  size_t offset = (size_t)((const char *)address - b->base);
  return offset <= b->size && size <= b->size - offset;
}

static bool all_bytes(const char *from, size_t size, int value) {
  for (size_t i = 0; i < size; i++) {
    if ((unsigned char)from[i] != value) return false;
  }
  return true;
}

static void check_guards(const struct block *b) {
  if (b->opened) return;
  size_t before = (size_t)(b->base - b->start);
  size_t behind = b->length - before - b->size;
  if (!all_bytes(b->start, before, GUARD) || !all_bytes(b->base + b->size, behind, GUARD)) {
    double_violation("bytes beside the %zu bytes at %p were written", b->size, (void *)b->base);
  }
}

/* A block of new memory between guards. Mapped memory begins and ends at a page. */
static struct block *obtain(size_t size, bool mapped) {
  struct block *b = calloc(1, sizeof *b);
  b->size = size;
  b->mapped = mapped;
  b->file = -1;
  if (mapped) {
    b->length = (size + 4095) / 4096 * 4096;
    b->file = memfd_create("cudart_double", 0);
    if (b->file < 0 || ftruncate(b->file, (off_t)b->length) != 0) abort();
    b->start = mmap(NULL, b->length, PROT_READ | PROT_WRITE, MAP_SHARED, b->file, 0);
    if (b->start == MAP_FAILED) abort();
    b->base = b->start;
  } else {
    size_t front = size >= 4096 ? 4096 : GUARD_SIZE;
    b->length = front + (size + GUARD_SIZE - 1) / GUARD_SIZE * GUARD_SIZE + GUARD_SIZE;
    /* What is smaller than a page is aligned to 256 bytes, which CUDA promises, and to no more. */
    if (posix_memalign((void **)&b->start, 4096, b->length) != 0) abort();
    b->base = b->start + front;
  }
  memset(b->start, GUARD, b->length);
  memset(b->base, FRESH, size);
  return b;
}

static void dispose(struct block *b) {
  if (!all_bytes(b->base, b->size, FREED)) {
    double_violation("%zu freed bytes at %p were written", b->size, (void *)b->base);
  }
  if (b->mapped) {
    munmap(b->start, b->length);
    close(b->file);
  } else {
    free(b->start);
  }
  free(b);
}

static void dispose_oldest(void) {
  struct block *b = quarantine[quarantine_first++ % QUARANTINE_BLOCKS];
  quarantine_bytes -= b->size;
  dispose(b);
}

/* Keeps freed memory for a while, so that its use is seen. */
static void put_in_quarantine(struct block *b) {
  check_guards(b);
  memset(b->base, FREED, b->size);
  if (quarantine_end - quarantine_first == QUARANTINE_BLOCKS) dispose_oldest();
  quarantine[quarantine_end++ % QUARANTINE_BLOCKS] = b;
  quarantine_bytes += b->size;
  while (quarantine_bytes > QUARANTINE_BYTES) dispose_oldest();
}

static const char *what_is(const void *address) {
  for (size_t i = quarantine_first; i < quarantine_end; i++) {
    struct block *b = quarantine[i % QUARANTINE_BLOCKS];
    if ((const char *)address >= b->base && (const char *)address < b->base + b->size) {
      return "freed memory";
    }
  }
  return block_at(&host_memory, address) != NULL ? "page-locked memory" : "no device memory";
}

int double_is_device_memory(const void *address, size_t size) {
  pthread_mutex_lock(&lock);
  struct block *b = block_at(&device_memory, address);
  int is = b != NULL && within(b, address, size) && b->state != REQUESTED;
  pthread_mutex_unlock(&lock);
  return is;
}

/* Checks all guards, and that no freed memory was written. */
void double_check_memory(void) {
  pthread_mutex_lock(&lock);
  for (size_t i = 0; i < device_memory.count; i++) check_guards(device_memory.all[i]);
  for (size_t i = 0; i < host_memory.count; i++) check_guards(host_memory.all[i]);
  while (quarantine_first < quarantine_end) dispose_oldest();
  pthread_mutex_unlock(&lock);
}

#endif
