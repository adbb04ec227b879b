/*
 * What tests ask and tell all doubles: violations, counters of live objects, counts of calls, and
 * which calls fail. Also the lock that guards all state.
 */
#ifndef NEREID_CUDART_FAULTS_H
#define NEREID_CUDART_FAULTS_H

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cudart_double.h"
#include "cudart_errors.h"

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

/* ---- violations ---- */

#define MAX_VIOLATIONS 64
static char violations[MAX_VIOLATIONS][512];
static long violation_count;

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

/* ---- counters ---- */

static struct counter {
  char kind[32];
  long live;
} counters[64];
static int counter_count;

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

/* ---- calls, and faults of them ---- */

#define MAX_FAULTS 64

static struct double_function last_function = {.name = ""}, *functions = &last_function;
static struct fault {
  char name[64];
  long skip, times, per_million;
  int code;
} faults[MAX_FAULTS];
static int fault_count;
static uint64_t random_state;

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

#endif
