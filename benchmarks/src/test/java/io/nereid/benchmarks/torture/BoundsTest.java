package io.nereid.benchmarks.torture;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.benchmarks.torture.AttackReport.Resident;
import io.nereid.benchmarks.torture.GoodRequests.Way;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class BoundsTest {
  private final Bounds bounds = new Bounds(100, 0.1, 0, 20);

  @Test
  void holdForAServerThatDoes() {
    assertThat(bounds.violations(Reports.of(Reports.SAME, 0, 20, "0"))).isEmpty();
  }

  @Test
  void addTheHighestDelayOfTheMachineToTheAllowedLatency() {
    var held = Map.of(Way.GRPC, Reports.millis(139), Way.MACHINE, Reports.millis(40));
    var late = Map.of(Way.GRPC, Reports.millis(150), Way.MACHINE, Reports.millis(40));

    assertThat(bounds.violations(Reports.of(Reports.fake(false), held))).isEmpty();
    assertThat(bounds.violations(Reports.of(Reports.fake(false), late)))
        .containsExactly("gRPC: a good request took 150 ms, allowed are 100 and the machine's 40");
  }

  @Test
  void allowRefusedConnectionsOnlyWhereAnAttackTakesAllRoom() {
    var refused = Map.of(Way.HTTP_NEW, Reports.failed("refused"));

    assertThat(bounds.violations(Reports.of(Reports.fake(true), refused))).isEmpty();
    assertThat(bounds.violations(Reports.of(Reports.fake(false), refused)))
        .containsExactly("HTTP, new connection: 1 of 1 good requests failed, the first: refused");
    assertThat(
            bounds.violations(
                Reports.of(Reports.fake(true), Map.of(Way.HTTP_KEPT, Reports.failed("closed")))))
        .hasSize(1);
  }

  @Test
  void allowWhatTheAttackMayTakeAndWhatTheHeapMayGrow() {
    var report = Reports.of(new Resident(500, 950, 500, 1), 0, 0, "0");

    assertThat(bounds.violations(report))
        .containsExactly("950 MiB were resident, before it were 500, and 400 more are allowed");
    assertThat(new Bounds(100, 0.1, 50, 20).violations(report)).isEmpty();
  }

  @Test
  void areBrokenByMemoryThatIsNotBackByLeasesByTheLogAndByTheExitStatus() {
    var report = Reports.of(new Resident(500, 900, 551, 60), 2, 21, "1");

    assertThat(bounds.violations(report))
        .containsExactly(
            "551 MiB are resident afterwards, before it were 500",
            "nereid_request_memory_bytes is 2097152",
            "2 leases are outstanding",
            "21 lines were logged",
            "SIGTERM: 1");
  }
}
