package io.nereid.engine.memory.region;

import io.nereid.error.InferenceException;
import java.lang.foreign.MemorySegment;

/** The memory that a region lies in. Thread-safe, except that no call may follow {@link #close}. */
sealed interface RegionMemory permits SharedObject, DeviceRegionMemory {
  /**
   * Fills {@code target} with the bytes at {@code offset}.
   *
   * @param region its name, for messages
   * @throws InferenceException if they cannot be read
   */
  void read(MemorySegment target, long offset, String region);

  /**
   * Writes {@code source} at {@code offset}.
   *
   * @param region its name, for messages
   * @throws InferenceException if it cannot be written
   */
  void write(MemorySegment source, long offset, String region);

  /** Ends the use of the memory, which belongs to the client. Called once; never throws. */
  void close();
}
