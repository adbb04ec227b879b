package io.nereid.benchmarks.torture.attack.process;

import io.nereid.benchmarks.torture.attack.Attack;
import io.nereid.benchmarks.torture.attack.AttackOutcome;
import io.nereid.benchmarks.torture.attack.Scene;
import io.nereid.benchmarks.torture.server.Needs;
import io.nereid.benchmarks.torture.server.ServerLauncher;
import io.nereid.benchmarks.torture.server.Target;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;

/** A second server on each port of the first. It must exit with status 1 and name the address. */
public final class TakenPorts implements Attack.Script {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  @Override
  public AttackOutcome run(Scene scene) throws IOException, InterruptedException {
    ServerLauncher launcher = scene.launcher().orElseThrow();
    List<String> answers = new ArrayList<>();
    List<String> violations = new ArrayList<>();
    for (var taken : ports(scene.target()).entrySet()) {
      String name = taken.getKey();
      int port = taken.getValue();
      try (var second =
          launcher.start("taken-" + name, Needs.NOTHING, List.of("--" + name + "-port=" + port))) {
        OptionalInt status = second.awaitExit(LIMIT);
        answers.add(name + " " + (status.isPresent() ? status.getAsInt() : "runs on"));
        boolean named =
            second.log().stream()
                .anyMatch(line ->
                    line.contains(Integer.toString(port))
                        && line.toLowerCase(Locale.ROOT).contains("in use"));
        if (status.orElse(0) != 1) {
          violations.add("with a taken %s port the server does not exit with 1".formatted(name));
        } else if (!named) {
          violations.add("the log does not say that the %s port is in use".formatted(name));
        }
      }
    }
    return new AttackOutcome("exit status: " + String.join(", ", answers), violations);
  }

  private static Map<String, Integer> ports(Target target) {
    var ports = new LinkedHashMap<String, Integer>();
    ports.put("http", target.http().getPort());
    ports.put("grpc", target.grpc().getPort());
    target.metrics().map(InetSocketAddress::getPort).ifPresent(port -> ports.put("metrics", port));
    return ports;
  }
}
