package io.nereid.benchmarks.torture.attack.process;

import io.nereid.benchmarks.torture.attack.Attack;
import io.nereid.benchmarks.torture.attack.AttackOutcome;
import io.nereid.benchmarks.torture.attack.Crowd;
import io.nereid.benchmarks.torture.attack.Scene;
import io.nereid.benchmarks.torture.server.Needs;
import io.nereid.benchmarks.torture.server.ServerThreads;
import io.nereid.benchmarks.torture.server.Target;
import io.nereid.benchmarks.torture.wire.Requests;
import io.nereid.benchmarks.torture.wire.SingleExchange;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/** Large documents to a server with a heap of 128 MiB, which must answer each. */
public final class SmallHeap implements Attack.Script {
  private static final int ELEMENTS = 5_000_000;
  private static final Duration TIMEOUT = Duration.ofMinutes(1);

  @Override
  public AttackOutcome run(Scene scene) throws IOException, InterruptedException {
    int elements = scene.scale().count(ELEMENTS);
    var requests =
        List.of(
            Requests.repeated("identity_fp32", "FP32", elements, "1.5"),
            Requests.repeated("identity_bytes", "BYTES", elements, "\"a\""),
            Requests.post(
                "identity_fp32",
                "{\"inputs\":[{\"name\":\"INPUT0\",\"shape\":[%s1]}]}"
                    .formatted("1,".repeat(2 * elements))),
            Requests.post("identity_fp32", "{\"id\":\"%s\"}".formatted("i".repeat(4 * elements))),
            Requests.postTo(
                "/v2/models/identity_bytes/generate",
                "{\"INPUT0\":[%s\"a\"]}".formatted("\"a\",".repeat(elements))));
    try (var server =
        scene
            .launcher()
            .orElseThrow()
            .withJavaOptions("-Xmx128m")
            .start("small-heap-2", Needs.NOTHING, List.of())) {
      Target target = server.awaitTarget();
      var threads = ServerThreads.afterWarmUp(target.pid());
      List<Callable<String>> clients = new ArrayList<>();
      for (byte[] request : requests) {
        clients.add(() -> SingleExchange.status(target.http(), TIMEOUT, request));
      }
      List<String> answers = Crowd.inParallel(clients);
      String good = SingleExchange.status(target.http(), TIMEOUT, Requests.simple("simple"));
      return new AttackOutcome(
              "%s; a small one afterwards: %s".formatted(answers, good),
              threads.missingFrom(ServerThreads.of(target.pid())))
          .require(answers.stream().allMatch(SingleExchange::isAnswer), "not all were answered")
          .require(good.equals("200"), "a small request afterwards: " + good);
    }
  }
}
