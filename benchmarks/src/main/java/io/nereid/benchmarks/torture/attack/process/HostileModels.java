package io.nereid.benchmarks.torture.attack.process;

import io.nereid.benchmarks.torture.attack.Attack;
import io.nereid.benchmarks.torture.attack.AttackOutcome;
import io.nereid.benchmarks.torture.attack.Scene;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/** Load requests with configurations and files that a client should not be able to choose. */
public final class HostileModels implements Attack.Script {
  @Override
  public AttackOutcome run(Scene scene) throws IOException {
    InetSocketAddress http = scene.target().http();
    String config = LoadRequest.config(http, "simple");
    String outside = "../".repeat(12) + "etc/hostname";
    List<String> answers = new ArrayList<>();
    List<String> violations = new ArrayList<>();
    for (var request :
        List.of(
            new LoadRequest("a model file outside", "simple", withFile(config, outside), ""),
            new LoadRequest(
                "a file outside", "simple", config, "\"file:%s\":\"AAAA\"".formatted(outside)),
            new LoadRequest("a model outside", "..%2F..%2Fsimple", config, ""),
            new LoadRequest(
                "2147483647 instances",
                "simple",
                config.replaceFirst("\"count\":\\d+", "\"count\":2147483647"),
                ""))) {
      String answer = request.answer(http);
      answers.add(request.name() + ": " + answer);
      if (!LoadRequest.isRefusal(answer)) {
        violations.add(request.name() + ": " + answer);
      }
    }
    return new AttackOutcome(String.join("; ", answers), violations);
  }

  private static String withFile(String config, String file) {
    return config.contains("\"default_model_filename\"")
        ? config.replaceFirst(
            "\"default_model_filename\":\"[^\"]*\"", "\"default_model_filename\":\"" + file + "\"")
        : config.replaceFirst("\\{", "{\"default_model_filename\":\"" + file + "\",");
  }
}
