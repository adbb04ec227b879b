package io.nereid.spi;

import io.nereid.error.InferenceException;
import java.lang.foreign.MemorySegment;

/**
 * Memory of a GPU that another process, a client of the server, has allocated and {@link
 * Backend#openSharedMemory} has opened. The server copies inputs of requests from it and outputs to
 * it, whichever backend executes them.
 *
 * <p>Any thread may call it, several at a time. The server calls nothing after {@link #close}, and
 * stays within the size that the memory was opened with.
 */
public interface SharedDeviceMemory extends AutoCloseable {
  /**
   * Fills {@code target} with the bytes at {@code offset}. Returns once they are copied.
   *
   * @param target native memory of the host, not empty
   * @throws InferenceException if the device cannot copy; {@code target} is no longer written then
   */
  void read(long offset, MemorySegment target);

  /**
   * Writes {@code source} at {@code offset}. Returns once it is copied, so that the client sees it.
   *
   * @param source native memory of the host, not empty
   * @throws InferenceException if the device cannot copy; {@code source} is no longer read then
   */
  void write(long offset, MemorySegment source);

  /** Closes the memory, which stays allocated. Called once, last; never throws. */
  @Override
  void close();
}
