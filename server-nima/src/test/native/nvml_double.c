/*
 * A double of NVML (nvml.h): two GPUs, whose values tests set, faults by the name of a function, and
 * a gate in which the calls of one function wait until they are released.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define DEVICES 2

typedef struct { int index; } *nvmlDevice_t;
typedef struct { unsigned int gpu, memory; } nvmlUtilization_t;
typedef struct { unsigned long long total, free, used; } nvmlMemory_t;
typedef struct { unsigned int version; unsigned long long total, reserved, free, used; } nvmlMemory_v2_t;

#define RESERVED 4096

enum {
  SUCCESS = 0, UNINITIALIZED = 1, INVALID_ARGUMENT = 2, INSUFFICIENT_SIZE = 7,
  ARGUMENT_VERSION_MISMATCH = 25
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct { int index; } devices[DEVICES] = {{0}, {1}};
static unsigned long long energy = 5000;
static int initialized;
static char failing[64];
static int code;
static char gated[64];
static int skipped;
static int waiting;

void double_reset(void) {
  pthread_mutex_lock(&lock);
  energy = 5000;
  failing[0] = 0;
  gated[0] = 0;
  waiting = 0;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
}

/* Lets all calls of a function, or of all ("*"), fail until the reset. */
void double_fail(const char *function, int status) {
  pthread_mutex_lock(&lock);
  snprintf(failing, sizeof failing, "%s", function);
  code = status;
  pthread_mutex_unlock(&lock);
}

/* Has the calls of a function, after `skip` that do not, wait until the reset. */
void double_gate(const char *function, int skip) {
  pthread_mutex_lock(&lock);
  snprintf(gated, sizeof gated, "%s", function);
  skipped = skip;
  pthread_mutex_unlock(&lock);
}

/* Returns when a call waits. */
void double_await_waiting(void) {
  pthread_mutex_lock(&lock);
  while (!waiting) pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
}

/* Returns when each initialization has had its shutdown. */
void double_await_shutdown(void) {
  pthread_mutex_lock(&lock);
  while (initialized) pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
}

void double_set_energy(long long millijoules) { energy = millijoules; }

int double_initialized(void) { return initialized; }

static int enter(const char *function) {
  pthread_mutex_lock(&lock);
  int skips = !strcmp(gated, function) && skipped-- > 0;
  while (!skips && !strcmp(gated, function)) {
    waiting = 1;
    pthread_cond_broadcast(&changed);
    pthread_cond_wait(&changed, &lock);
  }
  waiting = 0;
  int status = !strcmp(failing, function) || !strcmp(failing, "*") ? code : SUCCESS;
  if (!status && !initialized && strcmp(function, "nvmlInit_v2")) status = UNINITIALIZED;
  pthread_mutex_unlock(&lock);
  return status;
}

#define ENTER() do { int status = enter(__func__); if (status) return status; } while (0)

int nvmlInit_v2(void) { ENTER(); initialized++; return SUCCESS; }

int nvmlShutdown(void) {
  ENTER();
  pthread_mutex_lock(&lock);
  initialized--;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
  return SUCCESS;
}

const char *nvmlErrorString(int status) {
  return status == 3 ? "Not Supported" : status == 4 ? "Insufficient Permissions"
      : status == 15 ? "GPU is lost" : "Unknown Error";
}

int nvmlDeviceGetCount_v2(unsigned int *count) { ENTER(); *count = DEVICES; return SUCCESS; }

int nvmlDeviceGetHandleByIndex_v2(unsigned int index, nvmlDevice_t *device) {
  ENTER();
  if (index >= DEVICES) return INVALID_ARGUMENT;
  *device = (nvmlDevice_t) &devices[index];
  return SUCCESS;
}

int nvmlDeviceGetUUID(nvmlDevice_t device, char *uuid, unsigned int length) {
  ENTER();
  if (length < 80) return INSUFFICIENT_SIZE;
  snprintf(uuid, length, "GPU-%d0000000-1111-2222-3333-444444444444", device->index);
  return SUCCESS;
}

int nvmlDeviceGetPowerUsage(nvmlDevice_t device, unsigned int *milliwatts) {
  ENTER();
  *milliwatts = 71500 + device->index;
  return SUCCESS;
}

int nvmlDeviceGetEnforcedPowerLimit(nvmlDevice_t device, unsigned int *milliwatts) {
  ENTER();
  *milliwatts = 700000 + device->index;
  return SUCCESS;
}

int nvmlDeviceGetTotalEnergyConsumption(nvmlDevice_t device, unsigned long long *millijoules) {
  ENTER();
  *millijoules = energy + device->index;
  return SUCCESS;
}

int nvmlDeviceGetUtilizationRates(nvmlDevice_t device, nvmlUtilization_t *rates) {
  ENTER();
  rates->gpu = 37 + device->index;
  rates->memory = 99;
  return SUCCESS;
}

int nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t *memory) {
  ENTER();
  memory->total = 85899345920ULL + device->index;
  memory->free = 85899345920ULL - RESERVED - 1024;
  memory->used = RESERVED + 1024 + device->index;
  return SUCCESS;
}

#ifndef BEFORE_510
int nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t device, nvmlMemory_v2_t *memory) {
  ENTER();
  if (memory->version != (sizeof *memory | 2 << 24)) return ARGUMENT_VERSION_MISMATCH;
  memory->total = 85899345920ULL + device->index;
  memory->reserved = RESERVED;
  memory->free = 85899345920ULL - RESERVED - 1024;
  memory->used = 1024 + device->index;
  return SUCCESS;
}
#endif
