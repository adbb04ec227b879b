package io.nereid.engine.memory.region;

import io.nereid.error.InferenceException;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/**
 * A registered region and the number of its users: one for the registration, one for each slice.
 * The last one closes its memory. Thread-safe.
 */
final class Region {
  private final RegionStatus status;
  private final RegionMemory memory;

  /** Where it begins in its memory. */
  private final long start;

  private final Consumer<Region> onUnused;
  private int users = 1;

  /** Whether its name is to be free once no request uses it. */
  private boolean unregistered;

  /**
   * @param memory taken
   * @param onUnused run once by the last user, before the memory is closed
   */
  Region(RegionStatus status, RegionMemory memory, Consumer<Region> onUnused) {
    this.status = status;
    this.memory = memory;
    this.start = status instanceof RegionStatus.SystemMemory in ? in.offset() : 0;
    this.onUnused = onUnused;
  }

  RegionStatus status() {
    return status;
  }

  /**
   * Checks that a part lies within this region.
   *
   * @param offset in the region
   * @throws InferenceException INVALID_ARGUMENT if not, with Triton's texts
   */
  void requireWithin(long offset, long byteSize) {
    String name = status.name();
    long size = status.byteSize();
    if (Long.compareUnsigned(offset, size) >= 0) {
      throw InferenceException.invalid(
          "Invalid offset for shared memory region: '%s'".formatted(name));
    }
    if (Long.compareUnsigned(byteSize, -1L - offset) > 0) {
      throw InferenceException.invalid(
          ("Integer overflow detected: byte_size (%s) + offset (%s) exceeds maximum value (%s) for"
                  + " region '%s'")
              .formatted(
                  Long.toUnsignedString(byteSize),
                  Long.toUnsignedString(offset),
                  Long.toUnsignedString(-1L),
                  name));
    }
    if (Long.compareUnsigned(offset + byteSize, size) > 0) {
      throw InferenceException.invalid(
          "Invalid offset + byte size for shared memory region: '%s'".formatted(name));
    }
  }

  /** Adds a user, unless the region is closed; then returns false. */
  synchronized boolean retain() {
    if (users == 0) {
      return false;
    }
    users++;
    return true;
  }

  /** Removes a user. Each one calls it once. */
  void release() {
    synchronized (this) {
      users--;
      if (users > 0) {
        return;
      }
    }
    onUnused.accept(this);
    memory.close();
  }

  /** Removes the registration from the users; has no effect if that was done before. */
  void unregister() {
    synchronized (this) {
      if (unregistered) {
        return;
      }
      unregistered = true;
    }
    release();
  }

  synchronized boolean isUnregistered() {
    return unregistered;
  }

  /** Called by a user. */
  void read(MemorySegment target, long offset) {
    memory.read(target, start + offset, status.name());
  }

  /** Called by a user. */
  void write(MemorySegment source, long offset) {
    memory.write(source, start + offset, status.name());
  }
}
