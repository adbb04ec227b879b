/*
 * Graphs of the libcudart double, which cudart_captures.h captures, and their launches.
 */
#ifndef NEREID_CUDART_GRAPHS_H
#define NEREID_CUDART_GRAPHS_H

#include "cudart_streams.h"

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

#endif
