package io.nereid.trees;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.nereid.config.ModelConfig;
import io.nereid.request.Parameter;
import io.nereid.tck.execution.TestBatch;
import io.nereid.tck.model.OpenModel;
import io.nereid.tck.support.Outcome;
import io.nereid.tck.support.SampleRequest;
import io.nereid.tck.support.Tensors;
import io.nereid.tensor.BytesElements;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Models with an input for each column of the data frame that {@code oracle.py} trained with. */
class FeatureColumnsTest {
  private static final Map<String, String> COLUMNS = Map.of("columns", "true");

  @TempDir Path directory;
  private int opened;

  private static Path folder(String library) {
    return TestModels.folder().resolveSibling("columns").resolve(library);
  }

  private OpenModel open(String library, ModelConfig config) {
    Path fresh = directory.resolve("" + opened++);
    var files = TestModels.files(fresh, TestModels.model(folder(library)));
    return OpenModel.of(TestModels.underTest(files, config));
  }

  private OpenModel open(String library) {
    return open(library, TestModels.withParameters(TestModels.bare("m"), COLUMNS));
  }

  private static Tensor numbers(String name, Double... values) {
    double[] data = new double[values.length];
    for (int i = 0; i < data.length; i++) {
      data[i] = values[i];
    }
    return new Tensor(name, DataType.FP64, Shape.of(values.length, 1), MemorySegment.ofArray(data));
  }

  private static Tensor texts(String name, String... values) {
    var elements = new ArrayList<byte[]>();
    for (String value : values) {
      elements.add(value.getBytes(StandardCharsets.UTF_8));
    }
    byte[] data = new byte[Math.toIntExact(BytesElements.byteSize(elements))];
    long offset = 0;
    for (byte[] element : elements) {
      offset = BytesElements.put(MemorySegment.ofArray(data), offset, element);
    }
    return new Tensor(
        name, DataType.BYTES, Shape.of(values.length, 1), MemorySegment.ofArray(data));
  }

  /** The rows of the oracle; an empty field is missing. */
  private static List<Tensor> rows(String library) throws IOException {
    List<String> lines = Files.readAllLines(folder(library).resolve("rows.tsv"));
    String[] names = lines.getFirst().split("\t", -1);
    List<Tensor> inputs = new ArrayList<>();
    for (int column = 0; column < names.length; column++) {
      int at = column;
      List<String> values =
          lines.subList(1, lines.size()).stream().map(line -> line.split("\t", -1)[at]).toList();
      inputs.add(
          names[column].equals("city")
              ? texts(names[column], values.toArray(String[]::new))
              : numbers(
                  names[column],
                  values.stream()
                      .map(each -> each.isEmpty() ? Double.NaN : Double.parseDouble(each))
                      .toArray(Double[]::new)));
    }
    return inputs;
  }

  private static float[] predictions(Outcome.Outputs outputs) {
    return Tensors.named(outputs, "prediction").data().toArray(Elements.FLOAT);
  }

  private static float[] expected(String library) throws IOException {
    return MemorySegment.ofArray(Files.readAllBytes(folder(library).resolve("prediction.f32")))
        .toArray(Elements.FLOAT);
  }

  @ParameterizedTest
  @ValueSource(strings = {"xgb", "lgb"})
  void predictsWhatTheLibraryPredictsOfTheDataFrame(String library) throws IOException {
    List<Tensor> rows = new ArrayList<>(rows(library));
    try (var model = open(library)) {
      assertThat(model.config().inputs())
          .extracting(input -> input.name() + " " + input.dataType() + " " + input.optional())
          .containsExactly(
              "age FP64 true",
              "city BYTES true",
              "size FP64 true",
              "member FP64 true",
              "income FP64 true");
      assertThat(predictions(model.execute(List.of(rows)).outputs(0))).isEqualTo(expected(library));

      Collections.reverse(rows);
      assertThat(predictions(model.execute(List.of(rows)).outputs(0))).isEqualTo(expected(library));
    }
  }

  @Test
  void anAbsentColumnIsMissingInAllRows() {
    try (var model = open("xgb")) {
      float[] absent =
          predictions(model.execute(List.of(List.of(numbers("age", 61.0, 20.0)))).outputs(0));
      float[] missing =
          predictions(
              model
                  .execute(
                      List.of(
                          List.of(
                              numbers("income", Double.NaN, Double.NaN),
                              texts("city", "", ""),
                              numbers("age", 61.0, 20.0))))
                  .outputs(0));
      assertThat(absent).isEqualTo(missing);
    }
  }

