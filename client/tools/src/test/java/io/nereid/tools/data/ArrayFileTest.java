package io.nereid.tools.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.client.model.TensorMetadata;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Arrays of NumPy as tensors: as it wrote them, cut short, and of other shapes. */
class ArrayFileTest {
  private static final TensorMetadata MATRIX = new TensorMetadata("x", "FP32", List.of(-1L, 3L));
  private static final TensorMetadata AGE = new TensorMetadata("age", "FP32", List.of(-1L, 1L));
  private static final TensorMetadata CITY = new TensorMetadata("city", "BYTES", List.of(-1L, 1L));
  private static final TensorMetadata PAIR = new TensorMetadata("pair", "INT64", List.of(-1L, 2L));
  private static final TextFormat PLAIN =
      new TextFormat(TextFormat.Header.UNSAID, ',', List.of(), false, false);

  @TempDir private Path folder;

  private static WantedTensors inputs(TensorMetadata... wanted) {
    return WantedTensors.inputs(List.of(wanted), ColumnNames.NUMBERED, Set.of(), "");
  }

  private Path resource(String name) throws IOException {
    try (InputStream in = TensorFileTest.class.getResourceAsStream(name)) {
      return Files.write(folder.resolve(name), Objects.requireNonNull(in).readAllBytes());
    }
  }

  /** Written by numpy.savez; see arrays.py. */
  @Test
  void arraysAreReadAsNumPyWroteThem() throws IOException {
    Path npz = resource("arrays.npz");
    List<TensorMetadata> wanted =
        List.of(
            new TensorMetadata("f2", "FP16", List.of(-1L, 2L)),
            new TensorMetadata("f8", "FP64", List.of(-1L, 2L)),
            new TensorMetadata("fortran", "FP32", List.of(-1L, 2L)),
            new TensorMetadata("big", "FP32", List.of(-1L, 2L)),
            new TensorMetadata("narrowed", "FP32", List.of(-1L, 1L)),
            new TensorMetadata("i8", "INT64", List.of(-1L, 1L)),
            new TensorMetadata("u8", "UINT64", List.of(-1L)),
            new TensorMetadata("i1", "FP32", List.of(-1L, 1L)),
            new TensorMetadata("b1", "BOOL", List.of(-1L, 1L)),
            new TensorMetadata("text", "BYTES", List.of(-1L, 1L)),
            new TensorMetadata("bytes", "BYTES", List.of(-1L, 1L)));

    TensorFile tensors = TensorFile.read(npz, inputs(wanted.toArray(TensorMetadata[]::new)), PLAIN);

    assertThat(tensors.tensor("f2").floats()).containsExactly(0.5f, 1, 1.5f, 2, 2.5f, 3);
    assertThat(tensors.tensor("f8").doubles())
        .containsExactly(0.1, 0.2, Double.NaN, 1e300, -0.0, 3);
    assertThat(tensors.tensor("fortran").floats()).containsExactly(1, 2, 3, 4, 5, 6);
    assertThat(tensors.tensor("big").floats()).containsExactly(1, 2, 3, 4, 5, 6);
    assertThat(tensors.tensor("narrowed").floats()).containsExactly(0.1f, 0.2f, 0.3f);
    assertThat(tensors.tensor("i8").longs()).containsExactly(Long.MIN_VALUE, 0, Long.MAX_VALUE);
    assertThat(ElementTexts.of(tensors.tensor("u8")))
        .containsExactly("0", "1", "18446744073709551615");
    assertThat(tensors.tensor("i1").floats()).containsExactly(-128, 0, 127);
    assertThat(tensors.tensor("b1").booleans()).containsExactly(true, false, true);
    assertThat(tensors.tensor("text").strings()).containsExactly("Zürich", "", "𝄞");
    assertThat(tensors.tensor("bytes").strings()).containsExactly("a", "bc", "");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "objects.npy|'objects.npy' has elements that only Python reads: ",
        "record.npy|'record.npy' has elements that only Python reads: ",
      })
  void arraysOfPythonObjectsAreRefused(String name, String sentence) throws IOException {
    Path file = resource(name);

    assertThatExceptionOfType(DataException.class)
        .isThrownBy(() -> TensorFile.read(file, inputs(AGE), PLAIN))
        .matches(wrong -> wrong.sentence().replace(folder + "/", "").startsWith(sentence));
  }

  @Test
  void aBrokenArrayIsRefusedWherever() throws IOException {
    byte[] whole = Files.readAllBytes(resource("whole.npy"));
    Path cut = folder.resolve("cut.npy");
    for (int length = 0; length < whole.length; length++) {
      Files.write(cut, Arrays.copyOf(whole, length));

      assertThatExceptionOfType(DataException.class)
          .as("%d bytes", length)
          .isThrownBy(() -> TensorFile.read(cut, inputs(MATRIX), PLAIN))
          .withMessageContaining("is broken: ");
    }
    assertThat(TensorFile.read(folder.resolve("whole.npy"), inputs(MATRIX), PLAIN).rows())
        .isEqualTo(2);
    Path noZip = Files.writeString(folder.resolve("a.npz"), "no zip");
    assertThatExceptionOfType(DataException.class)
        .isThrownBy(() -> TensorFile.read(noZip, inputs(MATRIX), PLAIN))
        .withMessageMatching("'.*a.npz' is no .npz: .*");
  }

  @Test
  void arraysThatDoNotFitAreRefused() throws IOException {
    Path npz = resource("arrays.npz");
    Path npy = resource("whole.npy");

    assertThatExceptionOfType(DataException.class)
        .isThrownBy(() -> TensorFile.read(npz, inputs(AGE, CITY), PLAIN))
        .withMessageMatching("array 'f2' of '.*arrays.npz' is of no use: the model has age, city");
    var b1 = new TensorMetadata("b1", "FP32", List.of(-1L, 1L));
    var outputs = WantedTensors.outputs(List.of(b1, AGE), ColumnNames.NUMBERED, false);
    assertThatExceptionOfType(DataException.class)
        .isThrownBy(() -> TensorFile.read(npy, outputs, PLAIN))
        .withMessageMatching(
            "'.*whole.npy' is of no use: the model has b1, age; --output says which one is"
                + " compared");
    var chosen = WantedTensors.outputs(List.of(b1), ColumnNames.NUMBERED, true);
    assertThat(TensorFile.read(npz, chosen, PLAIN).tensor("b1").floats()).containsExactly(1, 0, 1);
    var other = WantedTensors.outputs(List.of(AGE), ColumnNames.NUMBERED, true);
    assertThatExceptionOfType(DataException.class)
        .isThrownBy(() -> TensorFile.read(npz, other, PLAIN))
        .withMessageMatching("array 'f2' of '.*arrays.npz' is of no use: the model has age");
    assertThatExceptionOfType(DataException.class)
        .isThrownBy(() -> TensorFile.read(npy, inputs(PAIR), PLAIN))
        .withMessageMatching(
            "'.*whole.npy' has the shape \\[2, 3\\], and 'pair' expects \\[-1, 2\\]");
    assertThatExceptionOfType(DataException.class)
        .isThrownBy(() ->
            TensorFile.read(npy, inputs(new TensorMetadata("i", "INT32", List.of(-1L, 3L))), PLAIN))
        .withMessageMatching(
            "'.*whole.npy' at \\[0, 0\\]: got 0.5, expected an integer \\(INT32\\)");
  }
}
