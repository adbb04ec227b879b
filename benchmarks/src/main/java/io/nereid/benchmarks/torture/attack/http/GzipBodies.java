package io.nereid.benchmarks.torture.attack.http;

import io.nereid.benchmarks.torture.attack.Attack;
import io.nereid.benchmarks.torture.attack.Crowd;
import io.nereid.benchmarks.torture.attack.Outcome;
import io.nereid.benchmarks.torture.attack.Scene;
import io.nereid.benchmarks.torture.wire.GzipBomb;
import io.nereid.benchmarks.torture.wire.RawConnection;
import io.nereid.benchmarks.torture.wire.Requests;
import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.TreeMap;
import java.util.concurrent.Callable;

/** Bodies of 1 MB that unpack to 1 GB. */
public final class GzipBodies implements Attack {
  private static final int REQUESTS = 10;
  private static final long UNPACKED_BYTES = 1_000_000_000;
  private static final Duration TIMEOUT = Duration.ofMinutes(1);

  @Override
  public String name() {
    return "http-gzip";
  }

  @Override
  public String summary() {
    return "10 gzip bodies of 1 MB that unpack to 1 GB";
  }

  @Override
  public Outcome run(Scene scene) throws InterruptedException {
    byte[] body = GzipBomb.of(scene.scale().bytes(UNPACKED_BYTES));
    String head =
        Requests.inferHead(
            "identity_fp32", "Content-Length: " + body.length, "Content-Encoding: gzip");
    Callable<String> request = () -> answer(scene, head, body);
    var answers = new TreeMap<String, Integer>();
    for (String answer : Crowd.inParallel(Collections.nCopies(REQUESTS, request))) {
      answers.merge(answer, 1, Integer::sum);
    }
    return Outcome.of(answers.toString())
        .require(
            answers.keySet().stream().noneMatch(answer -> answer.startsWith("200")),
            "a bomb was answered");
  }

  private static String answer(Scene scene, String head, byte[] body) {
    try (var connection = RawConnection.open(scene.target().http())) {
      connection.send(head);
      try {
        connection.send(body);
      } catch (IOException _) {
        // refused before its end; the answer says why
      }
      return connection.receive(TIMEOUT).summary();
    } catch (IOException e) {
      return "closed (%s)".formatted(e.getMessage());
    }
  }
}
