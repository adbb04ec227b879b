package io.nereid.engine.execution.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.engine.execution.output.DeclaredOutput;
import io.nereid.engine.execution.output.DeclaredOutputs;
import io.nereid.engine.telemetry.statistics.ModelStatistics;
import io.nereid.engine.telemetry.statistics.TestStatistics;
import io.nereid.engine.testing.LogCapture;
import io.nereid.error.InferenceException;
import io.nereid.request.ModelKey;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.logging.Level;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Outputs whose declared shape is a hint: they are served in the shape that they have. */
class HintedOutputsTest extends TwoRequests {
  private static final ModelKey MODEL = new ModelKey("m", 1);
  private static final String LOG =
      "backend 'b', model 'm', version 1, output 'OUT': shape %s is served as it is, declared as %s";

  private final ModelStatistics statistics = TestStatistics.of(MODEL);

  private static ModelConfig config(int maxBatchSize, TensorConfig output) {
    return ModelConfig.of("m", "b").withSignature(maxBatchSize, List.of(), List.of(output));
  }

  private static ModelConfig config(int maxBatchSize, Shape dims) {
    return config(maxBatchSize, TensorConfig.of("OUT", DataType.INT32, dims));
  }

  private DeclaredOutput declared(ModelConfig config) {
    var outputs = new DeclaredOutputs(config, MODEL, "OUT"::equals, statistics::isFirst);
    return Objects.requireNonNull(outputs.output("OUT"));
  }

  private static void assertRight(DeclaredOutput declared, Shape shape, long rows) {
    assertThat(declared.check(DataType.INT32, shape, 4 * shape.elementCount(), rows)).isNull();
  }

  @Test
  void anyShapeIsServedOfAModelWithoutBatches() {
    DeclaredOutput declared = declared(config(0, Shape.of(1, 4)));
    for (Shape shape : List.of(Shape.of(1, 4), Shape.of(2, 4), Shape.of(9), Shape.of())) {
      assertRight(declared, shape, 1);
    }
    assertThat(declared.check(DataType.INT32, Shape.of(2, -1), 8, 1))
        .hasMessageEndingWith("shape [2,-1], expected [1,4] without negative dimensions");
    assertThat(declared.check(DataType.INT32, Shape.of(2, 4), 31, 1))
        .hasMessageEndingWith("31 bytes, expected 32 for the shape [2,4] of INT32");
    assertThat(declared.check(DataType.FP32, Shape.of(2, 4), 32, 1))
        .hasMessageEndingWith("type FP32, expected INT32");
  }

  @ParameterizedTest
  @ValueSource(longs = {2, 4})
  void aBatchHasItsRowsWhateverFollowsThem(long others) {
    DeclaredOutput declared = declared(config(8, Shape.of(5)));
    assertThat(declared.checkBatch(DataType.INT32, Shape.of(3, 7, 2), 168, 3)).isNull();
    assertRight(declared, Shape.of(3), 3);

    assertThat(declared.checkBatch(DataType.INT32, Shape.of(others, 7), 28 * others, 3))
        .hasMessageEndingWith("shape [%d,7], expected [3,5]".formatted(others));
    assertThat(declared.check(DataType.INT32, Shape.of(others, 7), 28 * others, 3))
        .hasMessageEndingWith("shape [%d,7], expected [3,5]".formatted(others));
    assertThat(declared.check(DataType.INT32, Shape.of(), 4, 3))
        .hasMessageEndingWith("shape [], expected [3,5]");
  }

  @Test
  void theFirstOtherShapeOfEachOutputIsInTheLogOfAllInstances() {
    var another = TensorConfig.of("OTHER", DataType.INT32, Shape.of(1));
    var config =
        ModelConfig.of("m", "b")
            .withSignature(
                0,
                List.of(),
                List.of(TensorConfig.of("OUT", DataType.INT32, Shape.of(1)), another));
    try (var log = new LogCapture("io.nereid.engine.execution.output.WrongOutput")) {
      for (int instance = 0; instance < 2; instance++) {
        var outputs = new DeclaredOutputs(config, MODEL, _ -> true, statistics::isFirst);
        for (String name : List.of("OUT", "OTHER")) {
          DeclaredOutput declared = Objects.requireNonNull(outputs.output(name));
          assertRight(declared, Shape.of(1), 1); // as declared
          assertRight(declared, Shape.of(2), 1);
          assertRight(declared, Shape.of(3), 1);
        }
      }
      assertThat(log.messages())
          .containsExactly(
              LOG.formatted("[2]", "[1]"), LOG.formatted("[2]", "[1]").replace("OUT", "OTHER"));
      assertThat(log.records().getFirst().getLevel()).isEqualTo(Level.WARNING);
    }
  }

