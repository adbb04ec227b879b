package io.nereid.spi;

import io.nereid.config.InstanceSettings;
import io.nereid.error.InferenceException;
import java.util.List;
import java.util.Optional;

/** One loaded version of a model. */
public interface Model extends AutoCloseable {
  /**
   * Opens an instance. The platform thread that calls this method makes every other call on the
   * instance too. Instances may be opened concurrently, each on its own thread.
   *
   * @throws InferenceException if the instance cannot be opened; the model then fails to load
   */
  ModelInstance open(InstanceSettings settings);

  /**
   * The allocator of the memory into which the server should decode inputs, such as page-locked
   * memory for a GPU; empty if any host memory will do. The server gathers batches and reads the
   * samples of the warm-up there too. Inputs may still be in other memory: in a shared memory
   * region, and in the outputs of another model that an ensemble passes on without a copy.
   */
  default Optional<HostAllocator> inputAllocator() {
    return Optional.empty();
  }

  /**
   * Whether instances write every byte of the memory that {@link Results} allocates for outputs,
   * unless the request fails. The server clears that memory otherwise, since it may hold data of
   * other clients, which takes some ten microseconds per megabyte. Called once, before the first
   * request.
   */
  default boolean fillsOutputs() {
    return false;
  }

  /**
   * Whether the shape that the configuration declares for an output is only a hint: it is what the
   * model's file says, which may be wrong. Such an output is sent in the shape that it has, and the
   * first of another shape is logged; type, rows and size are checked as those of any other. Called
   * by the thread of each instance once that is open.
   */
  default boolean isShapeHint(String output) {
    return false;
  }

  /**
   * Whether a value of an input may be missing: NaN of floats, an empty one of BYTES. Then {@code
   * null} in the JSON of a request is such a value; otherwise the request fails. Called once,
   * before the first request.
   */
  default boolean takesMissing() {
    return false;
  }

  /** The model's own batching rule, if it has one. Called once, before the first request. */
  default Optional<BatchingStrategy> batchingStrategy() {
    return Optional.empty();
  }

  /**
   * The memory that this version uses now, on each device; instances included. For the statistics:
   * any thread may call it, even while the model is closed, so it must be cheap and must not block.
   */
  default List<MemoryUsage> memoryUsage() {
    return List.of();
  }

  /** Frees what the instances share. Called once, after all of them are closed; never throws. */
  @Override
  void close();
}
