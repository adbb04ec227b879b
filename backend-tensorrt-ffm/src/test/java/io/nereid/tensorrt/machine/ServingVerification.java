package io.nereid.tensorrt.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.config.CudaSettings;
import io.nereid.error.InferenceException;
import io.nereid.spi.ModelFiles;
import io.nereid.tck.BackendUnderTest;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Tensor;
import io.nereid.tensorrt.ServedModel;
import io.nereid.tensorrt.TestPlans;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * A model with one input and one output of FP32, served by the backend and compared with another
 * runtime. One subclass runs it with TensorRT on a GPU, another one with the doubles.
 */
abstract class ServingVerification {
  /**
   * A row and the other runtime's answer.
   *
   * @param input of shape {@code [1, ...]}
   * @param expected of shape {@code [1, ...]}
   */
  record Example(Tensor input, Tensor expected) {}

  /** The model, which batches, to be built from ONNX. Its plan cache is {@code plans}. */
  abstract BackendUnderTest model();

  /** A folder for models and plans. */
  abstract Path folder();

  abstract List<Example> examples();

  /** The largest difference of an element that counts as equal. */
  abstract double tolerance();

  private static BackendUnderTest withGraphs(BackendUnderTest model) {
    var graphs = new CudaSettings(true, false, List.of(), false);
    return new BackendUnderTest(
        model.provider(),
        model.context(),
        model.files(),
        TestPlans.with(model.config(), graphs),
        model.device());
  }

  @Test
  void answersEveryExampleAloneAsTheOtherRuntimeDoes() {
    try (var served = ServedModel.open(model())) {
      for (Example example : examples()) {
        requireAnswers(served, List.of(example));
      }
    }
  }

  @Test
  void answersExamplesInBatchesOfEverySize() {
    try (var served = ServedModel.open(model())) {
      requireAnswersOfEverySize(served);
    }
  }

  @Test
  void answersTheSameFromCudaGraphs() {
    try (var served = ServedModel.open(withGraphs(model()))) {
      for (int round = 0; round < 3; round++) { // a graph is captured, and then launched
        requireAnswersOfEverySize(served);
      }
    }
  }

  private void requireAnswersOfEverySize(ServedModel served) {
    List<Example> all = examples();
    for (int size = 1; size <= served.config().maxBatchSize(); size++) {
      int first = size % (all.size() - size + 1);
      requireAnswers(served, all.subList(first, first + size));
    }
  }

  @Test
  void keepsTheAnswersOfBatchesInFlightApart() {
    List<Example> all = examples();
    try (var served = ServedModel.open(model())) {
      List<ServedModel.Flight> flights = new ArrayList<>();
      List<List<Example>> batches = new ArrayList<>();
      int finished = 0;
      for (int i = 0; i < 100; i++) {
        int size = 1 + i % Math.min(served.config().maxBatchSize(), all.size());
        batches.add(all.subList(all.size() - size, all.size()));
        if (i - finished == served.instance().depth()) {
          served.instance().finish();
          finished++;
        }
        while (i > finished && !served.instance().canStart()) {
          Thread.onSpinWait();
        }
        flights.add(served.start(served.pinnedBatch(requests(batches.getLast()))));
      }
      for (; finished < flights.size(); finished++) {
        served.instance().finish();
      }

      for (int i = 0; i < flights.size(); i++) {
        requireAnswers(flights.get(i), batches.get(i));
      }
    }
  }

  private static List<List<Tensor>> requests(List<Example> examples) {
    return examples.stream().map(example -> List.of(example.input())).toList();
  }

  private void requireAnswers(ServedModel served, List<Example> examples) {
    requireAnswers(served.execute(requests(examples)), examples);
  }

  private void requireAnswers(ServedModel.Flight flight, List<Example> examples) {
    for (int i = 0; i < examples.size(); i++) {
      Tensor expected = examples.get(i).expected();
      Tensor actual = flight.outputs(i).values().iterator().next();
      assertThat(actual.shape()).isEqualTo(expected.shape());
      assertThat(largestDifference(actual, expected)).isLessThanOrEqualTo(tolerance());
    }
  }

  @Test
  void aSecondLoadTakesThePlanFromTheCache() throws IOException {
    ServedModel.open(model()).close();
    Map<Path, Object> built = plans();

    ServedModel.open(model()).close();

    assertThat(built).isNotEmpty();
    assertThat(plans()).isEqualTo(built);
  }

  /** The plans in the cache, each with what identifies the file: another one would replace it. */
  private Map<Path, Object> plans() throws IOException {
    Map<Path, Object> plans = new HashMap<>();
    try (Stream<Path> files = Files.walk(folder().resolve("plans"))) {
      for (Path plan : files.filter(file -> file.toString().endsWith(".plan")).toList()) {
        plans.put(plan, Files.readAttributes(plan, BasicFileAttributes.class).fileKey());
      }
    }
    return plans;
  }

  @Test
  void aFileThatIsNoPlanIsRefusedWithTensorRtsText() throws IOException {
    Path files = folder().resolve("broken");
    Files.write(
        Files.createDirectories(files.resolve("1")).resolve("model.plan"), new byte[100_000]);
    BackendUnderTest model = model();
    var broken =
        new BackendUnderTest(
            model.provider(),
            model.context(),
            new ModelFiles(files, 1),
            TestPlans.bare("broken"),
            model.device());

    assertThatThrownBy(() -> ServedModel.open(broken))
        .isInstanceOf(InferenceException.class)
        .hasMessageContaining("unable to create TensorRT engine")
        .hasMessageNotContaining("TensorRT gave no reason");
  }

  @Test
  void theModelReportsMemoryOfTheDevice() {
    try (var served = ServedModel.open(model())) {
      assertThat(served.model().memoryUsage())
          .singleElement()
          .satisfies(usage -> assertThat(usage.type()).isEqualTo("GPU"));
    }
  }

  static double largestDifference(Tensor one, Tensor other) {
    double largest = 0;
    for (long at = 0; at < other.data().byteSize(); at += Float.BYTES) {
      double difference =
          Math.abs(
              (double) one.data().get(Elements.FLOAT, at) - other.data().get(Elements.FLOAT, at));
      largest = Double.isNaN(difference) ? Double.NaN : Math.max(largest, difference);
    }
    return largest;
  }

  /** Measures the model with one batch size; see {@link Latency}. */
  final Latency latency(int rows, int rounds) {
    List<Tensor> inputs = examples().subList(0, rows).stream().map(Example::input).toList();
    return Latency.measure(model(), inputs, rounds);
  }
}
