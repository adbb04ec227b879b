package io.nereid.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.server.http.limits.ConnectionLimits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OpenFilesTest {
  @ParameterizedTest
  @ValueSource(longs = {100, 200, 1_000, 20_000})
  void connectionsAndThoseThatAreRefusedLeaveFilesForAllElse(long free) {
    var files = new OpenFiles(free);
    long http = accepted(files.http(10_000));
    long metrics = accepted(files.metrics(1_000));

    assertThat(http + metrics + files.grpc(10_000)).isLessThan(free * 9 / 10);
  }

  /** What Helidon accepts at most, for a limit of connections. */
  private static long accepted(int limit) {
    ConnectionLimits limits = ConnectionLimits.DEFAULT.withMaxConnections(limit);
    return limits.maxConnections() + 2L * limits.refusedAtOnce();
  }

  @Test
  void manyFilesLeaveTheLimitsAsTheyAre() {
    assertThat(new OpenFiles(1_000_000).http(10_000)).isEqualTo(10_000);
    assertThat(new OpenFiles(Long.MAX_VALUE).grpc(10_000)).isEqualTo(10_000);
  }
}
