package io.nereid.benchmarks.torture.attack.budget;

import io.nereid.benchmarks.torture.attack.Attack;
import io.nereid.benchmarks.torture.attack.AttackOutcome;
import io.nereid.benchmarks.torture.attack.Crowd;
import io.nereid.benchmarks.torture.attack.Scene;
import io.nereid.benchmarks.torture.attack.grpc.RawCalls;
import io.nereid.benchmarks.torture.wire.Frames;
import io.nereid.benchmarks.torture.wire.RepeatedBytes;
import io.nereid.benchmarks.torture.wire.Requests;
import io.nereid.benchmarks.torture.wire.SingleExchange;
import java.time.Duration;

/** Gzip files of many empty members (RFC 1952, section 2.2), with a valid request behind them. */
public final class EmptyMembers implements Attack.Script {
  private static final int CLIENTS = 4;
  private static final int MEMBERS = 20_000;
  private static final Duration TIMEOUT = Duration.ofMinutes(1);

  @Override
  public AttackOutcome run(Scene scene) throws InterruptedException {
    byte[] none = new byte[0];
    byte[] members =
        new RepeatedBytes(none, gzip(none), scene.scale().count(MEMBERS), none).bytes();
    byte[] request =
        Requests.gzip(
            "simple", Frames.concatenated(members, gzip(Requests.bytes(Requests.simpleBody("")))));
    var http =
        Crowd.counted(
            CLIENTS, () -> SingleExchange.status(scene.target().http(), TIMEOUT, request));
    byte[] message =
        Frames.concatenated(members, gzip(Requests.grpcSimple("simple").toByteArray()));
    try (var calls = RawCalls.open(scene.target().grpc())) {
      var grpc = Crowd.counted(CLIENTS, () -> calls.answer("ModelInfer", message, true));
      return AttackOutcome.of("HTTP %s; gRPC %s".formatted(http, grpc))
          .require(http.keySet().stream().allMatch(SingleExchange::isAnswer), "HTTP: " + http)
          .require(grpc.keySet().stream().allMatch(RawCalls::isAnswer), "gRPC: " + grpc);
    }
  }

  private static byte[] gzip(byte[] content) {
    return RepeatedBytes.once(content).gzip();
  }
}
