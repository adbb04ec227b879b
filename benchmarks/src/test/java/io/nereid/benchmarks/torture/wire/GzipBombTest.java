package io.nereid.benchmarks.torture.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;

final class GzipBombTest {
  private static final int MEBIBYTE = 1 << 20;

  @Test
  void unpacksToZerosAThousandTimesItsSize() throws Exception {
    byte[] bomb = GzipBomb.of(5L * MEBIBYTE);

    assertThat(bomb).hasSizeLessThan(5 * MEBIBYTE / 900);
    // Its reader checks the length and the sum at the end of the file.
    try (var unpacked = new GZIPInputStream(new ByteArrayInputStream(bomb))) {
      assertThat(unpacked.readAllBytes()).isEqualTo(new byte[5 * MEBIBYTE]);
    }
  }
}
