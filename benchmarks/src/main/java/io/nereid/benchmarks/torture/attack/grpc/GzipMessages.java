package io.nereid.benchmarks.torture.attack.grpc;

import io.nereid.benchmarks.torture.attack.Attack;
import io.nereid.benchmarks.torture.attack.Crowd;
import io.nereid.benchmarks.torture.attack.Outcome;
import io.nereid.benchmarks.torture.attack.Scene;
import io.nereid.benchmarks.torture.wire.GzipBomb;

/**
 * Messages that unpack to a thousand times their size.
 *
 * @param unpackedBytes to what each message unpacks
 */
public record GzipMessages(String name, int messages, long unpackedBytes) implements Attack {
  @Override
  public String summary() {
    return "%d gzip messages of %d MB that unpack to %d GB"
        .formatted(messages, unpackedBytes / 1_000_000_000, unpackedBytes / 1_000_000_000);
  }

  @Override
  public Outcome run(Scene scene) throws InterruptedException {
    byte[] message = GzipBomb.of(scene.scale().bytes(unpackedBytes));
    try (var calls = RawCalls.open(scene.target().grpc())) {
      return Outcome.of(
          Crowd.counted(messages, () -> calls.answer("ModelInfer", message, true)).toString());
    }
  }
}