  @Test
  void aReshapeIsRevertedOfTheDeclaredShapeOnly() {
    var plain = TensorConfig.of("OUT", DataType.INT32, Shape.of(1));
    var scalar =
        new TensorConfig(
            "OUT",
            DataType.INT32,
            Shape.of(1),
            Optional.of(Shape.of()),
            false,
            false,
            false,
            plain.format(),
            "");
    DeclaredOutput declared = declared(config(8, scalar));

    assertThat(declared.forClient(Tensors.ints("OUT", Shape.of(2), 1, 2)).shape())
        .isEqualTo(Shape.of(2, 1));
    assertThat(declared.forClient(Tensors.ints("OUT", Shape.of(2, 2), 1, 2, 3, 4)).shape())
        .isEqualTo(Shape.of(2, 2));
  }

  @Test
  void anOutputThatIsDroppedCanBeGivenAgainInAnotherShape() {
    BatchResults results = results(config(8, Shape.of(-1)));
    results.allocateBatch("OUT", DataType.INT32, Shape.of(3, 2));
    results.drop(0, "OUT");
    results.drop(1, "OUT");
    results.drop(1, "NONE");
    Tensors.fill(results.allocateBatch("OUT", DataType.INT32, Shape.of(3, 1)), 1, 2, 3);
    results.deliver();

    var last = requests.getLast().outcome().response();
    assertThat(last.outputs().getFirst().shape()).isEqualTo(Shape.of(2, 1));
    assertThat(Tensors.values(last.outputs().getFirst())).containsExactly(2, 3);
    last.close();
    requests.getFirst().outcome().response().close();
  }

  @Test
  void anOutputThatIsDroppedIsMissing() {
    BatchResults results = results(DataType.INT32);
    put(results, 0, "OUT", 1);
    put(results, 0, "OTHER", 2);
    results.drop(0, "OUT");
    put(results, 1, "OUT", 7, 8);
    results.deliver();

    var first = requests.getFirst().outcome().response();
    assertThat(first.outputs()).singleElement().matches(output -> output.name().equals("OTHER"));
    first.close();
    requests.getLast().outcome().response().close();
  }

  @Test
  void anOutputThatIsDroppedCanBeGivenAgainBesideSeveralOthers() {
    var names = List.of("A", "B", "C");
    TestRequest request = TestRequest.of(pool, "a", 1, names);
    requests.add(request);
    var outputs = names.stream().map(each -> TensorConfig.of(each, DataType.INT32, Shape.of(1)));
    BatchResults results =
        TestRequest.results(
            ModelConfig.of("m", "b").withSignature(8, List.of(), outputs.toList()),
            List.of(request.pending()),
            pool);
    names.forEach(name -> put(results, 0, name, 1));
    results.drop(0, "A");
    put(results, 0, "A", 2);
    results.deliver();

    var response = request.outcome().response();
    assertThat(response.outputs()).hasSize(3);
    assertThat(Tensors.values(response.output("A").orElseThrow())).containsExactly(2);
    response.close();
  }

  @Test
  void moreRowsThanThoseOfTheBatchAreNotCut() {
    BatchResults results = results(DataType.INT32);
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> results.allocateBatch("OUT", DataType.INT32, Shape.of(4, 1)))
        .withMessage(OUT + "shape [4,1], expected [3,1]");
    results.deliver();
    for (TestRequest request : requests) {
      assertThat(request.outcome().failure()).hasMessage(OUT + "shape [4,1], expected [3,1]");
    }
  }
}
