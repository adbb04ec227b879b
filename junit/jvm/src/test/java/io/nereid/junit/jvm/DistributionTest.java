package io.nereid.junit.jvm;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.client.NereidClient;
import io.nereid.junit.NereidTest;
import io.nereid.junit.OverGrpc;
import io.nereid.junit.ServerAddresses;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Servers that are processes, of a distribution whose class path is that of this test. */
@Timeout(120)
class DistributionTest {
  private static final String DISTRIBUTION = "target/distribution";

  @BeforeEach
  void distribution() throws IOException {
    var _ = TestDistribution.in(Path.of(DISTRIBUTION));
  }

  private static long process() {
    return new TestDistribution(Path.of(DISTRIBUTION).toAbsolutePath()).process();
  }

  @NereidTest(
      repository = "../../examples/models",
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
      repository = "../../examples/models",
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
