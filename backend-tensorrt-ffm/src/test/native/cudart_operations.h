/*
 * The operations that are enqueued on the streams of the libcudart double, and what each does once
 * it runs. Enqueueing is in cudart_streams.h.
 */
#ifndef NEREID_CUDART_OPERATIONS_H
#define NEREID_CUDART_OPERATIONS_H

#include <time.h>

#include "cudart_pools.h"

enum operation_kind { COPY, FILL, RECORD, WAIT, WORK, ALLOCATE, FREE, LAUNCH };

/* One record of an event. A wait is for the record that was the last one when it was enqueued. */
struct mark {
  int references; /* of the event, its record and waits */
  bool done;
  struct stream *recorder;
  uint64_t nanos; /* when it ran */
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
  int device, priority;
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

/* ---- operations that are over, or lost ---- */

static void release_mark(struct mark *m) {
  if (m != NULL && --m->references == 0) free(m);
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

/* Drops the work of a stream. What waits for it waits no more, and what it frees is freed. */
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

/* Lets all later calls of a device fail with a code; its work is lost. */
static void fail_device(int device, int code) {
  if (devices[device].failed == 0) devices[device].failed = code;
  for (struct stream *s = streams; s != NULL; s = s->next) {
    if (s->device == device) drop_operations(s);
  }
}

/* ---- running ---- */

static void run_one(struct stream *s);

/* Whether an operation may use a range of device memory now; a violation if not. */
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

/* Runs the first operation of a stream, if it has one. If it fails, so does the device. */
static void run_one(struct stream *s) {
  static struct double_function operation = {.name = "operation"};
  if (devices[s->device].failed != 0) {
    drop_operations(s);
    return;
  }
  struct operation *o = s->first;
  if (o == NULL) return;
  int code = double_call(&operation);
  if (code != 0) {
    fail_device(s->device, code);
    return;
  }
  s->first = o->next;
  if (s->first == NULL) s->last = NULL;
  double_count(live_operations, -1);
  run_body(s, o);
  release_operation(o);
}

/* Runs all operations of a stream; the sticky error of the device, or 0. */
static int run_all(struct stream *s) {
  while (s->first != NULL && devices[s->device].failed == 0) run_one(s);
  if (devices[s->device].failed == 0) trim_pools(s->device, false);
  return devices[s->device].failed;
}

#endif
