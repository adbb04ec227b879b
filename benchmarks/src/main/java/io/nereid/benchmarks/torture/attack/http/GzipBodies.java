package io.nereid.benchmarks.torture.attack.http;

import io.nereid.benchmarks.torture.attack.Attack;
import io.nereid.benchmarks.torture.attack.AttackOutcome;
import io.nereid.benchmarks.torture.attack.Crowd;
import io.nereid.benchmarks.torture.attack.Scene;
import io.nereid.benchmarks.torture.wire.RepeatedBytes;
import io.nereid.benchmarks.torture.wire.Requests;
import io.nereid.benchmarks.torture.wire.SingleExchange;
import java.time.Duration;

/** Bodies of 1 MB that unpack to 1 GB. */
public final class GzipBodies implements Attack.Script {
  private static final int REQUESTS = 10;
  private static final long UNPACKED_BYTES = 1_000_000_000;
  private static final Duration TIMEOUT = Duration.ofMinutes(1);

  @Override
  public AttackOutcome run(Scene scene) throws InterruptedException {
    byte[] request =
        Requests.gzip(
            "identity_fp32", RepeatedBytes.zeros(scene.scale().bytes(UNPACKED_BYTES)).gzip());
    var answers =
        Crowd.counted(
            REQUESTS, () -> SingleExchange.summary(scene.target().http(), TIMEOUT, request));
    return AttackOutcome.of(answers.toString())
        .require(
            answers.keySet().stream().noneMatch(answer -> answer.startsWith("200")),
            "a bomb was answered");
  }
}
