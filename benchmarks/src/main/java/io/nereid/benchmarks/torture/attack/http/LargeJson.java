package io.nereid.benchmarks.torture.attack.http;

import io.nereid.benchmarks.torture.attack.Attack;
import io.nereid.benchmarks.torture.attack.AttackOutcome;
import io.nereid.benchmarks.torture.attack.Crowd;
import io.nereid.benchmarks.torture.attack.Scene;
import io.nereid.benchmarks.torture.wire.Requests;
import io.nereid.benchmarks.torture.wire.SingleExchange;
import java.time.Duration;

/** Valid requests whose numbers in JSON take much time to read, and their responses to write. */
public final class LargeJson implements Attack.Script {
  private static final int CONNECTIONS = 8;
  private static final int FLOATS = 4_000_000;
  private static final Duration TIMEOUT = Duration.ofMinutes(1);

  @Override
  public AttackOutcome run(Scene scene) throws InterruptedException {
    int floats = scene.scale().count(FLOATS);
    byte[] request = Requests.repeated("identity_fp32", "FP32", floats, "1.5");
    var answers =
        Crowd.counted(
            CONNECTIONS, () -> SingleExchange.status(scene.target().http(), TIMEOUT, request));
    return AttackOutcome.of(answers.toString())
        .require(
            answers.keySet().stream().allMatch(SingleExchange::isAnswer),
            "a connection was closed without an answer");
  }
}
