/*
 * Captures of streams in the libcudart double, and what cannot be called during one.
 */
#ifndef NEREID_CUDART_CAPTURES_H
#define NEREID_CUDART_CAPTURES_H

#include "cudart_operations.h"

static uint64_t next_capture = 1;

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

/* The capture with an id, null if it has ended. */
static struct capture *capture_of(uint64_t id) {
  struct capture *c = captures;
  while (c != NULL && c->id != id) c = c->next;
  return c;
}

/* Refuses a call on a stream that is being captured; the capture is then invalid. */
static int unsupported_in_capture(struct stream *s) {
  if (s->capture == NULL) return SUCCESS;
  s->capture->invalid = true; /* nodes that allocate are not modelled */
  return CAPTURE_UNSUPPORTED;
}

int double_is_capturing(void *stream) {
  pthread_mutex_lock(&lock);
  void **slot = find_slot(STREAM, stream);
  int capturing = slot != NULL && *slot != NULL && ((struct stream *)*slot)->capture != NULL;
  pthread_mutex_unlock(&lock);
  return capturing;
}

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

#endif
