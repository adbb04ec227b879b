package io.nereid.benchmarks.torture.wire;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class FramesTest {
  @Test
  void aFrameBeginsWithItsLengthTypeFlagsAndStream() {
    assertThat(Frames.frame(Frames.DATA, Frames.END_STREAM, 0x0102, new byte[] {7, 8}))
        .containsExactly(0, 0, 2, 0, 1, 0, 0, 1, 2, 7, 8);
    assertThat(Frames.frame(Frames.CONTINUATION, 0, 1, new byte[0x4000]))
        .startsWith(0, 0x40, 0, 9)
        .hasSize(0x4000 + Frames.HEAD_BYTES);
  }

  @Test
  void settingsArePairsOfAnIdentifierAndAValue() {
    assertThat(Frames.settings(Frames.INITIAL_WINDOW_SIZE, 0x10000))
        .containsExactly(0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 4, 0, 1, 0, 0);
  }

  @Test
  void headersAreLiteralsWithLengthsOfSevenBits() {
    assertThat(Frames.header("te", "x")).containsExactly(0, 2, 't', 'e', 1, 'x');
    assertThat(Frames.indexedHeader("a", "b")).startsWith(0x40);
    // RFC 7541, section 5.1: 127, then the rest in groups of seven bits, the lowest first.
    assertThat(Frames.header("a", "b".repeat(1337))).startsWith(0, 1, 'a', 127, 0xba, 9);
  }
}
