package io.nereid.server.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.testing.LogCapture;
import io.nereid.server.grpc.limits.GrpcLimits;
import io.nereid.server.http.limits.ConnectionLimits;
import java.util.OptionalInt;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OpenFilesTest {
  private static final OptionalInt HALF = OptionalInt.empty();

  @ParameterizedTest
  @ValueSource(longs = {100, 200, 1_000, 20_000})
  void connectionsAndThoseThatAreRefusedLeaveFilesForAllElse(long free) {
    var files = new OpenFiles(free);
    long http = accepted(files.http(ConnectionLimits.DEFAULT, HALF));
    long metrics = accepted(files.metrics(HALF));

    assertThat(http + metrics + grpc(files, HALF).connections().max()).isLessThan(free * 9 / 10);
  }

  /** What Helidon accepts at most. */
  private static long accepted(ConnectionLimits limits) {
    return limits.maxConnections() + 2L * limits.refusedAtOnce();
  }

  private static GrpcLimits grpc(OpenFiles files, OptionalInt ofClient) {
    return files.grpc(GrpcLimits.DEFAULT, ofClient);
  }

  @Test
  void manyFilesLeaveTheLimitsAsTheyAre() {
    var files = new OpenFiles(1_000_000);
    assertThat(files.http(ConnectionLimits.DEFAULT, HALF)).isEqualTo(ConnectionLimits.DEFAULT);
    assertThat(grpc(new OpenFiles(Long.MAX_VALUE), HALF)).isEqualTo(GrpcLimits.DEFAULT);
    assertThat(files.metrics(HALF).maxConnections()).isEqualTo(1_000);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1_000_000})
  void oneConnectionMayBeAllThatIsWanted(long free) {
    var files = new OpenFiles(free);
    ConnectionLimits one = ConnectionLimits.DEFAULT.withMaxConnections(1, 1);

    assertThat(files.http(one, HALF).maxConnections()).isOne();
    assertThat(files.grpc(GrpcLimits.DEFAULT.withMaxConnections(1, 1), HALF).connections().max())
        .isOne();
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 100, 920, 20_000, 1_000_000})
  void oneClientHasHalfOfTheConnectionsOfEachListener(long free) {
    var files = new OpenFiles(free);
    ConnectionLimits http = files.http(ConnectionLimits.DEFAULT, HALF);
    ConnectionLimits metrics = files.metrics(HALF);
    GrpcLimits grpc = grpc(files, HALF);

    assertHalf(http.maxConnectionsPerClient(), http.maxConnections());
    assertHalf(metrics.maxConnectionsPerClient(), metrics.maxConnections());
    assertHalf(grpc.connections().maxOfClient(), grpc.connections().max());
  }

  private static void assertHalf(int ofClient, int all) {
    assertThat(ofClient).isEqualTo(Math.max(1, all / 2));
  }

  @Test
  void evenWithoutFilesOneClientDoesNotHaveAListener() {
    var files = new OpenFiles(0);
    try (var log = new LogCapture("io.nereid")) {
      assertThat(files.http(ConnectionLimits.DEFAULT, HALF).maxConnections()).isEqualTo(2);
      assertThat(log.records())
          .singleElement()
          .extracting(LogRecord::getLevel)
          .isEqualTo(Level.WARNING);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 134, 135, 136, 10_000})
  void whatIsStatedIsTakenAsItIsWithAWarningAboveHalf(int stated) {
    var files = new OpenFiles(929); // of which gRPC has 270
    try (var log = new LogCapture("io.nereid")) {
      GrpcLimits limits = grpc(files, OptionalInt.of(stated));

      assertThat(limits.connections().max()).isEqualTo(270);
      assertThat(limits.connections().maxOfClient()).isEqualTo(stated);
      assertThat(log.records().stream().filter(each -> each.getLevel().equals(Level.WARNING)))
          .hasSize(stated > 135 ? 1 : 0);
    }
  }
}
