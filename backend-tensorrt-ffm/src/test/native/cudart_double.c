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
 * State is global, under one recursive lock. Sections: faults and violations, handles, memory,
 * streams, then the functions by chapter of the CUDA Runtime API.
 */
#define _GNU_SOURCE
#include "cudart_double.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

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
    {220, true, "cudaErrorNvlinkUncorrectable", "uncorrectable NVLink error detected during the execution"},
    {226, true, "cudaErrorContained", "Invalid access of peer GPU memory over nvlink or a hardware error"},
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

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

/* ---- devices and settings ---- */

#define MAX_DEVICES 8
#define DEFAULT_MEMORY (1L << 30)

static struct device {
  long memory, used; /* bytes */
  int failed;        /* the sticky error */
} devices[MAX_DEVICES];
static int device_count, runtime_version, driver_version;
static long operations_per_query;
static uint64_t order; /* the state of the random order, 0 if there is none */
static unsigned generation; /* of the settings: a new one forgets what threads remember */

static __thread struct {
  unsigned generation;
  int device, last_error;
  bool operating; /* runs work of a stream now */
} thread;

/* ---- faults, counters, violations ---- */

#define MAX_FAULTS 64
#define MAX_VIOLATIONS 64

static struct double_function last_function = {.name = ""}, *functions = &last_function;
static struct fault {
  char name[64];
  long skip, times, per_million;
  int code;
} faults[MAX_FAULTS];
static int fault_count;
static uint64_t random_state;
static char violations[MAX_VIOLATIONS][512];
static long violation_count;

static struct counter {
  char kind[32];
  long live;
} counters[64];
static int counter_count;

static bool is_sticky(int code) {
  for (size_t i = 0; i < LENGTH(ERRORS); i++) {
    if (ERRORS[i].code == code) return ERRORS[i].sticky;
  }
  return false;
}

void double_violation(const char *format, ...) {
  pthread_mutex_lock(&lock);
  char message[sizeof *violations];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  fprintf(stderr, "double: violation: %s\n", message);
  if (violation_count < MAX_VIOLATIONS) strcpy(violations[violation_count], message);
  violation_count++;
  pthread_mutex_unlock(&lock);
}

long double_violations(void) {
  pthread_mutex_lock(&lock);
  long count = violation_count;
  pthread_mutex_unlock(&lock);
  return count;
}

void double_forget_violations(void) {
  pthread_mutex_lock(&lock);
  violation_count = 0;
  pthread_mutex_unlock(&lock);
}

/* The text of a violation, null if there are fewer or it was not kept. */
const char *double_violation_text(long index) {
  return index < violation_count && index < MAX_VIOLATIONS ? violations[index] : NULL;
}

long *double_counter(const char *kind) {
  pthread_mutex_lock(&lock);
  int i = 0;
  while (i < counter_count && strcmp(counters[i].kind, kind) != 0) i++;
  if (i == counter_count) {
    if (counter_count == (int)LENGTH(counters)) abort();
    snprintf(counters[counter_count++].kind, sizeof counters->kind, "%s", kind);
  }
  pthread_mutex_unlock(&lock);
  return &counters[i].live;
}

void double_count(long *counter, long difference) {
  __atomic_add_fetch(counter, difference, __ATOMIC_RELAXED);
}

int double_counters(void) { return counter_count; }
const char *double_counter_kind(int index) { return counters[index].kind; }
long double_counter_live(int index) {
  return __atomic_load_n(&counters[index].live, __ATOMIC_RELAXED);
}

/* Counters of this library. */
#define COUNTER(variable, kind)                                           \
  static long *variable;                                                  \
  __attribute__((constructor)) static void make_##variable(void) {        \
    variable = double_counter(kind);                                      \
  }
COUNTER(live_allocations, "device allocations")
COUNTER(live_bytes, "device bytes")
COUNTER(live_pinned, "page-locked allocations")
COUNTER(live_pinned_bytes, "page-locked bytes")
COUNTER(live_streams, "streams")
COUNTER(live_events, "events")
COUNTER(live_pools, "pools")
COUNTER(live_graphs, "graphs")
COUNTER(live_executables, "graph executables")
COUNTER(live_opened, "opened memory handles")
COUNTER(live_captures, "captures")
COUNTER(live_operations, "pending operations")

/* Lets `times` calls fail with `code`, after `skip` more calls that do not; all names if "*". */
void double_fail(const char *name, long skip, long times, int code) {
  pthread_mutex_lock(&lock);
  if (fault_count == MAX_FAULTS) abort();
  struct fault *f = &faults[fault_count++];
  *f = (struct fault){.skip = skip, .times = times, .code = code};
  snprintf(f->name, sizeof f->name, "%s", name);
  pthread_mutex_unlock(&lock);
}

