package io.nereid.benchmarks.torture.attack.process;

import io.nereid.benchmarks.torture.attack.Attack;
import io.nereid.benchmarks.torture.attack.AttackOutcome;
import io.nereid.benchmarks.torture.attack.Scene;
import io.nereid.benchmarks.torture.wire.SingleExchange;
import java.io.IOException;
import java.net.InetSocketAddress;

/** A load with as many instances as a model may have, beside other clients' requests. */
public final class ManyInstances implements Attack.Script {
  private static final String MODEL = "identity_fp32";
  private static final int INSTANCES = 1_000;

  @Override
  public AttackOutcome run(Scene scene) throws IOException {
    InetSocketAddress http = scene.target().http();
    int instances = scene.scale().count(INSTANCES);
    String before = LoadRequest.config(http, MODEL);
    String config = before.replaceFirst("\"count\":\\d+", "\"count\":%d".formatted(instances));
    String answer = new LoadRequest("instances", MODEL, config, "").answer(http);
    String restored = LoadRequest.restore(http, MODEL, before);
    return AttackOutcome.of("%d instances: %s; then %s".formatted(instances, answer, restored))
        .require(SingleExchange.isAnswer(answer), "the load: " + answer)
        .require(restored.startsWith("200"), "the load afterwards: " + restored);
  }
}
