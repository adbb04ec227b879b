package io.nereid.tensorrt.execution;

import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.tensorrt.cuda.CudaStream;
import io.nereid.tensorrt.engine.CudaEngine;
import io.nereid.tensorrt.engine.ExecutionContext;
import io.nereid.tensorrt.signature.Profiles;
import java.util.ArrayList;
import java.util.List;

/** The execution contexts of an instance, one for each of its profiles, and the choice of one. */
final class ProfileContexts {
  private final ModelConfig config;
  private final Profiles profiles;
  private final List<EngineInput> inputs;
  private final List<EngineOutput> outputs;
  private final GraphSpecs graphSpecs;
  private final List<ProfileContext> contexts = new ArrayList<>();

  /**
   * @throws InferenceException INVALID_ARGUMENT if a graph specification contradicts itself or the
   *     configuration
   */
  ProfileContexts(
      ModelConfig config, Profiles profiles, List<EngineInput> inputs, List<EngineOutput> outputs) {
    this.config = config;
    this.profiles = profiles;
    this.inputs = inputs;
    this.outputs = outputs;
    this.graphSpecs = GraphSpecs.of(config, inputs);
  }

  /**
   * Opens the contexts; {@code resources} closes them. Their profiles are set once {@code compute}
   * is synchronised.
   *
   * @param instance its name, for messages of TensorRT and for profilers
   */
  void open(
      String instance,
      ExecutionSettings execution,
      SharedResources shared,
      CudaStream compute,
      ResourceStack resources) {
    for (int profile : profiles.numbers()) {
      ExecutionContext context = context(profile, execution, shared, resources);
      context.setName(instance);
      if (profile != 0) {
        resources.add(compute::synchronize); // before the context is closed
        context.setProfile(profile, compute);
      }
      ContextGraphs graphs = null;
      if (execution.cuda().graphs()) {
        graphs = new ContextGraphs(config.name(), context, compute);
        resources.add(graphs::close);
      }
      contexts.add(new ProfileContext(config.name(), context, compute, inputs, outputs, graphs));
    }
  }

  private static ExecutionContext context(
      int profile, ExecutionSettings execution, SharedResources shared, ResourceStack resources) {
    CudaEngine engine = shared.engine();
    ExecutionContext context = engine.createContext(execution.strategy());
    resources.add(context::close);
    long byteSize =
        switch (execution.strategy()) {
          case STATIC -> engine.deviceMemoryBytes().orElse(0);
          case ON_PROFILE_CHANGE -> engine.deviceMemoryBytes(profile).orElse(0);
        };
    shared.usage().addAndGet(byteSize);
    resources.add(() -> shared.usage().addAndGet(-byteSize));
    return context;
  }

  /** Chooses the profile of a batch, and fills the batch up to the size of a graph. */
  ProfileContext choose(DeviceInputs batch, BatchBuffers buffers) {
    giveShapes(batch);
    int chosen = profiles.choose();
    buffers.replayable = graphSpecs.areEmpty();
    if (!buffers.replayable && graphSpecs.fill(batch)) {
      giveShapes(batch);
      buffers.replayable = profiles.admits(chosen);
      if (!buffers.replayable) {
        graphSpecs.restore(batch);
      }
    }
    return contexts.get(chosen);
  }

  private void giveShapes(DeviceInputs batch) {
    for (int i = 0; i < batch.count(); i++) {
      profiles.give(i, batch.dims(i), batch.rank(i));
    }
  }
}
