package io.nereid.benchmarks.torture.attack.grpc;

import io.nereid.benchmarks.torture.attack.Attack;
import io.nereid.benchmarks.torture.attack.AttackOutcome;
import io.nereid.benchmarks.torture.attack.Crowd;
import io.nereid.benchmarks.torture.attack.Scene;
import io.nereid.benchmarks.torture.wire.Frames;
import io.nereid.benchmarks.torture.wire.RawConnection;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * Clients that send a message which unpacks to 60 MB and leave: before its end, and at moments
 * while it is read. What it took must be given back, which the campaign looks for.
 */
public final class LeavingClients implements Attack.Script {
  private static final int CLIENTS = 12;
  private static final int ROUNDS = 2;
  private static final int STEP_MILLIS = 20;

  @Override
  public AttackOutcome run(Scene scene) throws InterruptedException {
    byte[] message = HostileMessages.contents(scene.scale()).gzip();
    byte[] begin =
        Frames.begin(Frames.call(1, "ModelInfer", Frames.header("grpc-encoding", "gzip")));
    byte[] whole = Frames.concatenated(begin, Frames.message(1, message, true));
    byte[] half = Arrays.copyOf(whole, whole.length - message.length / 2);
    int left = 0;
    for (int round = 0; round < ROUNDS; round++) {
      List<Callable<Boolean>> clients = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        byte[] bytes = i % 2 == 0 ? whole : half;
        int stay = i * STEP_MILLIS;
        clients.add(() -> leaves(scene, bytes, stay));
      }
      left += Collections.frequency(Crowd.inParallel(clients), true);
    }
    return AttackOutcome.of("%d of %d clients have left".formatted(left, ROUNDS * CLIENTS));
  }

  /** Whether all could be sent before the client left. */
  private static boolean leaves(Scene scene, byte[] bytes, int stayMillis)
      throws InterruptedException {
    try (var connection = RawConnection.open(scene.target().grpc())) {
      connection.send(bytes);
      Thread.sleep(Math.min(stayMillis, scene.scale().hold().toMillis()));
      return true;
    } catch (IOException _) {
      return false;
    }
  }
}
