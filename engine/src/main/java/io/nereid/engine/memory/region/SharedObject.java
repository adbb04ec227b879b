package io.nereid.engine.memory.region;

import io.nereid.error.InferenceException;
import java.lang.foreign.MemorySegment;

/**
 * An open shared memory object of a client. It is not mapped: its bytes are copied by system calls,
 * which report an object that has become smaller, or memory that the system lacks, as an error. To
 * touch such a page of a mapping would raise SIGBUS, which ends the process if native code does it.
 *
 * <p>Thread-safe, except that no call may follow {@link #close}.
 */
record SharedObject(LinuxSharedMemory system, String key, int file) implements RegionMemory {
  private static final System.Logger LOG = System.getLogger(SharedObject.class.getName());

  /**
   * Opens an object.
   *
   * @throws InferenceException INTERNAL if it does not exist or may not be read and written
   */
  static SharedObject open(LinuxSharedMemory system, String key) {
    boolean hasNul = key.indexOf('\0') >= 0; // C would cut the key there
    int file = hasNul ? -LinuxSharedMemory.INVALID_ARGUMENT : system.open(key);
    if (file < 0) {
      String reason = system.errorText(file);
      LOG.log(System.Logger.Level.DEBUG, "shm_open failed for ''{0}'': {1}", key, reason);
      throw InferenceException.malformed( // a client causes it
          "Unable to open shared memory region: '%s'".formatted(key));
    }
    return new SharedObject(system, key, file);
  }

  /**
   * Its size now. Its client may change that at any time.
   *
   * @throws InferenceException INTERNAL if it is no object with a size
   */
  long size() {
    long size = system.size(file);
    if (size < 0) {
      throw InferenceException.malformed("Invalid shared memory region: '%s'".formatted(key));
    }
    return size;
  }

  /**
   * Fills {@code target} with the bytes at {@code offset}.
   *
   * @param region its name, for messages
   * @throws InferenceException INVALID_ARGUMENT if the object ends before that
   */
  @Override
  public void read(MemorySegment target, long offset, String region) {
    long done = 0;
    while (done < target.byteSize()) {
      long count = system.read(file, target.asSlice(done), offset + done);
      if (count < 0) {
        throw failed("read", region, count);
      }
      if (count == 0) {
        throw truncated("read", region);
      }
      done += count;
    }
  }

  /**
   * Writes {@code source} at {@code offset}. If the client makes the object smaller at that moment,
   * it grows again.
   *
   * @param region its name, for messages
   * @throws InferenceException INVALID_ARGUMENT if the object ends before the end of what is to be
   *     written, INTERNAL if the system has no memory for it
   */
  @Override
  public void write(MemorySegment source, long offset, String region) {
    if (size() < offset + source.byteSize()) {
      throw truncated("written", region);
    }
    long done = 0;
    while (done < source.byteSize()) {
      long count = system.write(file, source.asSlice(done), offset + done);
      if (count <= 0) {
        throw failed("written", region, count);
      }
      done += count;
    }
  }

  /** Closes the descriptor; the object itself belongs to the client. */
  @Override
  public void close() {
    int status = system.close(file);
    if (status < 0) {
      LOG.log(
          System.Logger.Level.WARNING,
          "shared memory object ''{0}'' was not closed: {1}",
          key,
          system.errorText(status));
    }
  }

  private InferenceException truncated(String what, String region) {
    return InferenceException.invalid(
        "shared memory region '%s' can not be %s: its object '%s' has become smaller than the region"
            .formatted(region, what, key));
  }

  private InferenceException failed(String what, String region, long error) {
    String reason = error == 0 ? "nothing was transferred" : system.errorText(error);
    return InferenceException.internal(
        "shared memory region '%s' can not be %s: %s".formatted(region, what, reason));
  }
}
