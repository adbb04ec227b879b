package io.nereid.benchmarks.torture.attack.http;

import io.nereid.benchmarks.torture.attack.Attack;
import io.nereid.benchmarks.torture.attack.AttackOutcome;
import io.nereid.benchmarks.torture.attack.Crowd;
import io.nereid.benchmarks.torture.attack.Scene;
import io.nereid.benchmarks.torture.wire.Requests;
import io.nereid.benchmarks.torture.wire.SingleExchange;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Connections that announce large bodies and send one byte of them. Requests of other sizes must be
 * answered afterwards.
 *
 * @param byteSize what each connection announces
 * @param stay how long they stay
 */
public record AnnouncedBodies(int connections, long byteSize, Duration stay)
    implements Attack.Script {
  private static final int[] FLOATS = {16, 1024, 150_528, 1_000_000};
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final int GONE_CHECKS = 20;
  private static final int GONE_MILLIS = 50;

  @Override
  public AttackOutcome run(Scene scene) throws IOException, InterruptedException {
    String head =
        Requests.inferHead(
            "identity_fp32", "Content-Length: " + byteSize, "Inference-Header-Content-Length: 0");
    int closed;
    int refused;
    try (var crowd =
        Crowd.open(
            scene.target().http(), scene.scale().count(connections), Requests.bytes(head + "x"))) {
      refused = crowd.refused();
      closed = crowd.closedWithin(scene.scale().hold(stay));
    }
    List<String> statuses = new ArrayList<>();
    for (int floats : FLOATS) {
      statuses.add(status(scene, floats));
    }
    return AttackOutcome.of(
            "%d refused, %d closed; then %s"
                .formatted(refused, closed, String.join(", ", statuses)))
        .require(
            statuses.stream().allMatch("200"::equals),
            "requests of other sizes fail afterwards: " + statuses);
  }

  /** The status of a request, once the server has seen that the crowd's connections are gone. */
  private static String status(Scene scene, int floats) throws InterruptedException {
    String status = statusNow(scene, floats);
    for (int i = 0; i < GONE_CHECKS && status.startsWith("429"); i++) {
      Thread.sleep(GONE_MILLIS);
      status = statusNow(scene, floats);
    }
    return status;
  }

  private static String statusNow(Scene scene, int floats) {
    byte[] request = Requests.identity(floats);
    String answer = SingleExchange.summary(scene.target().http(), TIMEOUT, request);
    return answer.startsWith("200") ? "200" : answer;
  }
}
