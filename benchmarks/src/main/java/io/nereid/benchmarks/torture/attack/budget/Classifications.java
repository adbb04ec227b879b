package io.nereid.benchmarks.torture.attack.budget;

import io.nereid.benchmarks.torture.attack.Attack;
import io.nereid.benchmarks.torture.attack.AttackOutcome;
import io.nereid.benchmarks.torture.attack.Crowd;
import io.nereid.benchmarks.torture.attack.Scene;
import io.nereid.benchmarks.torture.wire.RawConnection;
import io.nereid.benchmarks.torture.wire.Requests;
import io.nereid.benchmarks.torture.wire.SingleExchange;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/**
 * Requests of 4 KB that have a million values sorted and returned as text. Another client's small
 * requests to the same model must be answered meanwhile.
 */
public final class Classifications implements Attack.Script {
  private static final int CLIENTS = 4;
  private static final int VALUES = 1_000_000;
  private static final Duration TIMEOUT = Duration.ofMinutes(1);
  private static final Duration MOST = Duration.ofSeconds(1);
  private static final Duration INTERVAL = Duration.ofMillis(50);

  @Override
  public AttackOutcome run(Scene scene)
      throws IOException, InterruptedException, ExecutionException {
    int values = scene.scale().count(VALUES);
    String json = Requests.binaryJson("FP32", values, "\"classification\":%d".formatted(values));
    byte[] request = Requests.gzipZeros("identity_fp32", json, values);
    var attack =
        new FutureTask<>(() ->
            Crowd.counted(
                CLIENTS, () -> SingleExchange.status(scene.target().http(), TIMEOUT, request)));
    Thread.ofVirtual().start(attack);
    long slowest = slowest(scene, attack);
    var answers = attack.get();
    return AttackOutcome.of(
            "%s; another client's request to the model took %d ms".formatted(answers, slowest))
        .require(
            answers.keySet().stream().allMatch(SingleExchange::isAnswer), "not all were answered")
        .require(
            slowest <= MOST.toMillis(),
            "a small request to the same model took %d ms".formatted(slowest));
  }

  /** The milliseconds of the slowest small request while the attack lasts. */
  private static long slowest(Scene scene, Future<?> attack)
      throws IOException, InterruptedException {
    byte[] request = Requests.identity(1);
    long slowest = 0;
    try (var connection =
        RawConnection.openFrom(scene.target().otherClient(), scene.target().http())) {
      do {
        long start = System.nanoTime();
        connection.send(request);
        var answer = connection.receive(TIMEOUT);
        if (!answer.isOk()) {
          throw new IOException("another client's request: " + answer.summary());
        }
        slowest = Math.max(slowest, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
        Thread.sleep(INTERVAL);
      } while (!attack.isDone());
    }
    return slowest;
  }
}
