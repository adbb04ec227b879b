package io.nereid.onnx;

import static io.nereid.onnx.OnnxBytes.join;
import static io.nereid.onnx.OnnxBytes.message;
import static io.nereid.onnx.OnnxBytes.model;
import static io.nereid.onnx.OnnxBytes.node;
import static io.nereid.onnx.OnnxBytes.text;
import static io.nereid.onnx.OnnxBytes.varint;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.onnx.ort.OrtEnvironment;
import io.nereid.spi.Backend;
import io.nereid.spi.ModelFiles;
import io.nereid.tck.TestContext;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A short file whose constants take seconds to be computed, while it is loaded. ONNX Runtime looks
 * for a cancellation between its passes over a graph; one of them computes the constants.
 */
class LoadCancellationTest {
  private static final int PRODUCTS = 150;
  private static final int SIZE = 1_000;

  /** By then it computes constants. */
  private static final long BUSY_NANOS = Duration.ofMillis(500).toNanos();

  @TempDir private Path directory;

  private static byte[] folding() {
    List<byte[]> fields = new ArrayList<>();
    fields.add(
        message(
            5, join(varint(1, 2), varint(2, 7), varint(7, SIZE), varint(7, SIZE), text(8, "S"))));
    fields.add(message(5, join(varint(1, 1), varint(2, 7), varint(7, -1), text(8, "F"))));
    fields.add(node("ConstantOfShape", List.of("S"), "M0"));
    for (int i = 1; i <= PRODUCTS; i++) {
      fields.add(node("MatMul", List.of("M" + (i - 1), "M0"), "M" + i));
    }
    byte[] toBytes = message(5, join(text(1, "to"), varint(3, 2), varint(20, 2)));
    fields.add(node("Cast", List.of("M" + PRODUCTS), "B", toBytes));
    fields.add(node("Reshape", List.of("B", "F"), "OUT"));
    return model(fields.toArray(byte[][]::new));
  }

  private InferenceException failure(BiConsumer<Thread, Backend> cancel) throws IOException {
    Path version = Files.createDirectories(directory.resolve("m/1"));
    Files.write(version.resolve("model.onnx"), folding());
    var files = new ModelFiles(directory.resolve("m"), 1);
    long handles = OrtEnvironment.openHandles();
    var failed = new CompletableFuture<InferenceException>();
    try (Backend backend = new OnnxBackendProvider().open(TestContext.of("onnxruntime"))) {
      Thread loader =
          Thread.ofPlatform()
              .start(() ->
                  failed.complete(
                      catchThrowableOfType(
                          InferenceException.class,
                          () -> backend.complete(files, TestModels.bare("m")))));
      awaitBusy(loader);
      cancel.accept(loader, backend);
      InferenceException failure = failed.join();
      assertThat(failure).as("failure").isNotNull();
      return failure;
    } finally {
      assertThat(OrtEnvironment.openHandles()).isEqualTo(handles);
    }
  }

  private static void awaitBusy(Thread loader) {
    while (ManagementFactory.getThreadMXBean().getThreadCpuTime(loader.threadId()) < BUSY_NANOS) {
      assertThat(loader.isAlive()).as("loads").isTrue();
      Thread.onSpinWait();
    }
  }

  @Test
  @Timeout(120)
  void aLoadWhoseThreadIsInterruptedEnds() throws IOException {
    InferenceException failure = failure((loader, _) -> loader.interrupt());

    assertThat(failure.code()).as(failure.getMessage()).isEqualTo(StatusCode.UNAVAILABLE);
    assertThat(failure).hasMessage("the load of model 'm' is cancelled");
  }

  @Test
  @Timeout(120)
  void allLoadsEndThatAreCancelled() throws IOException {
    InferenceException failure = failure((_, backend) -> backend.cancelLoads());

    assertThat(failure.code()).as(failure.getMessage()).isEqualTo(StatusCode.UNAVAILABLE);
    assertThat(failure).hasMessage("the load of model 'm' is cancelled");
  }
}