/* Lets calls fail at random. */
void double_fail_at_random(const char *name, long per_million, int code, uint64_t seed) {
  pthread_mutex_lock(&lock);
  double_fail(name, 0, INT64_MAX, code);
  faults[fault_count - 1].per_million = per_million;
  random_state = seed * 2 + 1;
  pthread_mutex_unlock(&lock);
}

void double_clear_faults(void) {
  pthread_mutex_lock(&lock);
  fault_count = 0;
  pthread_mutex_unlock(&lock);
}

/* Xorshift (Marsaglia). */
static uint64_t next_random(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

static bool happens(long per_million) {
  return (long)(next_random(&random_state) % 1000000) < per_million;
}

int double_call(struct double_function *f) {
  pthread_mutex_lock(&lock);
  if (f->next == NULL) {
    f->next = functions;
    functions = f;
  }
  f->calls++;
  int code = 0;
  for (int i = 0; i < fault_count && code == 0; i++) {
    struct fault *fault = &faults[i];
    bool named = strcmp(fault->name, f->name) == 0;
    if (!named && (strcmp(fault->name, "*") != 0 || strcmp(f->name, "operation") == 0)) continue;
    if (fault->per_million > 0) {
      if (happens(fault->per_million)) code = fault->code;
    } else if (fault->skip > 0) {
      fault->skip--;
    } else if (fault->times > 0) {
      fault->times--;
      code = fault->code;
    }
  }
  pthread_mutex_unlock(&lock);
  return code;
}

/* How often a function was called since the last reset; all functions if "*". */
long double_calls(const char *name) {
  pthread_mutex_lock(&lock);
  long calls = 0;
  for (struct double_function *f = functions; f != &last_function; f = f->next) {
    if (strcmp(f->name, name) == 0 || strcmp(name, "*") == 0) calls += f->calls;
  }
  pthread_mutex_unlock(&lock);
  return calls;
}

/* The names of the functions that were ever called, by index; null behind the last. */
const char *double_called(int index) {
  pthread_mutex_lock(&lock);
  struct double_function *f = functions;
  while (index-- > 0 && f != &last_function) f = f->next;
  const char *name = f == &last_function ? NULL : f->name;
  pthread_mutex_unlock(&lock);
  return name;
}

/* ---- entering and leaving a function ---- */

static void enter_thread(void) {
  if (thread.generation != generation) {
    thread.generation = generation;
    thread.device = 0;
    thread.last_error = 0;
  }
}

static int leave(int code) {
  if (code != 0) thread.last_error = code;
  pthread_mutex_unlock(&lock);
  return code;
}

/* Takes the lock; not 0 if the function cannot work at all. */
static int enter(const char *name) {
  pthread_mutex_lock(&lock);
  enter_thread();
  if (thread.operating) {
    double_violation("%s is called by work that runs on a stream", name);
    return NOT_PERMITTED;
  }
  return driver_version == 0 ? INSUFFICIENT_DRIVER : device_count == 0 ? NO_DEVICE : 0;
}

static void fail_device(int device, int code);

static int injected(int device, int code) {
  if (code != 0 && is_sticky(code)) fail_device(device, code);
  return code;
}

/* Begins a function. BEGIN_DESTROY goes on if it is to fail, with the code in `fault`. */
#define BEGIN_DESTROY(function)                       \
  int unable_ = enter(#function);                     \
  if (unable_ != 0) return leave(unable_);            \
  int fault = injected(thread.device, DOUBLE_CALL(function))
#define BEGIN(function)     \
  BEGIN_DESTROY(function);  \
  if (fault != 0) return leave(fault)
#define RETURN(code) return leave(code)
#define REQUIRE_USABLE(device) \
  if (devices[device].failed != 0) return leave(devices[device].failed)
#define REFUSE(code, ...)          \
  do {                             \
    double_violation(__VA_ARGS__); \
    return leave(code);            \
  } while (0)

/* ---- handles: a tag, an index, never used again ---- */

enum kind { STREAM = 1, EVENT, POOL, GRAPH, EXECUTABLE, KINDS };
static const char *KIND_NAMES[] = {"", "stream", "event", "pool", "graph", "graph executable"};

static struct {
  void **objects;
  size_t count, capacity;
} tables[KINDS];

#define TAG 0x7D00000000000000ul /* no address of user space */

static void *make_handle(enum kind kind, void *object) {
  if (tables[kind].count == tables[kind].capacity) {
    tables[kind].capacity = tables[kind].capacity == 0 ? 256 : 2 * tables[kind].capacity;
    tables[kind].objects = realloc(tables[kind].objects, tables[kind].capacity * sizeof(void *));
  }
  tables[kind].objects[tables[kind].count] = object;
  return (void *)(TAG | (uint64_t)kind << 48 | (uint64_t)++tables[kind].count << 4);
}

static void **find_slot(enum kind kind, void *handle) {
  uint64_t index = ((uint64_t)handle & 0xFFFFFFFFFFFFul) >> 4;
  bool tagged = ((uint64_t)handle & ~0xFFFFFFFFFFFFul) == (TAG | (uint64_t)kind << 48);
  return tagged && index > 0 && index <= tables[kind].count ? &tables[kind].objects[index - 1]
                                                            : NULL;
}

/* The object of a handle; a violation and null if there is none. */
static void *find(enum kind kind, void *handle, const char *function) {
  void **slot = find_slot(kind, handle);
  if (slot != NULL && *slot != NULL) return *slot;
  double_violation("%s: %s %s %p", function, slot == NULL ? "no" : "destroyed", KIND_NAMES[kind],
                   handle);
  return NULL;
}

#define FIND(type, variable, kind, handle)                 \
  struct type *variable = find(kind, handle, __func__);    \
  if (variable == NULL) return leave(INVALID_HANDLE)

/* ---- memory ---- */

#define FRESH 0xCD
#define FREED 0xDD
#define GUARD 0xAB
#define GUARD_SIZE 256
#define POOL_GRANULARITY 65536L
#define QUARANTINE_BLOCKS 512
#define QUARANTINE_BYTES (64L << 20)

struct pool {
  int device;
  uint64_t threshold;
  long used, reserved, allocations;
  bool destroyed;
};

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
static uint64_t next_id = 1;

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
    if (posix_memalign((void **)&b->start, front, b->length) != 0) abort();
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

static bool take_memory(int device, long bytes) {
  if (bytes > devices[device].memory - devices[device].used) return false;
  devices[device].used += bytes;
  return true;
}

static void trim(struct pool *pool, uint64_t threshold) {
  long keep = pool->used;
  if (threshold > (uint64_t)keep) {
    keep = threshold > (uint64_t)pool->reserved ? pool->reserved : (long)threshold;
  }
  keep = (keep + POOL_GRANULARITY - 1) / POOL_GRANULARITY * POOL_GRANULARITY;
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

static bool reserve(struct pool *pool, long bytes) {
  long more = pool->used + bytes - pool->reserved;
  if (more > 0) {
    more = (more + POOL_GRANULARITY - 1) / POOL_GRANULARITY * POOL_GRANULARITY;
    if (!take_memory(pool->device, more)) {
      trim_pools(pool->device, true);
      more = pool->used + bytes - pool->reserved;
      more = more <= 0 ? 0 : (more + POOL_GRANULARITY - 1) / POOL_GRANULARITY * POOL_GRANULARITY;
      if (!take_memory(pool->device, more)) return false;
    }
    pool->reserved += more;
  }
  pool->used += bytes;
  return true;
}

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

/* ---- streams: queues of operations ---- */

enum operation_kind { COPY, FILL, RECORD, WAIT, WORK, ALLOCATE, FREE, LAUNCH };

/* One record of an event. A wait is for the record that was the last one when it was enqueued. */
struct mark {
  int references;
  bool done;
  struct stream *recorder;
  uint64_t nanos; /* when it ran */
};

struct event {
  int device, references;
  unsigned flags;
  struct mark *mark; /* of the last record, null if there was none */
  uint64_t capture;  /* in which the last record was captured, 0 if in none */
  struct stream *captured_from;
  long captured_at; /* operations captured from that stream by then */
  uint64_t id;      /* if it was exported */
};

struct operation {
  struct operation *next;
  enum operation_kind kind;
  char *to;
  const char *from;
  size_t size;
  int copy_kind, value;
  bool pinned_from, pinned_to, staged;
  struct mark *mark;
  void (*work)(void *), (*release)(void *);
  void *arg;
  struct executable *executable;
};

struct graph {
  struct operation *first, *last;
  int references, device;
};

struct capture {
  uint64_t id;
  struct graph *graph;
  struct stream *origin;
  pthread_t thread;
  int mode; /* 0 global, 1 thread-local, 2 relaxed */
  bool invalid;
  struct capture *next;
};

struct executable {
  struct graph *graph;
  long pending;
};

struct stream {
  int device;
  bool destroyed;
  struct operation *first, *last;
  bool excused; /* the last wait for it was made to fail: its owner cannot know what is pending */
  struct capture *capture;
  bool joined;   /* during a capture: the origin waits for all of it */
  long captured; /* operations during a capture */
  struct stream *next;
};

static struct stream *streams; /* all that are not destroyed */
static struct capture *captures;
static uint64_t next_capture = 1;

static int run_one(struct stream *s);

static void release_mark(struct mark *m) {
  if (m != NULL && --m->references == 0) free(m);
}

static void release_event(struct event *e) {
  if (--e->references > 0) return;
  release_mark(e->mark);
  free(e);
}

static void release_operation(struct operation *o) {
  if (o->staged) free((char *)o->from);
  release_mark(o->mark);
  if (o->release != NULL) o->release(o->arg);
  if (o->executable != NULL) o->executable->pending--;
  free(o);
}

static void release_graph(struct graph *g) {
  if (--g->references > 0) return;
  for (struct operation *o = g->first, *next; o != NULL; o = next) {
    next = o->next;
    release_operation(o);
  }
  free(g);
}

/* Reaches an allocation in its stream. The memory may be freed already, by another stream. */
static void make_live(const void *address) {
  struct block *b = block_at(&device_memory, address);
  if (b != NULL) b->state = LIVE;
}

static void drop_operations(struct stream *s) {
  for (struct operation *o = s->first, *next; o != NULL; o = next) {
    next = o->next;
    if (o->kind == RECORD) o->mark->done = true;
    if (o->kind == ALLOCATE) make_live(o->to);
    if (o->kind == FREE) end_device_block(block_at(&device_memory, o->to));
    release_operation(o);
    double_count(live_operations, -1);
  }
  s->first = s->last = NULL;
}

static void fail_device(int device, int code) {
  if (devices[device].failed == 0) devices[device].failed = code;
  for (struct stream *s = streams; s != NULL; s = s->next) {
    if (s->device == device) drop_operations(s);
  }
}

static bool usable(const struct stream *s, const char *address, size_t size, const char *what) {
  struct block *b = block_at(&device_memory, address);
  if (b == NULL || !within(b, address, size)) {
    double_violation("a %s runs on %zu bytes at %p, %s", what, size, (const void *)address,
                     b == NULL ? what_is(address) : "beyond the end of device memory");
    return false;
  }
  if (b->state == REQUESTED) {
    double_violation("a %s runs on device memory before its allocation is reached", what);
    return false;
  }
  if (b->device != s->device) {
    double_violation("a %s of device %d runs on memory of device %d", what, s->device, b->device);
    return false;
  }
  return true;
}

static bool still_pinned(const char *address, size_t size) {
  struct block *b = block_at(&host_memory, address);
  if (b != NULL && within(b, address, size)) return true;
  double_violation("a copy runs on %zu bytes at %p, page-locked memory that was freed", size,
                   (const void *)address);
  return false;
}

static void run_copy(const struct stream *s, const struct operation *o) {
  bool to_device = o->copy_kind != 2, from_device = o->copy_kind != 1;
  if (to_device && !usable(s, o->to, o->size, "copy")) return;
  if (from_device && !usable(s, o->from, o->size, "copy")) return;
  if (o->pinned_from && !still_pinned(o->from, o->size)) return;
  if (o->pinned_to && !still_pinned(o->to, o->size)) return;
  memmove(o->to, o->from, o->size);
}

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Runs the stream that a mark is on until the mark is reached. */
static void run_until(const struct mark *m) {
  while (!m->done && m->recorder->first != NULL) run_one(m->recorder);
}

static void run_body(struct stream *s, struct operation *o) {
  switch (o->kind) {
    case COPY:
      run_copy(s, o);
      break;
    case FILL:
      if (usable(s, o->to, o->size, "fill")) memset(o->to, o->value, o->size);
      break;
    case WORK:
      thread.operating = true;
      o->work(o->arg);
      thread.operating = false;
      break;
    case RECORD:
      o->mark->done = true;
      o->mark->nanos = now();
      break;
    case WAIT:
      run_until(o->mark);
      break;
    case ALLOCATE:
      make_live(o->to);
      break;
    case FREE: {
      struct block *b = block_at(&device_memory, o->to);
      if (b->state == REQUESTED) {
        double_violation("device memory is freed before its allocation is reached");
      }
      end_device_block(b);
      break;
    }
    case LAUNCH:
      for (struct operation *node = o->executable->graph->first; node != NULL; node = node->next) {
        run_body(s, node);
      }
      break;
  }
}

/* Runs the first operation of a stream, if it has one; the sticky error of the device. */
static int run_one(struct stream *s) {
  static struct double_function operation = {.name = "operation"};
  if (devices[s->device].failed != 0) {
    drop_operations(s);
    return devices[s->device].failed;
  }
  struct operation *o = s->first;
  if (o == NULL) return 0;
  int code = double_call(&operation);
  if (code != 0) {
    fail_device(s->device, code);
    return code;
  }
  s->first = o->next;
  if (s->first == NULL) s->last = NULL;
  double_count(live_operations, -1);
  run_body(s, o);
  release_operation(o);
  return devices[s->device].failed;
}

static int run_all(struct stream *s) {
  int code = devices[s->device].failed;
  while (s->first != NULL && code == 0) code = run_one(s);
  if (code == 0) trim_pools(s->device, false);
  return devices[s->device].failed;
}

/* Refuses a call that is unsafe during a capture of this thread, or a global one. */
static int unsafe_while_capturing(void) {
  int code = 0;
  for (struct capture *c = captures; c != NULL; c = c->next) {
    if (c->mode == 0 || (c->mode == 1 && pthread_equal(c->thread, pthread_self()))) {
      c->invalid = true;
      code = CAPTURE_UNSUPPORTED;
    }
  }
  return code;
}
#define REQUIRE_SAFE()                                    \
  do {                                                    \
    int unsafe_ = unsafe_while_capturing();               \
    if (unsafe_ != 0) return leave(unsafe_);              \
  } while (0)

static bool can_go_on(const struct stream *s) {
  return s->first != NULL && (s->first->kind != WAIT || s->first->mark->done);
}

/* Lets some streams go on by an operation or two, if they need not wait for another stream. */
static void run_at_random(void) {
  for (struct stream *s = streams, *next; s != NULL; s = next) {
    next = s->next;
    for (int i = 0; i < 2 && can_go_on(s) && next_random(&order) % 2 == 0; i++) run_one(s);
  }
}

static struct capture *capture_of(uint64_t id) {
  struct capture *c = captures;
  while (c != NULL && c->id != id) c = c->next;
  return c;
}

/* Appends an operation to a stream, or to the graph that is captured from it. Takes it. */
static int append(struct stream *s, struct operation model) {
  struct operation *o = malloc(sizeof *o);
  *o = model;
  o->next = NULL;
  if (s->capture != NULL) {
    if (s->capture->invalid) {
      release_operation(o);
      return CAPTURE_INVALIDATED;
    }
    struct graph *g = s->capture->graph;
    if (g->last == NULL) {
      g->first = o;
    } else {
      g->last->next = o;
    }
    g->last = o;
    s->captured++;
    s->joined = false;
    return SUCCESS;
  }
  if (s->last == NULL) {
    s->first = o;
  } else {
    s->last->next = o;
  }
  s->last = o;
  double_count(live_operations, 1);
  if (order != 0) run_at_random();
  return SUCCESS;
}

static bool overlaps(const char *a, size_t size, const char *start, size_t length) {
  return a < start + length && start < a + size;
}

static bool uses(const struct operation *o, const struct block *b) {
  bool use = false;
  switch (o->kind) {
    case COPY:
      use = overlaps(o->to, o->size, b->base, b->size) ||
            (!o->staged && overlaps(o->from, o->size, b->base, b->size));
      break;
    case FILL:
      use = overlaps(o->to, o->size, b->base, b->size);
      break;
    case LAUNCH:
      for (struct operation *n = o->executable->graph->first; n != NULL && !use; n = n->next) {
        use = uses(n, b);
      }
      break;
    default:
      break;
  }
  return use;
}

/* Whether a pending operation uses a block. Work of an excused stream is then lost. */
static bool has_pending_use(const struct block *b) {
  bool pending = false;
  for (struct stream *s = streams; s != NULL; s = s->next) {
    bool use = false;
    for (struct operation *o = s->first; o != NULL && !use; o = o->next) use = uses(o, b);
    if (use && s->excused) drop_operations(s);
    pending |= use && !s->excused;
  }
  return pending;
}

int double_enqueue_owned(void *stream, void (*work)(void *), void *arg, void (*release)(void *)) {
  pthread_mutex_lock(&lock);
  enter_thread();
  struct stream *s = find(STREAM, stream, "double_enqueue");
  int code;
  if (s == NULL) {
    code = INVALID_HANDLE;
  } else if (devices[s->device].failed != 0) {
    code = devices[s->device].failed;
  } else if (thread.device != s->device) {
    double_violation("work is launched on a stream of device %d by a thread that uses device %d",
                     s->device, thread.device);
    code = INVALID_HANDLE;
  } else {
    struct operation o = {.kind = WORK, .work = work, .arg = arg, .release = release};
    return leave(append(s, o));
  }
  if (release != NULL) release(arg);
  return leave(code);
}

int double_enqueue(void *stream, void (*work)(void *), void *arg) {
  return double_enqueue_owned(stream, work, arg, NULL);
}

int double_stream_device(void *stream) {
  pthread_mutex_lock(&lock);
  void **slot = find_slot(STREAM, stream);
  int device = slot == NULL || *slot == NULL ? -1 : ((struct stream *)*slot)->device;
  pthread_mutex_unlock(&lock);
  return device;
}

int double_is_capturing(void *stream) {
  pthread_mutex_lock(&lock);
  void **slot = find_slot(STREAM, stream);
  int capturing = slot != NULL && *slot != NULL && ((struct stream *)*slot)->capture != NULL;
  pthread_mutex_unlock(&lock);
  return capturing;
}

/* ---- control ---- */

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

/* ---- version, errors ---- */

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
    case 115: /* cudaDevAttrMemoryPoolsSupported */
      *value = 1;
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

/* ---- streams ---- */

int cudaStreamCreateWithPriority(void **stream, unsigned flags, int priority) {
  BEGIN(cudaStreamCreateWithPriority);
  REQUIRE_USABLE(thread.device);
  (void)priority; /* CUDA limits it to the range */
  if (flags != 1) REFUSE(INVALID_VALUE, "a stream that waits for the default stream is created");
  struct stream *s = calloc(1, sizeof *s);
  s->device = thread.device;
  s->next = streams;
  streams = s;
  *stream = make_handle(STREAM, s);
  double_count(live_streams, 1);
  RETURN(SUCCESS);
}

int cudaStreamDestroy(void *stream) {
  BEGIN_DESTROY(cudaStreamDestroy);
  FIND(stream, s, STREAM, stream);
  if (s->capture != NULL) REFUSE(CAPTURE_UNSUPPORTED, "a stream is destroyed during a capture");
  if (s->first != NULL && !s->excused) {
    double_violation("a stream is destroyed while work is pending");
    run_all(s);
  }
  drop_operations(s);
  struct stream **link = &streams;
  while (*link != s) link = &(*link)->next;
  *link = s->next;
  s->destroyed = true; /* kept, events may point to it */
  *find_slot(STREAM, stream) = NULL;
  double_count(live_streams, -1);
  RETURN(fault != 0 ? fault : devices[s->device].failed);
}

/* Begins a wait for a stream; not 0 if it fails. */
static int begin_wait(struct stream *s, int fault) {
  int unsafe = unsafe_while_capturing();
  if (unsafe != 0) return unsafe;
  if (s->capture != NULL) {
    s->capture->invalid = true;
    return CAPTURE_UNSUPPORTED;
  }
  s->excused = fault != 0;
  return fault;
}

int cudaStreamSynchronize(void *stream) {
  BEGIN_DESTROY(cudaStreamSynchronize);
  FIND(stream, s, STREAM, stream);
  int code = begin_wait(s, fault);
  RETURN(code != 0 ? code : run_all(s));
}

int cudaStreamQuery(void *stream) {
  BEGIN_DESTROY(cudaStreamQuery);
  FIND(stream, s, STREAM, stream);
  int code = begin_wait(s, fault);
  if (code != 0) RETURN(code);
  for (long i = 0; i < operations_per_query && s->first != NULL; i++) run_one(s);
  REQUIRE_USABLE(s->device);
  RETURN(s->first == NULL ? SUCCESS : NOT_READY);
}

static int wait_captured(struct stream *s, struct event *e) {
  struct capture *c = capture_of(e->capture);
  if (c == NULL) return CAPTURED_EVENT;
  if (c->invalid) return CAPTURE_INVALIDATED;
  if (s->capture != NULL && s->capture != c) {
    s->capture->invalid = c->invalid = true;
    return CAPTURE_MERGE;
  }
  if (s->capture == NULL) {
    s->capture = c;
    s->captured = 0;
    s->joined = false;
  }
  if (e->captured_from != s && e->captured_at == e->captured_from->captured) {
    e->captured_from->joined = true;
  }
  return SUCCESS;
}

int cudaStreamWaitEvent(void *stream, void *event, unsigned flags) {
  BEGIN(cudaStreamWaitEvent);
  FIND(stream, s, STREAM, stream);
  FIND(event, e, EVENT, event);
  REQUIRE_USABLE(s->device);
  if (flags != 0) RETURN(INVALID_VALUE);
  if (e->capture != 0) RETURN(wait_captured(s, e));
  if (e->mark == NULL) RETURN(SUCCESS);
  if (s->capture != NULL) {
    s->capture->invalid = true;
    RETURN(CAPTURE_ISOLATION);
  }
  if (e->mark->done) RETURN(SUCCESS);
  e->mark->references++;
  struct operation o = {.kind = WAIT, .mark = e->mark};
  RETURN(append(s, o));
}

/* ---- events ---- */

enum { BLOCKING = 1, DISABLE_TIMING = 2, INTERPROCESS = 4 };

int cudaEventCreateWithFlags(void **event, unsigned flags) {
  BEGIN(cudaEventCreateWithFlags);
  REQUIRE_USABLE(thread.device);
  if ((flags & INTERPROCESS) != 0 && (flags & DISABLE_TIMING) == 0) RETURN(INVALID_VALUE);
  struct event *e = calloc(1, sizeof *e);
  *e = (struct event){.device = thread.device, .flags = flags, .references = 1};
  *event = make_handle(EVENT, e);
  double_count(live_events, 1);
  RETURN(SUCCESS);
}

int cudaEventDestroy(void *event) {
  BEGIN_DESTROY(cudaEventDestroy);
  FIND(event, e, EVENT, event);
  int device = e->device;
  *find_slot(EVENT, event) = NULL;
  release_event(e);
  double_count(live_events, -1);
  RETURN(fault != 0 ? fault : devices[device].failed);
}

static int record(struct event *e, struct stream *s) {
  if (e->device != s->device) {
    double_violation("an event of device %d is recorded on a stream of device %d", e->device,
                     s->device);
    return INVALID_HANDLE;
  }
  if (s->capture != NULL) {
    if (s->capture->invalid) return CAPTURE_INVALIDATED;
    e->capture = s->capture->id;
    e->captured_from = s;
    e->captured_at = s->captured;
    return SUCCESS;
  }
  e->capture = 0;
  release_mark(e->mark);
  e->mark = calloc(1, sizeof *e->mark);
  *e->mark = (struct mark){.references = 2, .recorder = s};
  struct operation o = {.kind = RECORD, .mark = e->mark};
  return append(s, o);
}

int cudaEventRecord(void *event, void *stream) {
  BEGIN(cudaEventRecord);
  FIND(event, e, EVENT, event);
  FIND(stream, s, STREAM, stream);
  REQUIRE_USABLE(s->device);
  RETURN(record(e, s));
}

int double_record(void *event, void *stream) {
  pthread_mutex_lock(&lock);
  enter_thread();
  FIND(event, e, EVENT, event);
  FIND(stream, s, STREAM, stream);
  REQUIRE_USABLE(s->device);
  RETURN(record(e, s));
}

static bool is_complete(const struct event *e) { return e->mark == NULL || e->mark->done; }

/* Begins a wait for an event; not 0 if it fails. */
static int begin_event_wait(struct event *e, int fault) {
  int unsafe = unsafe_while_capturing();
  if (unsafe != 0) return unsafe;
  if (e->mark != NULL && !e->mark->recorder->destroyed) e->mark->recorder->excused = fault != 0;
  if (fault != 0) return fault;
  if (devices[e->device].failed != 0) return devices[e->device].failed;
  return e->capture != 0 ? CAPTURED_EVENT : SUCCESS;
}

int cudaEventQuery(void *event) {
  BEGIN_DESTROY(cudaEventQuery);
  FIND(event, e, EVENT, event);
  int code = begin_event_wait(e, fault);
  if (code != 0) RETURN(code);
  for (long i = 0; i < operations_per_query && !is_complete(e); i++) run_one(e->mark->recorder);
  REQUIRE_USABLE(e->device);
  RETURN(is_complete(e) ? SUCCESS : NOT_READY);
}

int cudaEventSynchronize(void *event) {
  BEGIN_DESTROY(cudaEventSynchronize);
  FIND(event, e, EVENT, event);
  int code = begin_event_wait(e, fault);
  if (code != 0) RETURN(code);
  if (e->mark != NULL) run_until(e->mark);
  trim_pools(e->device, false);
  RETURN(devices[e->device].failed);
}

int cudaEventElapsedTime(float *millis, void *start, void *end) {
  BEGIN(cudaEventElapsedTime);
  FIND(event, s, EVENT, start);
  FIND(event, e, EVENT, end);
  REQUIRE_USABLE(e->device);
  if (((s->flags | e->flags) & DISABLE_TIMING) != 0) RETURN(INVALID_HANDLE);
  if (s->mark == NULL || e->mark == NULL) RETURN(INVALID_HANDLE);
  if (!is_complete(s) || !is_complete(e)) RETURN(NOT_READY);
  *millis = (float)((double)(int64_t)(e->mark->nanos - s->mark->nanos) / 1e6);
  RETURN(SUCCESS);
}

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

static int unsupported_in_capture(struct stream *s) {
  if (s->capture == NULL) return SUCCESS;
  s->capture->invalid = true; /* nodes that allocate are not modelled */
  return CAPTURE_UNSUPPORTED;
}

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

/* ---- host memory ---- */

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

/* ---- copies ---- */

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
  if (to_device != (block_at(&device_memory, to) != NULL) && !to_device) {
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

/* ---- graphs ---- */

int cudaStreamBeginCapture(void *stream, int mode) {
  BEGIN(cudaStreamBeginCapture);
  FIND(stream, s, STREAM, stream);
  REQUIRE_USABLE(s->device);
  if (s->capture != NULL || mode < 0 || mode > 2) RETURN(INVALID_VALUE);
  struct capture *c = calloc(1, sizeof *c);
  c->id = next_capture++;
  c->origin = s;
  c->thread = pthread_self();
  c->mode = mode;
  c->graph = calloc(1, sizeof *c->graph);
  c->graph->references = 1;
  c->graph->device = s->device;
  c->next = captures;
  captures = c;
  s->capture = c;
  s->captured = 0;
  s->joined = true;
  double_count(live_captures, 1);
  RETURN(SUCCESS);
}

/* Ends a capture: all of its streams are normal again. */
static void end_capture(struct capture *c) {
  for (struct stream *s = streams; s != NULL; s = s->next) {
    if (s->capture == c) s->capture = NULL;
  }
  struct capture **link = &captures;
  while (*link != c) link = &(*link)->next;
  *link = c->next;
  double_count(live_captures, -1);
  free(c);
}

int cudaStreamEndCapture(void *stream, void **graph) {
  BEGIN_DESTROY(cudaStreamEndCapture);
  FIND(stream, s, STREAM, stream);
  *graph = NULL;
  struct capture *c = s->capture;
  if (c == NULL) RETURN(INVALID_VALUE);
  int code = fault != 0 ? fault : devices[s->device].failed;
  if (c->mode != 2 && !pthread_equal(c->thread, pthread_self())) {
    c->invalid = true;
    RETURN(CAPTURE_WRONG_THREAD);
  }
  if (c->origin != s) {
    c->invalid = true;
    RETURN(CAPTURE_UNMATCHED);
  }
  for (struct stream *other = streams; other != NULL && code == 0; other = other->next) {
    if (other->capture == c && other != s && !other->joined) code = CAPTURE_UNJOINED;
  }
  if (c->invalid && code == 0) code = CAPTURE_INVALIDATED;
  if (code == 0) {
    *graph = make_handle(GRAPH, c->graph);
    double_count(live_graphs, 1);
  } else {
    release_graph(c->graph);
  }
  end_capture(c);
  RETURN(code);
}

int cudaGraphInstantiate(void **executable, void *graph, unsigned long long flags) {
  BEGIN(cudaGraphInstantiate);
  FIND(graph, g, GRAPH, graph);
  REQUIRE_USABLE(g->device);
  if (flags != 0) RETURN(INVALID_VALUE);
  struct executable *x = calloc(1, sizeof *x);
  x->graph = g;
  g->references++;
  *executable = make_handle(EXECUTABLE, x);
  double_count(live_executables, 1);
  RETURN(SUCCESS);
}

int cudaGraphLaunch(void *executable, void *stream) {
  BEGIN(cudaGraphLaunch);
  FIND(executable, x, EXECUTABLE, executable);
  FIND(stream, s, STREAM, stream);
  REQUIRE_USABLE(s->device);
  if (x->graph->device != s->device) {
    REFUSE(INVALID_HANDLE, "a graph of device %d is launched on device %d", x->graph->device,
           s->device);
  }
  if (unsupported_in_capture(s) != SUCCESS) RETURN(CAPTURE_UNSUPPORTED);
  x->pending++;
  struct operation o = {.kind = LAUNCH, .executable = x};
  RETURN(append(s, o));
}

int cudaGraphExecDestroy(void *executable) {
  BEGIN_DESTROY(cudaGraphExecDestroy);
  FIND(executable, x, EXECUTABLE, executable);
  int device = x->graph->device;
  *find_slot(EXECUTABLE, executable) = NULL;
  double_count(live_executables, -1);
  for (struct stream *s = streams; s != NULL && x->pending > 0; s = s->next) {
    if (s->excused) drop_operations(s);
  }
  if (x->pending > 0) {
    REFUSE(INVALID_VALUE, "a graph is destroyed while a launch is pending"); /* kept for it */
  }
  release_graph(x->graph);
  free(x);
  RETURN(fault != 0 ? fault : devices[device].failed);
}

int cudaGraphDestroy(void *graph) {
  BEGIN_DESTROY(cudaGraphDestroy);
  FIND(graph, g, GRAPH, graph);
  int device = g->device;
  *find_slot(GRAPH, graph) = NULL;
  double_count(live_graphs, -1);
  release_graph(g);
  RETURN(fault != 0 ? fault : devices[device].failed);
}

/* ---- inter-process communication, within this process ---- */

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

int cudaIpcGetEventHandle(struct ipc_handle *handle, void *event) {
  BEGIN(cudaIpcGetEventHandle);
  FIND(event, e, EVENT, event);
  REQUIRE_USABLE(e->device);
  if ((e->flags & INTERPROCESS) == 0) RETURN(INVALID_HANDLE);
  if (e->id == 0) e->id = next_id++;
  write_handle(handle, "DOUBLEE", e->id);
  RETURN(SUCCESS);
}

int cudaIpcOpenEventHandle(void **event, struct ipc_handle handle) {
  BEGIN(cudaIpcOpenEventHandle);
  REQUIRE_SAFE();
  REQUIRE_USABLE(thread.device);
  for (size_t i = 0; is_handle(&handle, "DOUBLEE") && i < tables[EVENT].count; i++) {
    struct event *e = tables[EVENT].objects[i];
    if (e != NULL && e->id == handle.id && e->device == thread.device) {
      e->references++; /* two handles, one event */
      *event = make_handle(EVENT, e);
      double_count(live_events, 1);
      RETURN(SUCCESS);
    }
  }
  RETURN(INVALID_HANDLE);
}
