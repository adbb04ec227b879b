/*
 * The streams of the libcudart double: work is enqueued, and runs when a stream is waited for.
 */
#ifndef NEREID_CUDART_STREAMS_H
#define NEREID_CUDART_STREAMS_H

#include "cudart_captures.h"

static long operations_per_query; /* at most; also of a query of an event */
static uint64_t order; /* the state of the random order, 0 if there is none */

/* ---- enqueueing ---- */

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

/* ---- pending work ---- */

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

/* ---- work of other doubles ---- */

int double_enqueue(void *stream, void (*work)(void *), void *arg, void (*release)(void *)) {
  pthread_mutex_lock(&lock);
  enter_thread();
  struct stream *s = find(STREAM, stream, __func__);
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

int double_stream_device(void *stream) {
  pthread_mutex_lock(&lock);
  void **slot = find_slot(STREAM, stream);
  int device = slot == NULL || *slot == NULL ? -1 : ((struct stream *)*slot)->device;
  pthread_mutex_unlock(&lock);
  return device;
}

/* ---- streams ---- */

/* How many streams there are that were created with a priority. */
long double_streams_with(int priority) {
  pthread_mutex_lock(&lock);
  long count = 0;
  for (struct stream *s = streams; s != NULL; s = s->next) count += s->priority == priority;
  pthread_mutex_unlock(&lock);
  return count;
}

int cudaStreamCreateWithPriority(void **stream, unsigned flags, int priority) {
  BEGIN(cudaStreamCreateWithPriority);
  REQUIRE_USABLE(thread.device);
  if (flags != 1) REFUSE(INVALID_VALUE, "a stream that waits for the default stream is created");
  struct stream *s = calloc(1, sizeof *s);
  s->device = thread.device;
  s->priority = priority;
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

#endif
