package io.nereid.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Rows as tensors, and tensors as rows. */
class RowsTest {
  static Stream<Arguments> arrays() {
    return Stream.of(
        Arguments.of((Object) new float[][] {{1, 2, 3}, {4, 5, 6}}),
        Arguments.of((Object) new double[][] {{1, 2}, {3, 4}}),
        Arguments.of((Object) new int[][] {{1}, {2}, {3}}),
        Arguments.of((Object) new long[][] {{Long.MIN_VALUE, Long.MAX_VALUE}}),
        Arguments.of((Object) new short[][] {{1, 2}}),
        Arguments.of((Object) new byte[][] {{1, 2}, {3, 4}}),
        Arguments.of((Object) new boolean[][] {{true, false}}),
        Arguments.of((Object) new String[][] {{"a", "ü"}, {"", "b"}}),
        Arguments.of(
            (Object) new float[][][] {{{1, 2}, {3, 4}, {5, 6}}, {{7, 8}, {9, 10}, {11, 12}}}),
        Arguments.of((Object) new float[] {1, 2}),
        Arguments.of((Object) new String[] {"a"}));
  }

  @ParameterizedTest
  @MethodSource("arrays")
  void arraysComeBackAsTheyWere(Object rows) {
    Tensor tensor = Rows.tensor(rows);

    assertThat(Rows.arrays(tensor, rows.getClass())).isEqualTo(rows);
  }

  @Test
  void eachDimensionIsOneOfTheTensor() {
    Tensor tensor = Rows.tensor(new float[][][] {{{1, 2}, {3, 4}, {5, 6}}});

    assertThat(tensor).hasToString("FP32[1, 3, 2]");
    assertThat(tensor.floats()).containsExactly(1, 2, 3, 4, 5, 6);
  }

  @Test
  void listsAreRowsToo() {
    assertThat(Rows.tensor(List.of(new float[] {1, 2}, new float[] {3, 4})).floats())
        .containsExactly(1, 2, 3, 4);
    assertThat(Rows.tensor(List.of(List.of(1L, 2L), List.of(3L, 4L)))).hasToString("INT64[2, 2]");
    assertThat(Rows.tensor(List.of(List.of("a"), List.of("b"))).strings())
        .containsExactly("a", "b");
  }

