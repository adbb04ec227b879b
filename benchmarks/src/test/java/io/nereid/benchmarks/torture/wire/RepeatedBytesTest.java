package io.nereid.benchmarks.torture.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;

final class RepeatedBytesTest {
  @Test
  void areTheSameUnpacked() throws IOException {
    var bytes = RepeatedBytes.of("[0", ",12", 100_000, "]");

    try (var unpacked = new GZIPInputStream(new ByteArrayInputStream(bytes.gzip()))) {
      assertThat(unpacked.readAllBytes()).isEqualTo(bytes.bytes());
    }
    assertThat(bytes.bytes())
        .asString()
        .hasSize((int) bytes.byteSize())
        .isEqualTo("[0" + ",12".repeat(100_000) + "]");
    assertThat(bytes.gzip()).hasSizeLessThan((int) (bytes.byteSize() / 300));
  }

  @Test
  void areAThousandTimesTheSizeOfTheirGzip() throws IOException {
    byte[] bomb = RepeatedBytes.zeros(5 << 20).gzip();

    assertThat(bomb).hasSizeLessThan((5 << 20) / 900);
    // Its reader checks the length and the sum at the end of the file.
    try (var unpacked = new GZIPInputStream(new ByteArrayInputStream(bomb))) {
      assertThat(unpacked.readAllBytes()).isEqualTo(new byte[5 << 20]);
    }
  }

  @Test
  void mayComeOnce() {
    assertThat(RepeatedBytes.once(new byte[] {1, 2}).bytes()).containsExactly(1, 2);
  }
}
