package io.nereid.onnx;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.onnx.ort.SystemLocale;
import io.nereid.spi.Check;
import io.nereid.tck.TestContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OnnxCheckTest {
  private final OnnxBackendProvider provider = new OnnxBackendProvider();

  @Test
  void reportsTheVersionAndTheExecutionProviders() {
    assertThat(provider.check(TestContext.of("onnxruntime")))
        .singleElement()
        .satisfies(check -> {
          assertThat(check.level()).isEqualTo(Check.Level.OK);
          assertThat(check.finding())
              .matches(
                  "version 1\\.\\d+\\.\\d+, execution providers .*CPUExecutionProvider.*, library /.*");
          assertThat(check.finding().contains("the system has no locale en_US.UTF-8"))
              .isEqualTo(SystemLocale.isMissing());
        });
  }

  @Test
  void reportsALibraryThatCannotBeOpened(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("libonnxruntime.so"), "not a library");

    assertThat(provider.check(TestContext.of("onnxruntime", Map.of("library", file.toString()))))
        .singleElement()
        .satisfies(check -> {
          assertThat(check.level()).isEqualTo(Check.Level.PROBLEM);
          assertThat(check.finding()).contains(file.toString());
          assertThat(check.cure()).contains("--backend-config=onnxruntime,library=<file>");
        });
  }

  @Test
  void reportsAFolderThatTakesNoCopyWithTheOptionThatHelps(@TempDir Path folder) throws Exception {
    Path file = Files.createFile(folder.resolve("file"));

    assertThat(
            provider.check(
                TestContext.of("onnxruntime", Map.of("cache-directory", file.toString()))))
        .singleElement()
        .satisfies(check -> {
          assertThat(check.level()).isEqualTo(Check.Level.PROBLEM);
          assertThat(check.finding()).contains("cannot copy", file.toString());
          assertThat(check.cure())
              .contains("--backend-config=onnxruntime,cache-directory=<directory>");
        });
  }
}