  @Test
  void theDataTypeCanBeAnother() {
    Tensor half = Rows.tensor(DataType.FP16, new float[][] {{0.5f}});

    assertThat(half).hasToString("FP16[1, 1]");
    assertThat(Rows.arrays(half, float[][].class)).isDeepEqualTo(new float[][] {{0.5f}});
    assertThat(Rows.tensor(DataType.UINT8, new byte[][] {{-1}})).hasToString("UINT8[1, 1]");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Rows.tensor(DataType.FP32, new double[][] {{1}}))
        .withMessage("FP32 is not made of double");
  }

  static Stream<Arguments> mistakes() {
    return Stream.of(
        Arguments.of(
            new float[][] {{1, 2}, {3}},
            "rows[1] is a float[] of 1 elements, and the first of its dimension has 2 elements"),
        Arguments.of(
            new float[][][] {{{1}, {2}}, {{3}, null}},
            "rows[1][1] is null, and the first of its dimension has 1 elements"),
        Arguments.of(
            List.of(List.of(1f), List.of(2d)),
            "rows[1][0] is a Double, and the first element is of float"),
        Arguments.of(
            List.of(Arrays.asList(1f, null)),
            "rows[0][1] is null, and the first element is of float"),
        Arguments.of(
            List.of(new float[1], new int[1]),
            "rows[1][0] is a Integer, and the first element is of float"),
        Arguments.of(new float[0][], "rows without an element have no shape: Tensor.of takes one"),
        Arguments.of(
            List.of('x'),
            "the first element is a Character, and must be a number, a boolean or a string"),
        Arguments.of(1f, "rows are arrays or lists, and not a Float"));
  }

  @ParameterizedTest
  @MethodSource("mistakes")
  void whatIsWrongIsNamed(Object rows, String message) {
    assertThatIllegalArgumentException().isThrownBy(() -> Rows.tensor(rows)).withMessage(message);
  }

  @Test
  void aTensorIsReadByItsDimensionsAndType() {
    Tensor tensor = Tensor.of(new float[] {1, 2}, 1, 2);

    assertThatIllegalStateException()
        .isThrownBy(() -> Rows.arrays(tensor, float[].class))
        .withMessage(
            "a tensor of FP32[1, 2] is not read as float[], which has another number of dimensions");
    assertThatIllegalStateException()
        .isThrownBy(() -> Rows.arrays(tensor, int[][].class))
        .withMessageContaining("a tensor of FP32 is not read as ints");
    // a server may say any shape of no elements
    assertThat(Rows.arrays(Tensor.of(new float[0], Integer.MAX_VALUE, 0), float[][].class))
        .isEmpty();
  }

  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Customer(float age, long visits, String country, double[] spent, boolean member) {}

  record Score(int label, @Nullable Float probability) {}

  record Wrong(Object any) {}

  record Strict(int value) {
    Strict {
      if (value < 0) {
        throw new IllegalArgumentException("negative");
      }
    }
  }

  @Test
  void theComponentsOfRecordsAreInputs() {
    Map<String, Tensor> tensors =
        Columns.of(Customer.class)
            .tensors(
                List.of(
                    new Customer(41, 7, "nl", new double[] {1, 2}, true),
                    new Customer(27, 1, "de", new double[] {3, 4}, false)));

    assertThat(tensors.keySet()).containsExactly("age", "visits", "country", "spent", "member");
    assertThat(tensors.values())
        .extracting(Tensor::toString)
        .containsExactly("FP32[2, 1]", "INT64[2, 1]", "BYTES[2, 1]", "FP64[2, 2]", "BOOL[2, 1]");
    assertThat(InferRequest.to("m").inputs(tensors).build().inputs()).isEqualTo(tensors);
    assertThat(Columns.of(Customer.class).rows(tensors))
        .satisfiesExactly(
            first -> assertThat(first.spent()).containsExactly(1, 2),
            second -> assertThat(second).extracting(Customer::country).isEqualTo("de"));
  }

  @Test
  void outputsAreRowsOfRecords() {
    Columns<Score> scores = Columns.of(Score.class);
    Tensor labels = Tensor.of(new int[] {1, 0});

    assertThat(
            scores.rows(
                Map.of("label", labels, "probability", Tensor.of(new float[] {0.9f, 0.2f}, 2, 1))))
        .containsExactly(new Score(1, 0.9f), new Score(0, 0.2f));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> scores.rows(Map.of("label", labels)))
        .withMessage("there is no tensor 'probability', but [label]");
    assertThatIllegalArgumentException()
        .isThrownBy(() ->
            scores.rows(Map.of("label", labels, "probability", Tensor.of(new float[6], 2, 3))))
        .withMessage("the tensor 'probability' is FP32[2, 3], which is no column of 2 rows");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> scores.rows(Map.of("label", labels, "probability", Tensor.of(new float[3]))))
        .withMessage("the tensor 'probability' is FP32[3], which is no column of 2 rows");
  }

  @Test
  void aRecordThatIsNoRowIsNamed() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Columns.of(Wrong.class))
        .withMessageMatching(
            "the component 'any' of .*Wrong is Object, which is of no type of tensors");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Columns.of(Score.class).tensors(List.of(new Score(1, null))))
        .withMessage(
            "column 'probability': the first element is null, and must be a number, a boolean or a string");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> Columns.of(Strict.class).rows(Map.of("value", Tensor.of(new int[] {1, -1}))))
        .withMessageStartingWith("row 1 is not taken by ")
        .withCauseInstanceOf(IllegalArgumentException.class);
  }
}
