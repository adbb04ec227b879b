package io.nereid.server.execution;

import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.spi.ModelInstance;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Whether an instance can still execute batches. It cannot once a batch has failed and the instance
 * is not healthy: the failure of that batch is the reason, unless it is for what is wrong with a
 * request or was wanted by a client. Used by the instance's thread.
 */
final class InstanceHealth {
  private static final System.Logger LOG = System.getLogger(InstanceHealth.class.getName());

  /** Failures that are no reason. */
  private static final Set<StatusCode> OF_REQUESTS =
      Set.of(StatusCode.INVALID_ARGUMENT, StatusCode.CANCELLED, StatusCode.DEADLINE_EXCEEDED);

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
  void batchFailed(ModelInstance instance, InferenceException reason) {
    if (failure == null && !OF_REQUESTS.contains(reason.code()) && !isHealthy(instance)) {
      failure =
          InferenceException.unavailable(
              "model '%s' is unavailable since instance '%s' failed: %s"
                  .formatted(model, name, reason.getMessage()));
      LOG.log(System.Logger.Level.ERROR, "{0}", failure.getMessage());
      onFailure.accept(failure);
    }
  }

  private boolean isHealthy(ModelInstance instance) {
    try {
      return instance.isHealthy();
    } catch (Throwable thrown) { // the requests of the batch are still to be responded to
      LOG.log(System.Logger.Level.ERROR, "'" + name + "' failed to tell its health", thrown);
      return false;
    }
  }
}
