package io.nereid.engine.memory.region;

import io.nereid.error.InferenceException;

/**
 * Opens the shared memory objects of system regions. The checks, their order and their texts are
 * those of Triton's {@code shared_memory_manager.cc}. Thread-safe.
 */
record SharedObjects(LinuxSharedMemory system) {
  /** Objects that Triton makes for its own processes. */
  private static final String RESERVED_PREFIX = "triton_python_backend_shm_region_";

  /**
   * Checks the name of an object.
   *
   * @param region its name, for messages
   * @throws InferenceException INVALID_ARGUMENT if no object of a client has such a name
   */
  static void checkKey(String region, String key) {
    int first = 0;
    while (first < key.length() && key.charAt(first) == '/') {
      first++;
    }
    if (first == key.length()) {
      throw InferenceException.invalid(
          "cannot register shared memory region '%s' - invalid shm key '%s'"
              .formatted(region, key));
    }
    if (key.startsWith(RESERVED_PREFIX, first)) {
      throw InferenceException.invalid(
          ("cannot register shared memory region '%s' with key '%s' as the key contains the"
                  + " reserved prefix '%s'")
              .formatted(region, key, RESERVED_PREFIX));
    }
  }

  /**
   * Opens an object that has a region of that offset and size, which are unsigned.
   *
   * @return owned by the caller
   * @throws InferenceException INTERNAL if there is no such object, INVALID_ARGUMENT if the region
   *     does not lie within it, or could not be mapped
   */
  SharedObject open(RegionStatus.SystemMemory region) {
    SharedObject object = SharedObject.open(system, region.key());
    try {
      checkRange(region.name(), object.size(), region.offset(), region.byteSize());
      return object;
    } catch (Throwable unfit) {
      object.close();
      throw unfit;
    }
  }

  private void checkRange(String region, long objectSize, long offset, long byteSize) {
    boolean overflows = Long.compareUnsigned(byteSize, -1L - offset) > 0;
    if (overflows || Long.compareUnsigned(offset + byteSize, objectSize) > 0) {
      throw InferenceException.invalid(
          "failed to register shared memory region '%s': invalid args".formatted(region));
    }
    if (byteSize == 0 || offset % system.pageSize() != 0) { // Triton cannot map it: mmap(2)
      throw InferenceException.invalid(
          "failed to register shared memory region '%s': unable to process address space%s"
              .formatted(region, system.errorText(-LinuxSharedMemory.INVALID_ARGUMENT)));
    }
  }
}
