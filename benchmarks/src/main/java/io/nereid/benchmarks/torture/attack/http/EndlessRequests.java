package io.nereid.benchmarks.torture.attack.http;

import io.nereid.benchmarks.torture.attack.Attack;
import io.nereid.benchmarks.torture.attack.AttackOutcome;
import io.nereid.benchmarks.torture.attack.Scene;
import io.nereid.benchmarks.torture.wire.RawConnection;
import io.nereid.benchmarks.torture.wire.Requests;
import java.io.IOException;
import java.time.Duration;
import java.util.Locale;

/**
 * A request that goes on until the server refuses it.
 *
 * @param begin what is sent first
 * @param repeated what is sent again and again
 * @param byteSize how much is sent at most
 * @param allowed what a server may read before it refuses, with what the sockets hold
 */
public record EndlessRequests(String begin, String repeated, long byteSize, long allowed)
    implements Attack.Script {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final int PIECE_BYTES = 1 << 16;
  private static final double MEGA = 1e6;

  @Override
  public AttackOutcome run(Scene scene) throws IOException {
    byte[] piece = Requests.bytes(repeated.repeat(Math.max(1, PIECE_BYTES / repeated.length())));
    long limit = scene.scale().bytes(byteSize);
    long sent = 0;
    String answer;
    try (var connection = RawConnection.open(scene.target().http())) {
      try {
        connection.send(begin);
        while (sent < limit && !connection.hasAnswer()) {
          connection.send(piece);
          sent += piece.length;
        }
        answer = sent < limit ? connection.receive(TIMEOUT).summary() : "no refusal";
      } catch (IOException e) {
        answer = "closed (%s)".formatted(e.getMessage());
      }
    }
    return AttackOutcome.of(String.format(Locale.ROOT, "%s after %.1f MB", answer, sent / MEGA))
        .require(
            sent <= allowed,
            String.format(Locale.ROOT, "%.1f MB were accepted of an endless request", sent / MEGA));
  }
}
