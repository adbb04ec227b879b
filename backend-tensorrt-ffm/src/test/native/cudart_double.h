/*
 * What the other doubles and the tests use of the double of libcudart; see cudart_double.c.
 * All functions may be called by any thread.
 */
#ifndef CUDART_DOUBLE_H
#define CUDART_DOUBLE_H

#include <stddef.h>

/* A function of a double: how often it was called, and whether it is to fail. */
struct double_function {
  const char *name;
  long calls;
  struct double_function *next; /* null until the first call */
};

/* Counts a call of the function `f`; the code that a test wants it to fail with, or 0. */
int double_call(struct double_function *f);
#define DOUBLE_CALL(function)                                \
  ({                                                         \
    static struct double_function f_ = {.name = #function}; \
    double_call(&f_);                                        \
  })

/* Records a misuse, as printf does. A test with a violation fails. */
void double_violation(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The counter of live objects of a kind, such as "engines"; made when it is first asked for. */
long *double_counter(const char *kind);
void double_count(long *counter, long difference);

/*
 * Enqueues work on a stream as a kernel launch does: it runs when the stream is synchronised or
 * queried, or when a graph that captured it runs. The work must not call CUDA. It runs with the
 * double's lock held, so it must not wait for a lock that is held during calls of CUDA.
 * `release`, if not null, is called with `arg` once the work can run no more.
 * Returns a cudaError_t; on failure `release` has been called.
 */
int double_enqueue(void *stream, void (*work)(void *), void *arg, void (*release)(void *));

/*
 * Enqueues a record of an event after the work so far, as cudaEventRecord does, but counts no call
 * of it. TensorRT records the event of setInputConsumedEvent so.
 */
int double_record(void *event, void *stream);

/* The device of a stream, -1 if there is no such stream. */
int double_stream_device(void *stream);

/* Whether a stream is being captured. */
int double_is_capturing(void *stream);

/*
 * Whether all bytes are device memory that may be used now; for work that runs on a stream: the
 * allocation was reached in its stream, and no free was.
 */
int double_is_device_memory(const void *address, size_t size);

#endif
