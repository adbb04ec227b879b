package io.nereid.junit;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.client.NereidClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Servers that are processes, of a distribution whose class path is that of this test. */
@Timeout(120)
class DistributionTest {
  private static final String DISTRIBUTION = "target/distribution";

  @BeforeEach
  void distribution() throws IOException {
    Path program = Path.of(DISTRIBUTION, "bin/nereid").toAbsolutePath();
    Files.createDirectories(program.getParent());
    String classPath =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    Files.writeString(
        program,
        """
        #!/bin/sh
        echo $$ >'%s'
        exec '%s' --enable-native-access=ALL-UNNAMED -cp '%s' io.nereid.server.Main "$@"
        """
            .formatted(id(), Path.of(System.getProperty("java.home"), "bin/java"), classPath));
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.deleteIfExists(id());
  }

  private static Path id() {
    return Path.of(DISTRIBUTION, "process").toAbsolutePath();
  }

  private static long process() {
    try {
      return Long.parseLong(Files.readString(id()).strip());
    } catch (IOException unreadable) {
      throw new AssertionError(unreadable);
    }
  }

  @NereidTest(
      repository = "../examples/models",
      options = {"model-control-mode=explicit", "load-model=simple"},
      distribution = DISTRIBUTION)
  static class Served {
    @Test
    void byAProcess(NereidClient rest, @OverGrpc NereidClient grpc, ServerAddresses addresses) {
      assertThat(rest.models().isReady("simple")).isTrue();
      assertThat(grpc.models().isReady("simple")).isTrue();
      assertThat(addresses.metricsPort()).isPresent();
      assertThat(ProcessHandle.of(process())).isPresent();
    }

    @Test
    void andAFailureShowsItsLog() {
      throw new AssertionError("on purpose");
    }
  }

  @NereidTest(
      repository = "../examples/models",
      options = {"model-control-mode=explicit", "load-model=absent"},
      distribution = DISTRIBUTION)
  static class NotStarted {
    @Test
    void isNotReached() {}
  }

  @Test
  void aProcessServesTheTestsAndEndsWithThem() {
    TestRun run = TestRun.of(Served.class);

    assertThat(run.failure()).isEqualTo("on purpose");
    assertThat(run.errors()).contains("Started HTTPService at 127.0.0.1:");
    assertThat(ProcessHandle.of(process())).isEmpty();
  }

  @Test
  void aProcessThatEndsShowsItsLogAndItsStatus() {
    TestRun run = TestRun.of(NotStarted.class);

    assertThat(run.failure())
        .contains(
            "did not start: its process has ended with status 1: 1 of 1 models did not load: absent"
                + " (");
    assertThat(run.errors()).contains("The log of the server of [", "absent");
    assertThat(run.errors()).doesNotContain("in this JVM");
  }
}
