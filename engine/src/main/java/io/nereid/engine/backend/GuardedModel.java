package io.nereid.engine.backend;

import io.nereid.config.InstanceSettings;
import io.nereid.error.InferenceException;
import io.nereid.spi.BatchingStrategy;
import io.nereid.spi.HostAllocator;
import io.nereid.spi.MemoryUsage;
import io.nereid.spi.Model;
import io.nereid.spi.ModelInstance;
import io.nereid.spi.PipelinedInstance;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A model as the server calls it: whatever its methods do, they return what the contract says or
 * throw an {@link InferenceException}. Its instances are those of the backend, so that nothing is
 * between the server and an execution.
 */
final class GuardedModel implements Model {
  private final String name;
  private final Model model;
  private final BackendCalls calls;
  private final Runnable onClosed;

  /** Null until it was asked for. */
  private volatile @Nullable Boolean fillsOutputs;

  /**
   * @param onClosed run once it is closed
   */
  GuardedModel(String name, Model model, BackendCalls calls, Runnable onClosed) {
    this.name = name;
    this.model = model;
    this.calls = calls;
    this.onClosed = onClosed;
  }

  /** {@inheritDoc} The thread that calls this has the context class loader of the instance then. */
  @Override
  public ModelInstance open(InstanceSettings settings) {
    ModelInstance instance = calls.call(name, "Model.open", () -> model.open(settings));
    try {
      calls.run(name, "ModelInstance.runsOnAnyThread", instance::runsOnAnyThread);
      calls.run(name, "ModelInstance.hasBoundedTime", instance::hasBoundedTime);
      if (instance instanceof PipelinedInstance pipelined) {
        calls.run(name, "PipelinedInstance.depth", pipelined::depth);
      }
    } catch (InferenceException failed) {
      try {
        calls.run(name, "ModelInstance.close", instance::close);
      } catch (InferenceException alsoFailed) {
        failed.addSuppressed(alsoFailed);
      }
      throw failed;
    }
    Thread.currentThread().setContextClassLoader(instance.getClass().getClassLoader());
    return instance;
  }

  @Override
  public Optional<HostAllocator> inputAllocator() {
    return calls
        .call(name, "Model.inputAllocator", model::inputAllocator)
        .map(allocator -> new GuardedAllocator(name, allocator, calls));
  }

  @Override
  public boolean fillsOutputs() {
    Boolean known = fillsOutputs;
    if (known == null) {
      known = calls.call(name, "Model.fillsOutputs", model::fillsOutputs);
      fillsOutputs = known;
    }
    return known;
  }

  @Override
  public boolean isShapeHint(String output) {
    return calls.call(name, "Model.isShapeHint", () -> model.isShapeHint(output));
  }

  @Override
  public boolean takesMissing() {
    return calls.call(name, "Model.takesMissing", model::takesMissing);
  }

  @Override
  public Optional<BatchingStrategy> batchingStrategy() {
    return calls.call(name, "Model.batchingStrategy", model::batchingStrategy);
  }

  @Override
  public List<MemoryUsage> memoryUsage() {
    return calls.list(name, "Model.memoryUsage", model::memoryUsage);
  }

  @Override
  public void close() {
    try {
      calls.run(name, "Model.close", model::close);
    } finally {
      onClosed.run();
    }
  }
}
