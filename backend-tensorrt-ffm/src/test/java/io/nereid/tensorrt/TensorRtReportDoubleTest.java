package io.nereid.tensorrt;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.spi.Backend;
import io.nereid.spi.Check;
import io.nereid.tck.TestContext;
import io.nereid.tensorrt.doubles.UsesDoubles;
import io.nereid.tensorrt.engine.CapturedLog;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What the backend says of a machine that has all that it needs: that of the doubles. */
@UsesDoubles
class TensorRtReportDoubleTest {
  private static TestContext context(Map<String, String> options) {
    return TestPlans.context(options);
  }

  @Test
  void logsVersionsAndDevicesOnceWhenItIsOpened() {
    try (var log = CapturedLog.of(TensorRtBackend.class.getName());
        Backend backend = new TensorRtBackendProvider().open(context(Map.of()))) {
      assertThat(backend.gpus()).containsExactly(0, 1);
      assertThat(log.lines())
          .singleElement()
          .asString()
          .matches(
              "INFO TensorRT 1\\d\\.\\d+\\.\\d+ \\(/.*\\.so\\), CUDA runtime 13\\.\\d, driver for CUDA"
                  + " 13\\.\\d, 0: Double GPU 0, .* GiB, compute capability 9\\.0; 1: Double GPU"
                  + " 1, .*");
    }
  }

  @Test
  void checksEachLibraryAndDeviceForTheDoctor() {
    List<Check> checks = new TensorRtBackendProvider().check(context(Map.of()));

    assertThat(checks)
        .filteredOn(check -> check.level() == Check.Level.OK)
        .extracting(Check::subject)
        .contains("CUDA driver", "CUDA runtime", "GPU", "GPU", "TensorRT");
    assertThat(checks).noneMatch(check -> check.level() == Check.Level.PROBLEM);
  }

  @Test
  void opensThoughAPluginLibraryIsMissing() {
    try (var log = CapturedLog.of("io.nereid.tensorrt.library");
        Backend backend =
            new TensorRtBackendProvider().open(context(Map.of("plugins", "/missing/mine.so")))) {
      assertThat(backend.gpus()).isNotEmpty();
      assertThat(log.lines())
          .filteredOn(line -> line.startsWith("SEVERE "))
          .singleElement()
          .asString()
          .startsWith("SEVERE plugin library '/missing/mine.so' cannot be opened: ");
    }
  }
}
