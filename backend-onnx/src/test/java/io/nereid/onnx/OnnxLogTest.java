package io.nereid.onnx;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.InstanceSettings;
import io.nereid.spi.ModelFiles;
import io.nereid.tck.TestContext;
import io.nereid.tck.model.OpenModel;
import io.nereid.tck.support.Tensors;
import io.nereid.tensor.Shape;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** ONNX Runtime's own lines, of a model of which it says that an initializer is not used. */
class OnnxLogTest {
  private static final Logger LOGGER = Logger.getLogger("ai.onnxruntime");
  private static final String UNUSED =
      "model 'm': Removing initializer 'unused'. It is not used by any node and should be removed"
          + " from the model.";

  private final List<LogRecord> records = Collections.synchronizedList(new ArrayList<>());
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord record) {
          records.add(record);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  @TempDir private Path folder = Path.of("");

  @BeforeEach
  void listen() throws Exception {
    Files.createDirectories(folder.resolve("1"));
    byte[] model =
        OnnxBytes.model(
            OnnxBytes.node(
                "Constant", List.of(), "OUT", OnnxBytes.tensorAttribute("value", bytes(""))),
            OnnxBytes.message(5, bytes("unused")));
    Files.write(folder.resolve("1/model.onnx"), model);
    LOGGER.setUseParentHandlers(false);
    LOGGER.addHandler(handler);
  }

  @AfterEach
  void leave() {
    LOGGER.removeHandler(handler);
    LOGGER.setUseParentHandlers(true);
    LOGGER.setLevel(null);
  }

  private static byte[] bytes(String name) {
    return OnnxBytes.join(
        OnnxBytes.varint(1, 1),
        OnnxBytes.varint(2, 2),
        OnnxBytes.text(8, name),
        OnnxBytes.message(9, new byte[] {7}));
  }

  private List<String> lines(Level level) {
    var formatter = new SimpleFormatter();
    return records.stream()
        .filter(record -> record.getLevel().equals(level))
        .map(formatter::formatMessage)
        .toList();
  }

  private void load(Map<String, String> options) {
    var instance = new InstanceSettings("i", InstanceSettings.Kind.KIND_CPU, 0, List.of(), false);
    try (var backend = new OnnxBackendProvider().open(TestContext.of("onnxruntime", options))) {
      var files = new ModelFiles(folder, 1);
      var config = backend.complete(files, TestModels.bare("m"));
      try (var model = backend.load(files, config)) {
        model.open(instance).close();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"false", "true"})
  void aWarningIsInTheLogOnceWithTheModelsName(String sharedThreads) {
    load(Map.of("enable-global-threadpool", sharedThreads));

    assertThat(lines(Level.WARNING)).singleElement().asString().startsWith(UNUSED);
    assertThat(records).hasSize(1);
  }

  @Test
  void noRunIsInTheLogBecauseOfTheShapeOfAnOutput() {
    try (var model = OpenModel.of(TestModels.underTest(TestModels.bare("wrong_label")))) {
      var rows = TestModels.floats("IN", Shape.of(2, 2), 1, 2, 3, 4);
      var label = Tensors.named(model.execute(List.of(List.of(rows))).outputs(0), "OUT");
      assertThat(label.shape()).isEqualTo(Shape.of(2)); // the file declares one
    }
    assertThat(lines(Level.WARNING)).isEmpty();
  }

  @Test
  void theLevelOfTheLogCountsWhenASessionIsOpened() {
    LOGGER.setLevel(Level.FINE);
    load(Map.of());
    assertThat(lines(Level.FINE))
        .anyMatch(line -> line.startsWith("model 'm': Session successfully initialized."))
        .anyMatch(line -> line.startsWith("ONNX Runtime: "));

    records.clear();
    LOGGER.setLevel(Level.SEVERE);
    load(Map.of());
    assertThat(records).isEmpty();
  }

  @Test
  void aHandlerThatFailsEndsNothing() {
    var failing =
        new Handler() {
          @Override
          public void publish(LogRecord record) {
            throw new IllegalStateException("broken");
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    LOGGER.addHandler(failing);
    try {
      load(Map.of());
    } finally {
      LOGGER.removeHandler(failing);
    }
    assertThat(lines(Level.WARNING)).isNotEmpty();
  }
}
