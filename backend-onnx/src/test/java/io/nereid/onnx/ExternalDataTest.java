package io.nereid.onnx;

import static io.nereid.onnx.OnnxBytes.external;
import static io.nereid.onnx.OnnxBytes.graphAttribute;
import static io.nereid.onnx.OnnxBytes.join;
import static io.nereid.onnx.OnnxBytes.message;
import static io.nereid.onnx.OnnxBytes.model;
import static io.nereid.onnx.OnnxBytes.node;
import static io.nereid.onnx.OnnxBytes.tensorAttribute;
import static io.nereid.onnx.OnnxBytes.text;
import static io.nereid.onnx.OnnxBytes.varint;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.onnx.ort.OrtEnvironment;
import io.nereid.spi.ModelFiles;
import io.nereid.tck.TestContext;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * ONNX files whose tensors are in other files. That ONNX Runtime reads none outside the directory
 * of the file, and no memory of the process, is relied on for models that clients send.
 */
class ExternalDataTest {
  private static final int LENGTH = 16;
  private static final byte[] IDENTITY = node("Identity", List.of("W"), "OUT");

  @TempDir private Path folder = Path.of("");

  /** Every place in a file where a tensor can be. */
  private static List<byte[]> models(String location, long offset) {
    byte[] named = external("W", LENGTH, location, offset);
    byte[] unnamed = external("", LENGTH, location, offset);
    byte[] condition =
        message(5, join(varint(2, 9), text(8, "C"), message(9, new byte[] {1}))); // BOOL
    byte[] branch = OnnxBytes.graph(IDENTITY, message(5, named));
    byte[] indices = ByteBuffer.allocate(8 * LENGTH).order(ByteOrder.LITTLE_ENDIAN).array();
    for (int i = 0; i < LENGTH; i++) {
      indices[8 * i] = (byte) i;
    }
    byte[] positions = join(varint(1, LENGTH), varint(2, 7), message(9, indices)); // INT64
    return List.of(
        model(IDENTITY, message(5, named)),
        model(node("Constant", List.of(), "OUT", tensorAttribute("value", unnamed))),
        model(IDENTITY, node("Constant", List.of(), "W", tensorAttribute("value", unnamed))),
        model(
            condition,
            node(
                "If",
                List.of("C"),
                "OUT",
                graphAttribute("then_branch", branch),
                graphAttribute("else_branch", branch))),
        model(
            IDENTITY,
            message(15, join(message(1, named), message(2, positions), varint(3, LENGTH)))));
  }

  /** The failures to complete or open the models; null for one that opens. */
  private List<@Nullable Throwable> failures(String location, long offset) throws IOException {
    Path directory = folder.resolve("m");
    List<@Nullable Throwable> failures = new ArrayList<>();
    var files = new ModelFiles(directory, 1, ModelFiles.Trust.CLIENT);
    var instance = new InstanceSettings("i", InstanceSettings.Kind.KIND_CPU, 0, List.of(), false);
    try (var backend = new OnnxBackendProvider().open(TestContext.of("onnxruntime"))) {
      for (byte[] bytes : models(location, offset)) {
        Files.write(directory.resolve("1").resolve("model.onnx"), bytes);
        failures.add(
            catchThrowable(() -> {
              ModelConfig config = backend.complete(files, TestModels.bare("m"));
              try (var model = backend.load(files, config)) {
                model.open(instance).close();
              }
            }));
      }
    }
    return failures;
  }

  @Test
  void dataOutsideTheDirectoryOfTheFileIsNotRead() throws IOException {
    Path version = Files.createDirectories(folder.resolve("m").resolve("1"));
    Path secret = Files.writeString(folder.resolve("secret"), "0123456789abcdef");
    Files.write(folder.resolve("m").resolve("beside"), new byte[LENGTH]);
    Files.createSymbolicLink(version.resolve("link"), secret);
    long handles = OrtEnvironment.openHandles();

    for (String location :
        List.of(
            secret.toString(),
            "../../secret",
            "../beside",
            "link",
            "/proc/self/environ",
            "/dev/zero",
            "")) {
      assertThat(failures(location, 0))
          .as(location)
          .allSatisfy(failure -> assertThat(failure).isInstanceOf(InferenceException.class));
    }
    assertThat(OrtEnvironment.openHandles()).isEqualTo(handles);
  }

  @Test
  void memoryOfTheProcessIsNotRead() throws IOException {
    Files.createDirectories(folder.resolve("m").resolve("1"));
    try (var arena = Arena.ofConfined()) {
      long address = arena.allocate(LENGTH).address();
      for (String marker : List.of("*/_ORT_MEM_ADDR_/*", "*/_ORT_NATIVE_ENDIAN_MEM_ADDR_/*")) {
        assertThat(failures(marker, address))
            .as(marker)
            .allSatisfy(failure -> assertThat(failure).isInstanceOf(InferenceException.class));
      }
    }
  }

  /** What an execution provider has compiled is in a file that the node names. */
  @Test
  void aNodeOfACompiledModelLeadsToNoFile() throws IOException {
    Path version = Files.createDirectories(folder.resolve("m").resolve("1"));
    byte[] compiled =
        node(
            "EPContext",
            List.of(),
            "OUT",
            text(7, "com.microsoft"),
            message(5, join(text(1, "embed_mode"), varint(3, 0), varint(20, 2))),
            message(5, join(text(1, "ep_cache_context"), text(4, "/etc/passwd"), varint(20, 3))));
    byte[] domain = message(8, join(text(1, "com.microsoft"), varint(2, 1)));
    Files.write(version.resolve("model.onnx"), join(model(compiled), domain));

    try (var backend = new OnnxBackendProvider().open(TestContext.of("onnxruntime"))) {
      var files = new ModelFiles(folder.resolve("m"), 1, ModelFiles.Trust.CLIENT);
      assertThat(catchThrowable(() -> backend.complete(files, TestModels.bare("m"))))
          .isInstanceOf(InferenceException.class)
          .hasMessageContaining("EPContext");
    }
  }

  @Test
  void dataBesideTheFileIsRead() throws IOException {
    Path version = Files.createDirectories(folder.resolve("m").resolve("1"));
    Files.write(version.resolve("weights"), new byte[LENGTH]);

    assertThat(failures("weights", 0)).containsOnlyNulls();
  }

  @Test
  void aFailureNamesNoFolderOfTheMachineThatBuiltTheLibrary() throws IOException {
    Files.createDirectories(folder.resolve("m").resolve("1"));

    assertThat(failures("*/_ORT_MEM_ADDR_/*", 1))
        .allSatisfy(failure ->
            assertThat(failure)
                .hasMessageContaining("graph.cc:")
                .hasMessageNotContaining("onnxruntime_src"));
  }
}
