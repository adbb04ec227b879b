package io.nereid.benchmarks.torture.attack.http;

import io.nereid.benchmarks.torture.attack.Attack;
import io.nereid.benchmarks.torture.attack.AttackOutcome;
import io.nereid.benchmarks.torture.attack.Scene;
import io.nereid.benchmarks.torture.wire.RawConnection;
import io.nereid.benchmarks.torture.wire.Requests;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Clients of HTTP/1.0, and such that read to the end of the connection. */
public final class ClosingClients implements Attack.Script {
  private static final Duration TIMEOUT = Duration.ofSeconds(5);
  private static final Duration CLOSE = Duration.ofSeconds(1);

  @Override
  public AttackOutcome run(Scene scene) {
    InetSocketAddress http = scene.target().http();
    String close = request("Connection: close");
    String old = request().replace("HTTP/1.1", "HTTP/1.0");
    String oldKept = request("Connection: keep-alive").replace("HTTP/1.1", "HTTP/1.0");
    List<String> failures = new ArrayList<>();
    require(failures, "Connection: close", answers(http, close, 1, true));
    require(failures, "a request behind Connection: close", answers(http, close + close, 1, true));
    require(failures, "HTTP/1.0", answers(http, old, 1, true));
    require(failures, "HTTP/1.0 with keep-alive", answers(http, oldKept + oldKept, 2, false));
    scene
        .target()
        .metrics()
        .ifPresent(metrics ->
            require(
                failures,
                "metrics over HTTP/1.0",
                answers(metrics, "GET /metrics HTTP/1.0\r\n\r\n", 1, true)));
    return new AttackOutcome(
        failures.isEmpty() ? "as RFC 9112 says" : failures.size() + " kinds of client hang or fail",
        failures);
  }

  private static String request(String... headers) {
    return new String(Requests.simple("simple", headers), StandardCharsets.ISO_8859_1);
  }

  private static void require(List<String> failures, String what, String failure) {
    if (!failure.isEmpty()) {
      failures.add(what + ": " + failure);
    }
  }

  /** What is wrong with the answers to {@code requests}; empty if nothing is. */
  private static String answers(InetSocketAddress server, String requests, int count, boolean end) {
    try (var connection = RawConnection.open(server)) {
      connection.send(requests);
      for (int i = 0; i < count; i++) {
        var answer = connection.receive(TIMEOUT);
        if (!answer.isOk()) {
          return "status " + answer.summary();
        }
      }
      return end && !connection.isClosedSilentlyWithin(CLOSE)
          ? "the connection stays open, or another answer follows"
          : "";
    } catch (IOException e) {
      return String.valueOf(e.getMessage());
    }
  }
}
