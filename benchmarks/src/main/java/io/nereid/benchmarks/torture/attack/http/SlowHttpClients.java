package io.nereid.benchmarks.torture.attack.http;

import io.nereid.benchmarks.torture.attack.Attack;
import io.nereid.benchmarks.torture.attack.AttackOutcome;
import io.nereid.benchmarks.torture.attack.Scene;
import io.nereid.benchmarks.torture.attack.SlowClients;
import io.nereid.benchmarks.torture.attack.SlowClients.Kind;
import io.nereid.benchmarks.torture.wire.Requests;
import java.util.List;

/** Clients that send nothing, half a request, or a byte a second. */
public final class SlowHttpClients implements Attack.Script {
  private static final int EACH = 100;

  @Override
  public AttackOutcome run(Scene scene) throws InterruptedException {
    String head = Requests.inferHead("identity_fp32", "Content-Length: 100000");
    String half = head.substring(0, head.length() - 8);
    return SlowClients.run(
        scene.target().http(),
        scene.scale(),
        EACH,
        List.of(
            Kind.waiting("silent", new byte[0]),
            Kind.waiting("half a head", Requests.bytes(half)),
            Kind.waiting("half a body", Requests.bytes(head + "{")),
            Kind.trickling("slow head", Requests.bytes(half), '0'),
            Kind.trickling("slow body", Requests.bytes(head), ' ')));
  }
}
