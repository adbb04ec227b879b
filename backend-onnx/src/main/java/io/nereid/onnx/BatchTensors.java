package io.nereid.onnx;

import io.nereid.config.BatchInput;
import io.nereid.config.BatchOutput;
import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.onnx.ort.OrtTensorInfo;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import java.util.List;
import java.util.Optional;

/** The tensors of {@code batch_input} and {@code batch_output} in a model's file. */
final class BatchTensors {
  private BatchTensors() {}

  /** The names of the inputs that the server computes for each batch. */
  static List<String> targets(ModelConfig config) {
    return config.batchInputs().stream().flatMap(i -> i.targetNames().stream()).toList();
  }

  /** The input {@code info} of the file, if the server computes it. */
  static Optional<TensorConfig> input(ModelConfig config, OrtTensorInfo info) {
    return config
        .batchInput(info.name())
        .map(computed -> TensorConfig.of(info.name(), computed.dataType(), info.dims()));
  }

  /** Checks that the file has the computed inputs, with the types and ranks that they have. */
  static void check(ModelConfig config, OnnxSignature signature) {
    for (BatchInput computed : config.batchInputs()) {
      for (String target : computed.targetNames()) {
        checkInput(config, signature, computed, target);
      }
    }
    for (BatchOutput scattered : config.batchOutputs()) {
      boolean text =
          config.output(scattered.targetName()).orElseThrow().dataType() == DataType.BYTES;
      if (text) {
        throw OnnxSignature.invalid(
            config,
            "batch output '%s' has strings, which cannot be scattered"
                .formatted(scattered.targetName()));
      }
    }
  }

  private static void checkInput(
      ModelConfig config, OnnxSignature signature, BatchInput computed, String target) {
    List<OrtTensorInfo> all = signature.allInputs();
    OrtTensorInfo info =
        OnnxSignature.find(all, target)
            .orElseThrow(() -> OnnxSignature.unexpected(config, "batch input", target, all));
    int rank = computed.kind() == BatchInput.Kind.BATCH_ITEM_SHAPE ? 2 : 1;
    TensorConfig expected = TensorConfig.of(target, computed.dataType(), open(rank));
    OnnxSignature.checkType(config, "batch input", expected, info);
    if (info.dims().rank() != rank || info.dims().dim(0) != Shape.WILDCARD) {
      throw OnnxSignature.invalid(
          config,
          ("configuration expects %d dimensions, the first of any size, for batch input '%s',"
                  + " model provides %s")
              .formatted(rank, target, info.dims()));
    }
  }

  private static Shape open(int rank) {
    return rank == 1 ? Shape.of(Shape.WILDCARD) : Shape.of(Shape.WILDCARD, Shape.WILDCARD);
  }
}
