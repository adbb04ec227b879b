/*
 * The events of the libcudart double, and waits for them, by threads and by streams.
 */
#ifndef NEREID_CUDART_EVENTS_H
#define NEREID_CUDART_EVENTS_H

#include "cudart_streams.h"

enum { DISABLE_TIMING = 2 }; /* flags */

struct event {
  int device;
  unsigned flags;
  struct mark *mark; /* of the last record, null if there was none */
  uint64_t capture;  /* in which the last record was captured, 0 if in none */
  struct stream *captured_from;
  long captured_at; /* operations captured from that stream by then */
};

static void release_event(struct event *e) {
  release_mark(e->mark);
  free(e);
}

/* How many events there are that were created with all of these flags. */
long double_events_with(unsigned flags) {
  pthread_mutex_lock(&lock);
  long count = 0;
  for (size_t i = 0; i < tables[EVENT].count; i++) {
    struct event *e = tables[EVENT].objects[i];
    count += e != NULL && (e->flags & flags) == flags;
  }
  pthread_mutex_unlock(&lock);
  return count;
}

int cudaEventCreateWithFlags(void **event, unsigned flags) {
  BEGIN(cudaEventCreateWithFlags);
  REQUIRE_USABLE(thread.device);
  struct event *e = calloc(1, sizeof *e);
  *e = (struct event){.device = thread.device, .flags = flags};
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

/* Enqueues a record of an event, or captures it. */
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

/* Adds a stream to the capture that an event was recorded in. */
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

#endif
