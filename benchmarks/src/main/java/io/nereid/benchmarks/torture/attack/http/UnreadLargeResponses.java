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

/** Clients that ask for large responses and do not read them. */
public final class UnreadLargeResponses implements Attack.Script {
  private static final int CONNECTIONS = 50;
  private static final int FLOATS = 2_000_000;
  private static final int RECEIVE_BYTES = 1 << 12;
  private static final Duration DRAIN = Duration.ofSeconds(10);

  @Override
  public AttackOutcome run(Scene scene) throws InterruptedException {
    byte[] request = Requests.identity(scene.scale().count(FLOATS));
    Callable<Boolean> client = () -> isCut(scene, request);
    int clients = scene.scale().count(CONNECTIONS);
    int cut = Collections.frequency(Crowd.inParallel(Collections.nCopies(clients, client)), true);
    return AttackOutcome.of(
        "%d of %d closed within %d s".formatted(cut, clients, scene.scale().hold().toSeconds()));
  }

  /** Whether the server gives up the response before it is read. */
  private static boolean isCut(Scene scene, byte[] request) throws InterruptedException {
    try (var connection = RawConnection.open(scene.target().http(), RECEIVE_BYTES)) {
      connection.send(request);
      Thread.sleep(scene.scale().hold());
      var _ = connection.receive(DRAIN);
      return false;
    } catch (IOException _) {
      return true;
    }
  }
}
