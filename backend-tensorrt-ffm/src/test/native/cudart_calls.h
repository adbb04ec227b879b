/*
 * How each function of CUDA begins and ends in the libcudart double: the state of devices and
 * threads, the lock, faults, and the table of handles, by which each object is looked up.
 */
#ifndef NEREID_CUDART_CALLS_H
#define NEREID_CUDART_CALLS_H

#include "cudart_faults.h"

/* ---- devices and threads ---- */

#define MAX_DEVICES 8
#define DEFAULT_MEMORY (1L << 30)

static struct device {
  long memory, used; /* bytes */
  int failed;        /* the sticky error */
} devices[MAX_DEVICES];
static int device_count, runtime_version, driver_version;
static unsigned generation; /* of the settings: a new one forgets what threads remember */

static __thread struct {
  unsigned generation;
  int device, last_error;
  bool operating; /* runs work of a stream now */
} thread;

/* ---- the begin and the end of a function ---- */

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

/* The code that a function is to fail with; a sticky one fails the device. */
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

#endif
