package io.nereid.benchmarks.torture.attack.process;

import io.nereid.benchmarks.torture.attack.Attack;
import io.nereid.benchmarks.torture.attack.AttackOutcome;
import io.nereid.benchmarks.torture.attack.Crowd;
import io.nereid.benchmarks.torture.attack.Scene;
import io.nereid.benchmarks.torture.server.Needs;
import io.nereid.benchmarks.torture.wire.Requests;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;

/**
 * SIGTERM while large responses are written to clients that keep their connections and do not read.
 */
public final class UnreadStop implements Attack.Script {
  private static final int CONNECTIONS = 20;
  private static final int FLOATS = 2_000_000;
  private static final int RECEIVE_BYTES = 1 << 12;
  private static final Duration WRITING = Duration.ofSeconds(2);
  private static final Duration MOST = Duration.ofSeconds(15);

  @Override
  public AttackOutcome run(Scene scene) throws IOException, InterruptedException {
    byte[] request = Requests.identity(scene.scale().count(FLOATS));
    int count = scene.scale().count(CONNECTIONS);
    try (var server =
            scene.launcher().orElseThrow().start("stop-unread-2", Needs.NOTHING, List.of());
        var _ = Crowd.open(server.awaitTarget().http(), count, request, RECEIVE_BYTES)) {
      Thread.sleep(scene.scale().hold(WRITING));
      long signal = System.nanoTime();
      server.terminate();
      OptionalInt status = server.awaitExit(MOST);
      long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - signal);
      return AttackOutcome.of(
              status.isPresent()
                  ? "exit status %d after %d ms".formatted(status.getAsInt(), millis)
                  : "runs on after %d ms".formatted(millis))
          .require(
              status.orElse(1) == 0,
              "the server does not end with status 0 within %d s".formatted(MOST.toSeconds()));
    }
  }
}
