package io.nereid.engine.memory.region;

import io.nereid.error.InferenceException;
import io.nereid.spi.SharedDeviceMemory;
import java.util.Optional;

/** What opens memory of GPUs: a backend. Any thread may call it. */
@FunctionalInterface
public interface DeviceMemoryOpener {
  /** Opens none. */
  DeviceMemoryOpener NONE = (_, _, _) -> Optional.empty();

  /**
   * Opens memory that another process has allocated.
   *
   * @param gpu the GPU's id
   * @param handle a {@code cudaIpcMemHandle_t}
   * @param byteSize how much of it is to be used
   * @return owned by the caller; empty if this server has no access to GPUs
   * @throws InferenceException INVALID_ARGUMENT if there is no such memory, or not so much
   */
  Optional<SharedDeviceMemory> open(int gpu, byte[] handle, long byteSize);
}