  @Test
  void aRequestWithoutAnInputIsRefusedAsItDoesNotSayItsRows() {
    try (var model = open("xgb")) {
      assertThat(model.execute(List.of(List.of())).answers().getFirst())
          .singleElement()
          .isInstanceOfSatisfying(
              Outcome.Failure.class,
              failure ->
                  assertThat(failure.exception())
                      .hasMessage(
                          "a request has none of the inputs [age, city, size, member, income]: it"
                              + " does not say how many rows it has"));
    }
  }

  @Test
  void withoutABatchTheRefusalOfDimsSaysWhy() {
    var config = TestModels.withParameters(TestModels.bare("m"), COLUMNS);
    var age = TestModels.tensor("age", DataType.FP64, 1);
    var prediction = TestModels.tensor("prediction", DataType.FP32, -1, 1);
    assertThatThrownBy(
            () -> open("xgb", config.withSignature(0, List.of(age), List.of(prediction))).close())
        .hasMessageStartingWith(
            "unable to load model 'm', input 'age' has the dims [1], which must be [-1], as"
                + " max_batch_size is 0; input 'city' is missing");
  }

  @Test
  void onlyTheRequestWithAnUnknownCategoryFails() {
    try (var model = open("xgb");
        var batch = new TestBatch(model.config())) {
      batch.add(List.of(texts("city", "oslo", "rome"), numbers("size", 10.0, 20.0)));
      batch.add(List.of(texts("city", "oslo", "paris"), numbers("size", 10.0, 30.0)));
      var outcome = model.execute(batch);

      assertThat(predictions(outcome.outputs(0))).hasSize(2);
      assertThat(outcome.answers().get(1))
          .singleElement()
          .isInstanceOfSatisfying(
              Outcome.Failure.class,
              failure ->
                  assertThat(failure.exception())
                      .hasMessage(
                          "input 'city', row 1: the category 'paris' is unknown, which must be one"
                              + " of new york, oslo, rome"));
    }
    try (var model = open("lgb")) {
      var outcome = model.execute(List.of(List.of(numbers("size", 30.0))));
      assertThat(outcome.answers().getFirst())
          .singleElement()
          .isInstanceOfSatisfying(
              Outcome.Failure.class,
              failure ->
                  assertThat(failure.exception())
                      .hasMessage(
                          "input 'size', row 0: the category '30' is unknown, which must be one of"
                              + " 10, 20, 40"));
    }
  }

  @Test
  void aLongCategoryThatIsUnknownIsCutInTheMessage() {
    try (var model = open("xgb")) {
      var outcome = model.execute(List.of(List.of(texts("city", "p".repeat(100_000)))));
      assertThat(outcome.answers().getFirst())
          .singleElement()
          .isInstanceOfSatisfying(
              Outcome.Failure.class,
              failure ->
                  assertThat(failure.exception())
                      .hasMessage(
                          "input 'city', row 0: the category '%s…' is unknown, which must be one of"
                                  .formatted("p".repeat(100))
                              + " new york, oslo, rome"));
    }
  }

  @Test
  void aRequestFailsOnceForItsCategoryAndItsIterations() {
    try (var model = open("xgb")) {
      var wrong = SampleRequest.of(List.of(texts("city", "paris")), iterations("9,1"));
      var right = SampleRequest.of(List.of(texts("city", "oslo")), iterations("all"));
      var outcome = model.run(List.of(wrong, right));

      assertThat(outcome.answers().getFirst()).singleElement().isInstanceOf(Outcome.Failure.class);
      assertThat(predictions(outcome.outputs(1))).hasSize(1);
    }
  }

  private static Map<String, Parameter> iterations(String range) {
    return Map.of(IterationRange.PARAMETER, new Parameter.OfString(range));
  }

  @Test
  void numbersOfColumnsAreComparedAsDoubles() throws IOException {
    Path oracle = TestModels.named("lgb_doubles");
    double[] values = doubles(oracle.resolve("rows.f64"));
    List<Tensor> inputs = new ArrayList<>();
    for (int column = 0; column < 4; column++) {
      Double[] ofColumn = new Double[values.length / 4];
      for (int row = 0; row < ofColumn.length; row++) {
        ofColumn[row] = values[4 * row + column];
      }
      inputs.add(numbers("Column_" + column, ofColumn));
    }
    var files = TestModels.files(directory, TestModels.model(oracle));
    var config = TestModels.withParameters(TestModels.bare("m"), COLUMNS);
    try (var model = OpenModel.of(TestModels.underTest(files, config))) {
      float[] actual = predictions(model.execute(List.of(inputs)).outputs(0));
      double[] expected = doubles(oracle.resolve("prediction.f64"));
      assertThat(actual).hasSameSizeAs(expected);
      for (int row = 0; row < actual.length; row++) {
        assertThat(actual[row]).isCloseTo((float) expected[row], within(1e-6f));
      }
    }
  }

