package io.nereid.server.memory.region;

import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/**
 * A registered region and the number of its users: one for the registration, one for each slice.
 * The last one closes its object. Thread-safe.
 */
final class Region {
  private final RegionStatus status;
  private final SharedObject object;
  private final Consumer<Region> onUnused;
  private int users = 1;

  /** Whether its name is to be free once no request uses it. */
  private boolean unregistered;

  /**
   * @param object taken
   * @param onUnused run once by the last user, before the object is closed
   */
  Region(RegionStatus status, SharedObject object, Consumer<Region> onUnused) {
    this.status = status;
    this.object = object;
    this.onUnused = onUnused;
  }

  RegionStatus status() {
    return status;
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
    object.close();
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
    object.read(target, status.offset() + offset, status.name());
  }

  /** Called by a user. */
  void write(MemorySegment source, long offset) {
    object.write(source, status.offset() + offset, status.name());
  }
}
