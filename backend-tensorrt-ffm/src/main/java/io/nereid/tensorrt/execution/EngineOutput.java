package io.nereid.tensorrt.execution;

import io.nereid.config.ModelConfig;
import io.nereid.config.SequenceSettings.State;
import io.nereid.config.TensorConfig;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensorrt.signature.PlanSequenceTensors;
import io.nereid.tensorrt.signature.PlanSignature;
import io.nereid.tensorrt.signature.PlanTensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * An output of the engine, and where its content goes.
 *
 * @param position among the outputs
 * @param tensor as the engine describes it
 * @param config as clients see it; empty if it is a state only
 * @param state the state that it becomes
 * @param rows whether the first dimension is that of the batch
 */
record EngineOutput(
    int position,
    PlanTensor tensor,
    Optional<TensorConfig> config,
    Optional<State> state,
    boolean rows) {
  /** The outputs of an engine that has been checked against the configuration, in its order. */
  static List<EngineOutput> of(PlanSignature plan, ModelConfig config) {
    var sequence = PlanSequenceTensors.of(config);
    List<EngineOutput> outputs = new ArrayList<>();
    for (PlanTensor tensor : plan.outputs()) {
      outputs.add(
          new EngineOutput(
              outputs.size(),
              tensor,
              config.output(tensor.name()),
              sequence.output(tensor.name()),
              config.batches()
                  && !tensor.shapeTensor()
                  && config.batchOutput(tensor.name()).isEmpty()));
    }
    return List.copyOf(outputs);
  }

  String name() {
    return tensor.name();
  }

  DataType dataType() {
    return tensor.dataType();
  }

  /** The shape that responses have for an engine's shape. */
  Shape shown(Shape shape) {
    // Configurations have no scalars: they declare one element.
    return shape.rank() == 0 && config.isPresent() ? config.get().modelSpec(0).shape() : shape;
  }
}
