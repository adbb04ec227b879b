package io.nereid.benchmarks.torture.attack.share;

import io.nereid.benchmarks.torture.attack.Attack;
import io.nereid.benchmarks.torture.attack.AttackOutcome;
import io.nereid.benchmarks.torture.attack.Crowd;
import io.nereid.benchmarks.torture.attack.Scene;
import io.nereid.benchmarks.torture.server.TortureModels;
import io.nereid.benchmarks.torture.wire.HttpAnswer;
import io.nereid.benchmarks.torture.wire.RawConnection;
import io.nereid.benchmarks.torture.wire.Requests;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * A client that begins more sequences than a model has slots for, and ends none. The sequence of
 * another client must be served, or refused by a sentence.
 */
public final class NeverEndedSequences implements Attack.Script {
  private static final int CONNECTIONS = 8;
  private static final int SEQUENCES = 89_000;
  private static final Duration TIMEOUT = Duration.ofSeconds(3);

  @Override
  public AttackOutcome run(Scene scene) throws InterruptedException {
    int each = Math.max(1, scene.scale().count(SEQUENCES) / CONNECTIONS);
    List<Callable<Integer>> clients = new ArrayList<>();
    for (int i = 0; i < CONNECTIONS; i++) {
      int first = 1 + i * each;
      clients.add(() -> begun(scene, first, each));
    }
    int begun = Crowd.inParallel(clients).stream().mapToInt(Integer::intValue).sum();
    String other = other(scene);
    return AttackOutcome.of(
            "%d of %d begun; another client's: %s".formatted(begun, CONNECTIONS * each, other))
        .require(!other.startsWith("no answer"), "another client's sequence got " + other);
  }

  /** Begins {@code count} sequences on a connection; returns how many the server has begun. */
  private static int begun(Scene scene, int first, int count) throws InterruptedException {
    int begun = 0;
    try (var connection = RawConnection.open(scene.target().http())) {
      Thread writer =
          Thread.ofVirtual().start(() -> connection.sendEach(count, i -> begin(first + i)));
      try {
        for (int i = 0; i < count; i++) {
          begun += connection.receive(TIMEOUT).isOk() ? 1 : 0;
        }
      } catch (IOException _) {
        // the rest waits for slots
      }
      writer.interrupt();
      writer.join();
    } catch (IOException _) {
      // the server does not take the connection
    }
    return begun;
  }

  private static byte[] begin(int id) {
    return Requests.post(
        TortureModels.SEQUENCE,
        Requests.simpleBody(
            "\"parameters\":{\"sequence_id\":%d,\"sequence_start\":true},".formatted(id)));
  }

  private static String other(Scene scene) {
    try (var connection =
        RawConnection.openFrom(scene.target().otherClient(), scene.target().http())) {
      connection.send(begin(Integer.MAX_VALUE));
      HttpAnswer answer = connection.receive(TIMEOUT);
      return answer.isOk() ? "200" : answer.summary();
    } catch (IOException e) {
      return "no answer within %d s (%s)".formatted(TIMEOUT.toSeconds(), e.getMessage());
    }
  }
}
