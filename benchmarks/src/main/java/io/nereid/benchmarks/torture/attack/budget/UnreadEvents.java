package io.nereid.benchmarks.torture.attack.budget;

import io.nereid.benchmarks.torture.attack.Attack;
import io.nereid.benchmarks.torture.attack.AttackOutcome;
import io.nereid.benchmarks.torture.attack.Crowd;
import io.nereid.benchmarks.torture.attack.Scene;
import io.nereid.benchmarks.torture.wire.Requests;
import java.io.IOException;
import java.time.Duration;

/** Clients that ask for an event of 1 MB and do not read it. */
public final class UnreadEvents implements Attack.Script {
  private static final int CONNECTIONS = 300;
  private static final int STRINGS = 250_000;
  private static final int RECEIVE_BYTES = 1 << 12;
  private static final Duration STAY = Duration.ofSeconds(20);

  @Override
  public AttackOutcome run(Scene scene) throws IOException, InterruptedException {
    int strings = scene.scale().count(STRINGS);
    byte[] request =
        Requests.postTo(
            "/v2/models/identity_bytes/generate_stream",
            "{\"INPUT0\":[\"\"%s]}".formatted(",\"a\"".repeat(strings)));
    int count = scene.scale().count(CONNECTIONS);
    try (var crowd = Crowd.open(scene.target().http(), count, request, RECEIVE_BYTES)) {
      Thread.sleep(scene.scale().hold(STAY));
      return AttackOutcome.of(
          "%d sent, of which %d were answered; %d refused"
              .formatted(crowd.size(), crowd.answered(), crowd.refused()));
    }
  }
}
