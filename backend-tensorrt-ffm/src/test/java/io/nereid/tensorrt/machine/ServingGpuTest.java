package io.nereid.tensorrt.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.spi.TypedOptions;
import io.nereid.tck.BackendUnderTest;
import io.nereid.tck.model.OpenModel;
import io.nereid.tck.support.Tensors;
import io.nereid.tensor.Tensor;
import io.nereid.tensorrt.ServedModel;
import io.nereid.tensorrt.TestPlans;
import io.nereid.tensorrt.library.GpuSupport;
import io.nereid.tensorrt.library.NativeLibraries;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * TensorRT end to end on a GPU: a plan is built from the digits ONNX file, the backend serves it,
 * and ONNX Runtime on the CPU gives the answers to compare with, for all held-out images. Needs a
 * driver, the CUDA runtime, and TensorRT with its ONNX parser and builder resources.
 */
@Tag("gpu-trt")
class ServingGpuTest extends ServingVerification {
  @TempDir private static Path temporary;
  private static final List<Example> EXAMPLES = new ArrayList<>();

  @BeforeAll
  static void requireTensorRt() throws IOException {
    var available =
        switch (NativeLibraries.probe(TypedOptions.of("test", OnnxModels.options(temporary)))) {
          case GpuSupport.Available found -> found;
          case GpuSupport.Unavailable missing ->
              throw new AssertionError("This test needs a GPU with TensorRT. " + missing.reason());
        };
    if (available.onnxParser().library().isEmpty()) {
      throw new AssertionError("This test needs an ONNX parser: " + available.onnxParser());
    }
    System.out.printf(
        "TensorRT %s, CUDA %s, driver for CUDA %s, %s%n",
        available.tensorRtText(),
        available.runtimeText(),
        available.driverText(),
        available.devices());
    List<Tensor> images = DigitsModel.images();
    try (var onnx = OpenModel.of(DigitsModel.withOnnxRuntime())) {
      for (Tensor image : images) {
        var outputs = onnx.execute(List.of(List.of(image))).outputs(0);
        EXAMPLES.add(new Example(image, Tensors.named(outputs, DigitsModel.OUTPUT)));
      }
    }
  }

  @Override
  Path folder() {
    return temporary;
  }

  @Override
  BackendUnderTest model() {
    try {
      return DigitsModel.withTensorRt(temporary, OnnxModels.options(temporary));
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  @Override
  List<Example> examples() {
    return EXAMPLES;
  }

  @Override
  double tolerance() {
    return 1e-3;
  }

  @Test
  void recognisesAsManyDigitsAsOnnxRuntime() throws IOException {
    double largest = 0;
    int same = 0;
    try (var served = ServedModel.open(model())) {
      for (Example example : examples()) {
        var outputs = served.execute(List.of(List.of(example.input()))).outputs(0);
        Tensor answer = Objects.requireNonNull(outputs.get(DigitsModel.OUTPUT));
        largest = Math.max(largest, largestDifference(answer, example.expected()));
        same += digit(answer) == digit(example.expected()) ? 1 : 0;
      }
    }
    System.out.printf(
        "%d images, largest difference from ONNX Runtime %.2e, same digit %d%n",
        examples().size(), largest, same);
    assertThat(same).isEqualTo(examples().size());
  }

  private static int digit(Tensor probabilities) {
    float[] values = TestPlans.floats(probabilities);
    int best = 0;
    for (int i = 1; i < values.length; i++) {
      best = values[i] > values[best] ? i : best;
    }
    return best;
  }

  @Test
  void printsTheLatencyBesideTheTimeOnTheStream() {
    List<Latency> latencies = Stream.of(1, 8, 64).map(rows -> latency(rows, 500)).toList();

    Latency.print(latencies, System.out);
    assertThat(latencies).allMatch(latency -> latency.streamMillis() > 0);
  }
}
