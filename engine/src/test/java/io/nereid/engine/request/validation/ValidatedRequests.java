package io.nereid.engine.request.validation;

import static org.assertj.core.api.Assertions.assertThatCode;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.engine.testing.Failures;
import io.nereid.error.StatusCode;
import io.nereid.request.InferenceRequest;
import io.nereid.request.ModelKey;
import io.nereid.request.RequestOptions;
import io.nereid.request.SequenceId;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Models with inputs A and B, requests for them, and their rejection. */
abstract class ValidatedRequests {
  static final String NOTE =
      "NOTE: Setting a non-zero max_batch_size in the model config requires a batch dimension to"
          + " be prepended to each input shape. If you want to specify the full shape including the"
          + " batch dim in your input dims config, try setting max_batch_size to zero. See the"
          + " model configuration docs for more info on max_batch_size.";

  final TensorConfig a = TensorConfig.of("A", DataType.FP32, Shape.of(-1, 2));
  final TensorConfig b = TensorConfig.of("B", DataType.INT32, Shape.of(3));
  final RequestValidator batching = validator(8, a, b);

  static RequestValidator validator(int maxBatchSize, TensorConfig... inputs) {
    return new RequestValidator(
        ModelConfig.of("m", "backend")
            .withSignature(
                maxBatchSize,
                List.of(inputs),
                List.of(
                    TensorConfig.of("X", DataType.FP32, Shape.of(1)),
                    TensorConfig.of("Y", DataType.FP32, Shape.of(1)))),
        false);
  }

  static TensorConfig with(TensorConfig input, boolean optional, boolean shapeTensor) {
    return new TensorConfig(
        input.name(),
        input.dataType(),
        input.dims(),
        Optional.empty(),
        optional,
        false,
        shapeTensor,
        TensorConfig.Format.FORMAT_NONE,
        "");
  }

  static Tensor tensor(String name, DataType type, int byteSize, long... shape) {
    return new Tensor(name, type, Shape.of(shape), MemorySegment.ofArray(new byte[byteSize]));
  }

  static Tensor goodA(long rows) {
    return tensor("A", DataType.FP32, (int) rows * 4 * 2 * 4, rows, 4, 2);
  }

  static Tensor goodB(long rows) {
    return tensor("B", DataType.INT32, (int) rows * 3 * 4, rows, 3);
  }

  static InferenceRequest request(
      String id, List<Tensor> inputs, List<String> outputs, SequenceId sequenceId) {
    var options = new RequestOptions(sequenceId, false, false, 0, 0, Map.of());
    return new InferenceRequest(new ModelKey("m", 1), id, inputs, outputs, options);
  }

  static void assertAccepted(RequestValidator validator, Tensor... inputs) {
    assertThatCode(
            () -> validator.validate(request("r1", List.of(inputs), List.of("X"), SequenceId.NONE)))
        .doesNotThrowAnyException();
  }

  static void assertRejected(RequestValidator validator, String message, Tensor... inputs) {
    assertRejected(validator, List.of("X"), message, inputs);
  }

  static void assertRejected(
      RequestValidator validator, List<String> outputs, String message, Tensor... inputs) {
    assertRejected(validator, request("r1", List.of(inputs), outputs, SequenceId.NONE), message);
  }

  static void assertRejected(RequestValidator validator, InferenceRequest request, String message) {
    Failures.assertRejected(
        StatusCode.INVALID_ARGUMENT, message, () -> validator.validate(request));
  }
}
