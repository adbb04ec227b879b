package io.nereid.spi;

import io.nereid.config.InstanceSettings;
import io.nereid.error.InferenceException;
import java.util.Optional;

/** One loaded version of a model. */
public interface Model extends AutoCloseable {
  /**
   * Opens an instance. Called by the platform thread that will make every other call on that
   * instance; several instances may open at once, each on its own thread.
   *
   * @throws InferenceException if it cannot be opened; the model then fails to load
   */
  ModelInstance open(InstanceSettings settings);

  /**
   * The memory that this model would have its inputs decoded into, such as page-locked memory for a
   * GPU; empty if any host memory is as good. The server pools it, and may still deliver inputs
   * elsewhere (from shared memory, say).
   */
  default Optional<HostAllocator> inputAllocator() {
    return Optional.empty();
  }

  /** What this model has to say on who shares a batch; asked once, before the first request. */
  default Optional<BatchingStrategy> batchingStrategy() {
    return Optional.empty();
  }

  /** Frees what the instances shared. Called once, after all of them are closed; never throws. */
  @Override
  void close();
}
