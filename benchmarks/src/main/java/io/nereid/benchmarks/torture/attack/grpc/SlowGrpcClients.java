package io.nereid.benchmarks.torture.attack.grpc;

import io.nereid.benchmarks.torture.attack.Attack;
import io.nereid.benchmarks.torture.attack.AttackOutcome;
import io.nereid.benchmarks.torture.attack.Scene;
import io.nereid.benchmarks.torture.attack.SlowClients;
import io.nereid.benchmarks.torture.attack.SlowClients.Kind;
import io.nereid.benchmarks.torture.wire.Frames;
import java.util.Arrays;
import java.util.List;

/** Clients that send nothing, half a preface, half a frame, or half a message of 2 GB. */
public final class SlowGrpcClients implements Attack.Script {
  private static final int EACH = 100;
  private static final int PREFACE_HALF = 12;
  private static final byte[] HALF_MESSAGE = {0, 0x77, 0, 0, 0, 1};

  @Override
  public AttackOutcome run(Scene scene) throws InterruptedException {
    byte[] begin = Frames.begin();
    byte[] call = Frames.concatenated(begin, Frames.call(1, "ModelInfer"));
    byte[] half = Arrays.copyOf(call, call.length - 10);
    byte[] message = Frames.concatenated(call, Frames.frame(Frames.DATA, 0, 1, HALF_MESSAGE));
    return SlowClients.run(
        scene.target().grpc(),
        scene.scale(),
        EACH,
        List.of(
            Kind.waiting("silent", new byte[0]),
            Kind.waiting("half a preface", Arrays.copyOf(begin, PREFACE_HALF)),
            Kind.waiting("no call", begin),
            Kind.waiting("half a frame", half),
            Kind.waiting("half a message", message),
            Kind.trickling("slow frame", half, 'x')));
  }
}
