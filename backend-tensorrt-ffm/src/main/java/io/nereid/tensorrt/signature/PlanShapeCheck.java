package io.nereid.tensorrt.signature;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.error.InferenceException;
import io.nereid.tensor.Shape;

/**
 * A check that a tensor's shape in the configuration agrees with the engine. Where one of them has
 * a wildcard, they agree.
 */
record PlanShapeCheck(ModelConfig config) {
  /** The shape that the engine must have for this configuration. */
  Shape engineShape(TensorConfig tensor, PlanTensor own) {
    Shape shape = tensor.modelSpec(config.maxBatchSize()).shape();
    // Configurations have no scalars: they declare one element.
    return own.dims().rank() == 0 && shape.equals(Shape.of(1)) ? own.dims() : shape;
  }

  /** Checks an input or output that the engine computes with. */
  void compare(TensorConfig tensor, PlanTensor own) {
    Shape engine = own.dims();
    Shape configured = engineShape(tensor, own);
    if (config.batches() && engine.rank() == 0) {
      throw mismatch(
          tensor,
          ("for the model to support batching the shape should have at least 1 dimension; but"
                  + " shape expected by the model is %s")
              .formatted(engine));
    }
    if (!agree(engine, configured)) {
      throw mismatch(
          tensor,
          ("the model expects %d dimensions (shape %s) but the model configuration specifies %d"
                  + " dimensions (%s %s)")
              .formatted(
                  engine.rank(),
                  engine,
                  configured.rank(),
                  config.batches()
                      ? "an initial batch dimension because max_batch_size > 0 followed by the"
                          + " explicit tensor shape, making complete shape"
                      : "shape",
                  configured));
    }
  }

  private static boolean agree(Shape engine, Shape configured) {
    if (engine.rank() != configured.rank()) {
      return false;
    }
    for (int i = 0; i < engine.rank(); i++) {
      boolean open = engine.dim(i) == Shape.WILDCARD || configured.dim(i) == Shape.WILDCARD;
      if (!open && engine.dim(i) != configured.dim(i)) {
        return false;
      }
    }
    return true;
  }

  /** Checks an input whose requests are joined into one dimension. */
  void ragged(TensorConfig tensor, PlanTensor own) {
    Shape engine = own.dims();
    Shape configured = tensor.reshape().orElse(tensor.dims());
    if (engine.rank() != 1 || engine.dim(0) != configured.dim(0)) {
      throw mismatch(
          tensor,
          ("for the model to support ragged input, the engine shape is: %s while the model config"
                  + " shape is: %s")
              .formatted(engine, configured));
    }
  }

  /** Checks a control, which is one element per row. */
  void control(TensorConfig control, PlanTensor own) {
    Shape engine = own.dims();
    boolean one = engine.rank() > 0;
    for (int i = config.batches() ? 1 : 0; i < engine.rank(); i++) {
      one &= engine.dim(i) == 1 || engine.dim(i) == Shape.WILDCARD;
    }
    if (!one || engine.rank() > (config.batches() ? 2 : 1)) {
      throw PlanSignature.invalid(
          config,
          "unexpected shape %s for control input '%s': one element per row is expected"
              .formatted(engine, control.name()));
    }
  }

  /**
   * Checks a shape tensor, whose configuration has one value fewer than the engine if the model
   * batches: the batch size, which is the first value.
   */
  void shapeTensor(TensorConfig tensor, PlanTensor own) {
    Shape engine = own.dims();
    Shape configured = tensor.reshape().orElse(tensor.dims());
    if (engine.rank() > 1) {
      throw InferenceException.internal(
          "unable to load model '%s', shape binding '%s' can only be 0-d or 1-D tensor, got %s"
              .formatted(config.name(), tensor.name(), engine));
    }
    long batch = config.batches() ? 1 : 0;
    boolean agrees =
        engine.rank() == 0
            ? configured.rank() == 0 || configured.equals(Shape.of(1))
            : configured.rank() == 1 && configured.dim(0) + batch == engine.dim(0);
    if (!agrees) {
      throw InferenceException.internal(
          ("unable to load model '%s', binding '%s' shape expected by framework %s doesn't match"
                  + " model configuration shape %s")
              .formatted(config.name(), tensor.name(), engine, configured));
    }
  }

  private InferenceException mismatch(TensorConfig tensor, String message) {
    return InferenceException.invalid(
        "model '%s', tensor '%s': %s".formatted(config.name(), tensor.name(), message));
  }
}
