package io.nereid.tensorrt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.spi.TypedOptions;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class BackendOptionsTest {
  private static TensorRtOptions options(Map<String, String> options) {
    return TensorRtOptions.of(TypedOptions.of("backend 'tensorrt'", options));
  }

  @Test
  void withoutOptionsThereAreDefaults() {
    assertThat(options(Map.of()))
        .isEqualTo(
            new TensorRtOptions(false, false, List.of(), false, OptionalInt.empty(), 256 << 20));
  }

  @Test
  void readsTritonsOptions() {
    var all =
        Map.of(
            "execution-policy", "DEVICE_BLOCKING",
            "coalesce-request-input", "ON",
            "plugins", "/a/one.so;/b/two.so;",
            "version-compatible", "1",
            "default-max-batch-size", "-3",
            "pinned-memory-pool-byte-size", "4096");
    assertThat(options(all))
        .isEqualTo(
            new TensorRtOptions(
                true, true, List.of("/a/one.so", "/b/two.so"), true, OptionalInt.of(0), 4096));
  }

  @Test
  void rejectsOtherValues() {
    assertThatThrownBy(() -> options(Map.of("execution-policy", "FAST")))
        .hasMessage(
            "backend 'tensorrt': option 'execution-policy' must be one of BLOCKING, DEVICE_BLOCKING, got 'FAST'");
    assertThatThrownBy(() -> options(Map.of("version-compatible", "maybe")))
        .hasMessage(
            "backend 'tensorrt': option 'version-compatible' must be true or false, got 'maybe'");
    assertThatThrownBy(() -> options(Map.of("pinned-memory-pool-byte-size", "1 G")))
        .hasMessage(
            "backend 'tensorrt': option 'pinned-memory-pool-byte-size' must be a number of bytes, such as 4096 or 256MiB, got '1 G'");
  }
}
