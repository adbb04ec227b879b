package io.nereid.engine.execution;

import io.nereid.error.InferenceException;
import io.nereid.spi.ModelInstance;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Whether an instance can still execute batches. It cannot once a batch has failed and the instance
 * is not healthy. Used by the instance's thread.
 */
final class InstanceHealth {
  private static final System.Logger LOG = System.getLogger(InstanceHealth.class.getName());

  private final String model;
  private final String name;
  private final Consumer<InferenceException> onFailure;
  private @Nullable InferenceException failure;

  /**
   * @param model the model's name
   * @param name the instance's name
   * @param onFailure told of the failure, before the requests of the batch are responded to
   */
  InstanceHealth(String model, String name, Consumer<InferenceException> onFailure) {
    this.model = model;
    this.name = name;
    this.onFailure = onFailure;
  }

  /** What an execution fails with; null while the instance can execute batches. */
  @Nullable InferenceException failure() {
    return failure;
  }

  /** A batch has failed as a whole. */
  void batchFailed(ModelInstance instance, InferenceException batchFailure) {
    if (failure == null) {
      reason(instance, batchFailure.getMessage()).ifPresent(this::failed);
    }
  }

  /** The instance's thread has ended unexpectedly. */
  void ended(Throwable bug) {
    if (failure == null) {
      failed(bug.toString());
    }
  }

  private void failed(String reason) {
    failure =
        InferenceException.unavailable(
            "model '%s' is unavailable since instance '%s' failed: %s"
                .formatted(model, name, reason));
    LOG.log(System.Logger.Level.ERROR, "{0}", failure.getMessage());
    onFailure.accept(failure);
  }

  /** Why the instance is not healthy; empty if it is. */
  private Optional<String> reason(ModelInstance instance, String batchReason) {
    try {
      return instance.isHealthy()
          ? Optional.empty()
          : instance.failureReason().or(() -> Optional.of(batchReason));
    } catch (Throwable thrown) { // the requests of the batch are still to be responded to
      LOG.log(System.Logger.Level.ERROR, "'" + name + "' failed to tell its health", thrown);
      return Optional.of(batchReason);
    }
  }
}
