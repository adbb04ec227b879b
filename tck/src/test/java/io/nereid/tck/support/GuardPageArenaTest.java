package io.nereid.tck.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class GuardPageArenaTest {
  @BeforeEach
  void needsMmap() {
    assumeThat(GuardPageArena.isSupported()).isTrue();
  }

  @Test
  void allocatesMemoryThatIsWritableToItsLastByte() {
    try (var arena = new GuardPageArena()) {
      for (long byteSize : new long[] {0, 1, 4096, 65536, 65537}) {
        var segment = arena.allocate(byteSize);
        segment.fill((byte) 7);
        assertThat(segment.byteSize()).isEqualTo(byteSize);
      }
    }
  }

  @Test
  void endsAProcessThatReadsBehindIt() throws Exception {
    assertThat(exitStatusOfReading(11)).isZero();
    assertThat(exitStatusOfReading(12)).isNotZero();
  }

  private static int exitStatusOfReading(int offset) throws Exception {
    var process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:-CreateCoredumpOnCrash",
                "-XX:ErrorFile=/dev/null",
                "-cp",
                System.getProperty("java.class.path"),
                Reader.class.getName(),
                Integer.toString(offset))
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return process.exitValue();
  }

  /** Reads a byte of twelve as native code would: by address, without bounds. */
  static final class Reader {
    public static void main(String[] arguments) {
      try (var arena = new GuardPageArena()) {
        var unbounded = arena.allocate(12).reinterpret(1 << 16);
        System.exit(unbounded.get(ValueLayout.JAVA_BYTE, Long.parseLong(arguments[0])));
      }
    }
  }
}
