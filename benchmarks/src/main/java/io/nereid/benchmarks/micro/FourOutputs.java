package io.nereid.benchmarks.micro;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.request.InferenceRequest;
import io.nereid.request.ModelKey;
import io.nereid.request.RequestOptions;
import io.nereid.spi.Model;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.Arena;
import java.util.List;

/** A model with an input, four outputs of its shape and one instance, behind its scheduler. */
final class FourOutputs implements AutoCloseable {
  static final ModelKey MODEL = new ModelKey("four_outputs", 1);
  static final List<String> NAMES = List.of("OUTPUT0", "OUTPUT1", "OUTPUT2", "OUTPUT3");

  private final ScheduledModel scheduled;
  private final InferenceRequest request;

  /**
   * Opens the instance.
   *
   * @param model owned by the new object
   * @param elements of the input of the requests, and of each output
   */
  FourOutputs(Model model, int elements) {
    scheduled = new ScheduledModel(MODEL, config(elements), model);
    var input =
        new Tensor(
            "INPUT",
            DataType.FP32,
            Shape.of(1, elements),
            Arena.ofAuto().allocate((long) elements * Float.BYTES, Float.BYTES));
    request = new InferenceRequest(MODEL, "", List.of(input), NAMES, RequestOptions.NONE);
  }

  static ModelConfig config(int elements) {
    return ModelConfig.of("four_outputs", "onnxruntime")
        .withSignature(
            8,
            List.of(TensorConfig.of("INPUT", DataType.FP32, Shape.of(elements))),
            NAMES.stream()
                .map(name -> TensorConfig.of(name, DataType.FP32, Shape.of(elements)))
                .toList());
  }

  /** Submits requests, and waits for their responses; returns the number of all so far. */
  long execute(int requests) {
    return scheduled.execute(request, requests, requests);
  }

  @Override
  public void close() {
    scheduled.close();
  }

  /**
   * A model that copies its input to each output.
   *
   * @param fillsOutputs whether it says so, so that they are not cleared
   */
  static Model copies(boolean fillsOutputs) {
    return new FunctionModel(
        fillsOutputs,
        (batch, results) -> {
          Tensor input = batch.gathered("INPUT").orElseThrow();
          for (String name : NAMES) {
            results.allocateBatch(name, DataType.FP32, input.shape()).copyFrom(input.data());
          }
        });
  }
}
