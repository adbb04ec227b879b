package io.nereid.onnx;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.error.InferenceException;
import io.nereid.onnx.ort.OrtTensorInfo;
import io.nereid.tensor.Shape;

/** A check that a tensor's shape in the configuration agrees with the model's file. */
record OnnxShapeCheck(ModelConfig config, TensorConfig tensor, OrtTensorInfo info) {
  /** Checks an input, whose dimensions in the configuration may be more specific. */
  void input() {
    if (!tensor.allowRaggedBatch()) {
      check(false);
    }
  }

  /** Checks an output, whose shape must be equal because clients rely on it. */
  void output() {
    check(true);
  }

  private void check(boolean exact) {
    if (!info.hasRank()) {
      return; // the configuration says more than the file
    }
    Shape model = info.declaredDims();
    Shape configured = tensor.modelSpec(config.maxBatchSize()).shape();
    if (model.rank() == 0 && !config.batches()) {
      checkScalar(configured);
      return;
    }
    if (config.batches() && (model.rank() == 0 || info.dims().dim(0) != Shape.WILDCARD)) {
      throw invalid(
          ("for the model to support batching the shape should have at least 1 dimension and the"
                  + " first dimension must be -1; but shape expected by the model is %s")
              .formatted(model));
    }
    if (exact ? model.equals(configured) : model.accepts(configured)) {
      return;
    }
    if (model.rank() == configured.rank()) { // the numbers of dimensions would say nothing
      throw invalid(
          "the model expects shape %s but the model configuration specifies shape %s%s"
              .formatted(
                  model,
                  configured,
                  config.batches() ? ", whose first dimension max_batch_size adds" : ""));
    }
    throw invalid(
        ("the model expects %d dimensions (shape %s) but the model configuration specifies %d"
                + " dimensions (%s %s)")
            .formatted(
                model.rank(),
                model,
                configured.rank(),
                config.batches()
                    ? "an initial batch dimension because max_batch_size > 0 followed by the"
                        + " explicit tensor shape, making complete shape"
                    : "shape",
                configured));
  }

  /** Checks a scalar, which a configuration declares as one element of any rank. */
  private void checkScalar(Shape configured) {
    for (int i = 0; i < configured.rank(); i++) {
      if (configured.dim(i) != 1) {
        throw OnnxSignature.invalid(
            config,
            ("scalar tensor '%s', should only provide 1 in the model configuration when the model"
                    + " doesn't support batching. Model configuration provided: %s.")
                .formatted(tensor.name(), configured));
      }
    }
  }

  private InferenceException invalid(String message) {
    return InferenceException.invalid(
        "model '%s', tensor '%s': %s".formatted(config.name(), tensor.name(), message));
  }
}
