package io.nereid.onnx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OnnxOperatorsTest {
  @TempDir private Path folder;

  private boolean areBounded(byte... model) throws IOException {
    return OnnxOperators.areBounded(Files.write(folder.resolve("model.onnx"), model));
  }

  private static byte[] node(String type, byte[]... attributes) {
    return OnnxBytes.node(type, List.of("IN"), "OUT", attributes);
  }

  @Test
  void operatorsThatReadTheirInputsOnceAreBounded() throws IOException {
    byte[] weights = OnnxBytes.message(5, new byte[1_000]);
    assertThat(areBounded(OnnxBytes.model(node("Add"), weights, node("Relu"), node("MatMul"))))
        .isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"Loop", "If", "Scan", "Range", "Tile", "Expand", "Resize", "MyOwn", ""})
  void oneOperatorThatDoesAsValuesSayIsEnough(String operator) throws IOException {
    assertThat(areBounded(OnnxBytes.model(node("Add"), node(operator), node("Relu")))).isFalse();
  }

  @Test
  void anOperatorOfAnotherDomainIsNotTheOneOfThatName() throws IOException {
    assertThat(areBounded(OnnxBytes.model(node("Add", OnnxBytes.text(7, "ai.onnx"))))).isTrue();
    assertThat(areBounded(OnnxBytes.model(node("Add", OnnxBytes.text(7, "mine"))))).isFalse();
  }

  @Test
  void aModelWithFunctionsOfItsOwnIsNotBounded() throws IOException {
    byte[] model = OnnxBytes.model(node("Add"));
    byte[] function = OnnxBytes.message(25, OnnxBytes.text(1, "Add"));
    byte[] both = Arrays.copyOf(model, model.length + function.length);
    System.arraycopy(function, 0, both, model.length, function.length);
    assertThat(areBounded(both)).isFalse();
  }

  @Test
  void aFileThatIsNotUnderstoodIsNotBounded() throws IOException {
    byte[] model = OnnxBytes.model(node("Add"));
    assertThat(areBounded()).isFalse();
    assertThat(areBounded("ORTM, and so on".getBytes(StandardCharsets.UTF_8))).isFalse();
    for (int length = 0; length < model.length; length++) {
      byte[] part = Arrays.copyOf(model, length);
      assertThatCode(() -> areBounded(part)).as("%d", length).doesNotThrowAnyException();
    }
    assertThat(OnnxOperators.areBounded(folder.resolve("missing"))).isFalse();
  }
}
