package io.nereid.benchmarks.torture.attack.http;

import io.nereid.benchmarks.torture.attack.Attack;
import io.nereid.benchmarks.torture.attack.AttackOutcome;
import io.nereid.benchmarks.torture.attack.Crowd;
import io.nereid.benchmarks.torture.attack.Scene;
import io.nereid.benchmarks.torture.wire.RawConnection;
import io.nereid.benchmarks.torture.wire.Requests;
import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.concurrent.Callable;

/** Clients that send 10,000 requests before they read the first response. */
public final class PipelinedRequests implements Attack.Script {
  private static final int CONNECTIONS = 10;
  private static final int REQUESTS = 10_000;
  private static final Duration UNREAD = Duration.ofSeconds(5);
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  @Override
  public AttackOutcome run(Scene scene) throws InterruptedException {
    int requests = scene.scale().count(REQUESTS);
    Callable<Integer> client = () -> answered(scene, requests);
    int answers =
        Crowd.inParallel(Collections.nCopies(CONNECTIONS, client)).stream()
            .mapToInt(Integer::intValue)
            .sum();
    return AttackOutcome.of("%d of %d answered".formatted(answers, CONNECTIONS * requests))
        .require(answers == CONNECTIONS * requests, "not all pipelined requests were answered");
  }

  private static int answered(Scene scene, int requests) throws InterruptedException {
    byte[] request = Requests.simple("simple");
    int answers = 0;
    try (var connection = RawConnection.open(scene.target().http())) {
      Thread writer = Thread.ofVirtual().start(() -> connection.sendEach(requests, _ -> request));
      Thread.sleep(scene.scale().hold(UNREAD));
      while (answers < requests && connection.receive(TIMEOUT).isOk()) {
        answers++;
      }
      writer.interrupt();
      writer.join();
      return answers;
    } catch (IOException _) {
      return answers;
    }
  }
}