  private static double[] doubles(Path file) throws IOException {
    return MemorySegment.ofArray(Files.readAllBytes(file)).toArray(Elements.DOUBLE);
  }

  @Test
  void aConfigurationMayHaveOtherTypesOfNumbers() {
    var config = TestModels.withParameters(TestModels.bare("m"), COLUMNS);
    var inputs =
        List.of(
            TestModels.tensor("income", DataType.FP32, 1),
            TestModels.tensor("age", DataType.INT64, 1),
            TestModels.tensor("city", DataType.BYTES, 1),
            TestModels.tensor("member", DataType.BOOL, 1),
            TestModels.tensor("size", DataType.INT32, 1));
    open("xgb", config.withSignature(8, inputs, List.of())).close();
  }

  @Test
  void refusesInputsThatAreNoColumns() {
    var config = TestModels.withParameters(TestModels.bare("m"), COLUMNS);
    var age = TestModels.tensor("age", DataType.FP64, 1);
    assertThatThrownBy(() -> open("xgb", config.withSignature(8, List.of(age), List.of())).close())
        .hasMessage(
            "unable to load model 'm', input 'city' is missing, a feature of the file; input 'size' is"
                + " missing, a feature of the file; input 'member' is missing, a feature of the file;"
                + " input 'income' is missing, a feature of the file");
    var others =
        IntStream.range(0, 5)
            .mapToObj(i -> TestModels.tensor("other" + i, DataType.FP64, 1))
            .toList();
    assertThatThrownBy(() -> open("xgb", config.withSignature(8, others, List.of())).close())
        .hasMessageContaining("input 'other2' is no feature of the file")
        .hasMessageEndingWith("; and 2 more");
    var named = Map.of("columns", "yes");
    assertThatThrownBy(() -> open("xgb", TestModels.withParameters(config, named)).close())
        .hasMessage(
            "unable to load model 'm', parameter 'columns' must be one of true, false, got 'yes'");
  }

  /** Each of the texts that the file has is of UTF-8, and none is one of the data. */
  @Test
  void refusesCategoriesThatXgboostHasCut() throws IOException {
    String refused =
        "unable to load model 'm', input 'city' has categories that the file does not have as they"
            + " were: XGBoost before 3.4 cuts texts with letters beyond ASCII; train with other"
            + " names or by 3.4, or without the parameter 'columns' send the codes of categories";
    assertThatThrownBy(() -> open("cut").close()).hasMessage(refused);

    Path file = TestModels.model(folder("cut"));
    open("cut", TestModels.bare("m")).close();

    String later = Files.readString(file).replace("[3,2,0]", "[3,4,0]");
    var config = TestModels.withParameters(TestModels.bare("m"), COLUMNS);
    var readable = TestModels.files(directory.resolve("later"), "model.json", later);
    OpenModel.of(TestModels.underTest(readable, config)).close();
    String bytes = later.replace("-61,-95", "-61,32"); // the first byte of two
    var broken = TestModels.files(directory.resolve("broken"), "model.json", bytes);
    assertThatThrownBy(() -> OpenModel.of(TestModels.underTest(broken, config)).close())
        .hasMessage(refused);
  }

  @Test
  void aFileWithoutNamesNeedsThemInTheConfiguration() {
    Path file = TestModels.model(TestModels.named("skl_rf"));
    var config = TestModels.withParameters(TestModels.bare("m"), COLUMNS);
    var files = TestModels.files(directory, file);
    assertThatThrownBy(() -> OpenModel.of(TestModels.underTest(files, config)).close())
        .hasMessage(
            "unable to load model 'm', parameter 'columns' needs the names of the features, which"
                + " the file does not have: give them by the parameter 'feature_names'");

    var named =
        TestModels.withParameters(config, Map.of("columns", "true", "feature_names", "a,b,c,d"));
    try (var model = OpenModel.of(TestModels.underTest(files, named))) {
      assertThat(model.config().inputs()).extracting("name").containsExactly("a", "b", "c", "d");
    }
    var rows = TestModels.withParameters(TestModels.bare("m"), Map.of("feature_names", "a,b,c,d"));
    try (var model = OpenModel.of(TestModels.underTest(files, rows))) {
      assertThat(model.config().inputs()).extracting("name").containsExactly("input");
      assertThat(model.config().parameters()).containsEntry("feature_names", "a,b,c,d");
    }
  }
}
