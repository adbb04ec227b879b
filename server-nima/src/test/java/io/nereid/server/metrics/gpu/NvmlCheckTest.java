package io.nereid.server.metrics.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.spi.Check;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class NvmlCheckTest {
  private static final Duration LONG = Duration.ofMinutes(1);

  private final NvmlDouble nvml = new NvmlDouble();

  @AfterEach
  void release() {
    nvml.reset();
    nvml.awaitShutdown();
  }

  private Optional<Check> run(Optional<String> visible) {
    return NvmlCheck.run(nvml.path(), visible, LONG);
  }

  @Test
  void namesTheVisibleGpus() {
    Check check = run(Optional.of("1")).orElseThrow();
    assertThat(check.level()).isEqualTo(Check.Level.OK);
    assertThat(check.finding()).endsWith(nvml.path() + " reports " + NvmlDouble.SECOND);
  }

  @Test
  void warnsIfTheLibraryCannotBeUsed() {
    nvml.fail("nvmlInit_v2", NvmlDouble.NO_PERMISSION);
    Check check = run(Optional.empty()).orElseThrow();
    assertThat(check.level()).isEqualTo(Check.Level.WARNING);
    assertThat(check.finding()).endsWith("nvmlInit_v2: Insufficient Permissions (4)");
  }

  @Test
  void saysNothingWithoutALibrary() {
    assertThat(NvmlCheck.run("libno-such-nvml.so.1", Optional.empty(), LONG)).isEmpty();
  }

  @Test
  void warnsIfTheLibraryDoesNotAnswer() {
    nvml.gate("nvmlDeviceGetCount_v2", 0);
    Check check = NvmlCheck.run(nvml.path(), Optional.empty(), Duration.ofSeconds(1)).orElseThrow();
    assertThat(check.level()).isEqualTo(Check.Level.WARNING);
    assertThat(check.finding()).endsWith(nvml.path() + " has not answered within 1 s");
  }
}
