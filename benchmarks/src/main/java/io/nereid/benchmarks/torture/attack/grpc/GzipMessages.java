package io.nereid.benchmarks.torture.attack.grpc;

import io.nereid.benchmarks.torture.attack.Attack;
import io.nereid.benchmarks.torture.attack.AttackOutcome;
import io.nereid.benchmarks.torture.attack.Crowd;
import io.nereid.benchmarks.torture.attack.Scene;
import io.nereid.benchmarks.torture.wire.RepeatedBytes;

/**
 * Messages that unpack to a thousand times their size.
 *
 * @param unpackedBytes to what each message unpacks
 */
public record GzipMessages(int messages, long unpackedBytes) implements Attack.Script {
  @Override
  public AttackOutcome run(Scene scene) throws InterruptedException {
    byte[] message = RepeatedBytes.zeros(scene.scale().bytes(unpackedBytes)).gzip();
    try (var calls = RawCalls.open(scene.target().grpc())) {
      return AttackOutcome.of(
          Crowd.counted(messages, () -> calls.answer("ModelInfer", message, true)).toString());
    }
  }
}
