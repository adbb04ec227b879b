package io.nereid.tensorrt.execution;

import io.nereid.config.BatchInput;
import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.tensor.Shape;
import io.nereid.tensorrt.signature.PlanSignature;
import io.nereid.tensorrt.signature.PlanTensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * An input of the engine, and where its content comes from.
 *
 * @param position among the inputs
 * @param tensor as the engine describes it
 * @param padding what a graph for more rows than the batch has finds behind a computed input
 */
record EngineInput(int position, PlanTensor tensor, Source source, Padding padding) {
  /** Where the content comes from. */
  enum Source {
    /** The rows of all requests, one behind the other. Controls and states too. */
    ROWS,
    /** The elements of all requests, in one dimension. */
    RAGGED,
    /** {@code batch_input}: what the server computes for a batch. */
    COMPUTED,
    /** A shape tensor: the values of the first request, which those of all equal. */
    SHAPE
  }

  /** What follows a computed input. */
  enum Padding {
    ZEROS,
    LAST_ELEMENT
  }

  /** The inputs of an engine that has been checked against the configuration, in its order. */
  static List<EngineInput> of(PlanSignature plan, ModelConfig config) {
    List<EngineInput> inputs = new ArrayList<>();
    for (PlanTensor tensor : plan.inputs()) {
      inputs.add(
          new EngineInput(inputs.size(), tensor, source(tensor, config), padding(tensor, config)));
    }
    return List.copyOf(inputs);
  }

  private static Source source(PlanTensor tensor, ModelConfig config) {
    if (tensor.shapeTensor()) {
      return Source.SHAPE;
    }
    if (config.batchInput(tensor.name()).isPresent()) {
      return Source.COMPUTED;
    }
    boolean ragged = config.input(tensor.name()).map(TensorConfig::allowRaggedBatch).orElse(false);
    return ragged ? Source.RAGGED : Source.ROWS;
  }

  private static Padding padding(PlanTensor tensor, ModelConfig config) {
    Optional<BatchInput> computed = config.batchInput(tensor.name());
    if (computed.isEmpty()) {
      return Padding.ZEROS;
    }
    return switch (computed.get().kind()) {
      case BATCH_ACCUMULATED_ELEMENT_COUNT, BATCH_ACCUMULATED_ELEMENT_COUNT_WITH_ZERO ->
          Padding.LAST_ELEMENT;
      case BATCH_ELEMENT_COUNT,
          BATCH_MAX_ELEMENT_COUNT_AS_SHAPE,
          BATCH_ITEM_SHAPE,
          BATCH_ITEM_SHAPE_FLATTEN ->
          Padding.ZEROS;
    };
  }

  String name() {
    return tensor.name();
  }

  int elementSize() {
    return tensor.dataType().byteSize();
  }

  /** Whether its dimensions vary, so that the context has to know them. */
  boolean isDynamic() {
    return !tensor.dims().isConcrete();
  }

  int rank() {
    return tensor.dims().rank();
  }

  /** The dimensions in the engine, with wildcards. */
  Shape dims() {
    return tensor.dims();
  }
}
