package io.nereid.tensorrt.build.onnx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.nereid.tensorrt.build.onnx.OnnxFileWriter.Message;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OnnxGraphTest {
  @TempDir Path directory;

  @Test
  void readsTheInputsInOrderWithMinusOneForDimensionsThatHaveANameOnly() throws IOException {
    OnnxGraph graph =
        read(new OnnxFileWriter().input("ids", -1, -1, 768).input("scalar").input("b", 2));

    assertThat(graph.inputs())
        .containsExactly(
            new OnnxGraph.Input("ids", List.of(-1L, -1L, 768L)),
            new OnnxGraph.Input("scalar", List.of()),
            new OnnxGraph.Input("b", List.of(2L)));
    assertThat(graph.externalFiles()).isEmpty();
  }

  @Test
  void anInputWithAnInitializerIsNoInput() throws IOException {
    OnnxGraph graph =
        read(
            new OnnxFileWriter()
                .input("x", -1)
                .input("weights", 4)
                .initializer("weights", new byte[100_000]));

    assertThat(graph.inputs()).extracting(OnnxGraph.Input::name).containsExactly("x");
  }

  @Test
  void findsExternalFilesOfInitializersAttributesSubgraphsSparseTensorsAndFunctions()
      throws IOException {
    Message constant =
        new Message()
            .text(4, "Constant")
            .message(5, new Message().message(5, OnnxFileWriter.external("", "constant.bin")));
    Message branch = new Message().message(5, OnnxFileWriter.external("w", "branch.bin"));
    Message condition = new Message().text(4, "If").message(5, new Message().message(6, branch));
    Message sparse = new Message().message(1, OnnxFileWriter.external("s", "sparse.bin"));
    Message function = new Message().message(7, constant("function.bin"));
    var writer =
        new OnnxFileWriter()
            .externalInitializer("w1", "weights.bin")
            .externalInitializer("w2", "weights.bin")
            .graphField(1, constant)
            .graphField(1, condition)
            .graphField(15, sparse);
    Path file = writer.write(directory.resolve("m.onnx"));
    Files.write(
        file,
        new Message().message(25, function).toBytes(),
        java.nio.file.StandardOpenOption.APPEND);

    assertThat(OnnxGraph.read(file).externalFiles())
        .containsExactly("branch.bin", "constant.bin", "function.bin", "sparse.bin", "weights.bin");
  }

  @Test
  void findsTheExternalFilesOfDefaultValuesOfFunctions() throws IOException {
    Message attribute = new Message().message(5, OnnxFileWriter.external("", "default.bin"));
    Path file = new OnnxFileWriter().input("x", 1).write(directory.resolve("m.onnx"));
    Files.write(
        file,
        new Message().message(25, new Message().message(11, attribute)).toBytes(),
        java.nio.file.StandardOpenOption.APPEND);

    assertThat(OnnxGraph.read(file).externalFiles()).containsExactly("default.bin");
  }

  /** A parser takes the last location of a tensor that comes in two parts. */
  @ParameterizedTest
  @ValueSource(strings = {"/etc/passwd", "../other/weights", "a/../../b"})
  void aLocationElsewhereIsRejectedInAnyPartOfATensor(String location) {
    Message second = new Message().message(13, new Message().text(1, "location").text(2, location));
    Message node =
        new Message()
            .message(
                5,
                new Message()
                    .message(5, OnnxFileWriter.external("", "own.bin"))
                    .message(5, second));

    assertThatIOException()
        .isThrownBy(() -> read(new OnnxFileWriter().input("x", 1).graphField(1, node)))
        .withMessage("its external weights '%s' are in another directory", location);
  }

  private static Message constant(String file) {
    return new Message().message(5, new Message().message(5, OnnxFileWriter.external("", file)));
  }

  @Test
  void skipsLargeTensorsWithoutReadingThem() throws IOException {
    byte[] values = new byte[40_000];
    Path file =
        new OnnxFileWriter().initializer("w", values).input("x", 3).write(directory.resolve("m"));

    assertThat(OnnxGraph.read(file).inputs())
        .containsExactly(new OnnxGraph.Input("x", List.of(3L)));
  }

  @Test
  void aFileWithoutAGraphIsRejected() {
    assertThatIOException()
        .isThrownBy(() -> readBytes(new Message().number(1, 8).toBytes()))
        .withMessage("it has no graph");
  }

  @Test
  void everyTruncationIsRejectedOrReadWithoutReadingBeyondTheEnd() {
    byte[] whole =
        new OnnxFileWriter()
            .input("ids", -1, 7)
            .externalInitializer("w", "w.bin")
            .initializer("v", new byte[9000])
            .toBytes();

    for (int length = 0; length < whole.length; length++) {
      byte[] part = java.util.Arrays.copyOf(whole, length);
      assertThatIOException().as("%d bytes", length).isThrownBy(() -> readBytes(part));
    }
  }

  @Test
  void deeplyNestedGraphsAreRejected() {
    Message nested = new Message();
    for (int i = 0; i < 100; i++) {
      nested = new Message().message(1, new Message().message(5, new Message().message(6, nested)));
    }
    byte[] file = new Message().message(7, nested).toBytes();

    assertThatIOException()
        .isThrownBy(() -> readBytes(file))
        .withMessage("its graphs are nested too deeply");
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void changedBytesGiveAGraphOrAnIoException(long seed) throws IOException {
    var random = new Random(seed);
    byte[] whole =
        new OnnxFileWriter().input("ids", -1, 7).externalInitializer("w", "w.bin").toBytes();
    for (int i = 0; i < 500; i++) {
      byte[] changed = whole.clone();
      changed[random.nextInt(changed.length)] = (byte) random.nextInt();
      try {
        assertThat(readBytes(changed).inputs()).hasSizeLessThan(3);
      } catch (IOException rejected) {
        assertThat(rejected).hasMessageNotContaining("null");
      }
    }
  }

  private OnnxGraph read(OnnxFileWriter writer) throws IOException {
    return readBytes(writer.toBytes());
  }

  private OnnxGraph readBytes(byte[] bytes) throws IOException {
    return OnnxGraph.read(Files.write(directory.resolve("model.onnx"), bytes));
  }
}
