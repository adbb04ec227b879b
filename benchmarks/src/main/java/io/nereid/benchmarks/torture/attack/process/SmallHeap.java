package io.nereid.benchmarks.torture.attack.process;

import io.nereid.benchmarks.torture.attack.Attack;
import io.nereid.benchmarks.torture.attack.Crowd;
import io.nereid.benchmarks.torture.attack.Outcome;
import io.nereid.benchmarks.torture.attack.Scene;
import io.nereid.benchmarks.torture.server.Needs;
import io.nereid.benchmarks.torture.server.ServerThreads;
import io.nereid.benchmarks.torture.server.Target;
import io.nereid.benchmarks.torture.wire.Exchange;
import io.nereid.benchmarks.torture.wire.Requests;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** Large documents to a server with a heap of 128 MiB, which must answer each. */
public final class SmallHeap implements Attack {
  private static final int CLIENTS = 3;
  private static final int FLOATS = 5_000_000;
  private static final Duration TIMEOUT = Duration.ofMinutes(1);

  @Override
  public String name() {
    return "small-heap";
  }

  @Override
  public String summary() {
    return "three requests of 20 MB of JSON to a server with -Xmx128m";
  }

  @Override
  public boolean startsServers() {
    return true;
  }

  @Override
  public Outcome run(Scene scene) throws IOException, InterruptedException {
    int floats = scene.scale().count(FLOATS);
    byte[] request =
        Requests.post(
            "identity_fp32",
            "{\"inputs\":[{\"name\":\"INPUT0\",\"shape\":[%d],\"datatype\":\"FP32\",\"data\":[%s1.5]}]}"
                .formatted(floats, "1.5,".repeat(floats - 1)));
    try (var server =
        scene
            .launcher()
            .orElseThrow()
            .withJavaOptions("-Xmx128m")
            .start("small-heap-2", Needs.NOTHING, List.of())) {
      Target target = server.awaitTarget();
      var threads = ServerThreads.of(target.pid());
      var answers =
          Crowd.counted(CLIENTS, () -> Exchange.status(target.http(), TIMEOUT, request));
      String good = Exchange.status(target.http(), TIMEOUT, Requests.simple("simple"));
      return new Outcome(
              "%s; a small one afterwards: %s".formatted(answers, good),
              threads.missingFrom(ServerThreads.of(target.pid())))
          .require(
              answers.keySet().stream().allMatch(Exchange::isAnswer), "not all were answered")
          .require(good.equals("200"), "a small request afterwards: " + good);
    }
  }
}
