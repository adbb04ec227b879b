package io.nereid.benchmarks.torture.attack.process;

import io.nereid.benchmarks.torture.attack.Attack;
import io.nereid.benchmarks.torture.attack.Outcome;
import io.nereid.benchmarks.torture.attack.Scene;
import io.nereid.benchmarks.torture.wire.HttpAnswer;
import io.nereid.benchmarks.torture.wire.RawConnection;
import io.nereid.benchmarks.torture.wire.Requests;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Load requests with configurations and files that a client should not be able to choose. */
public final class HostileModels implements Attack {
  private static final Duration TIMEOUT = Duration.ofSeconds(20);
  private static final int OK = 200;

  @Override
  public String name() {
    return "hostile-models";
  }

  @Override
  public String summary() {
    return "2,147,483,647 instances; files outside of the repository";
  }

  @Override
  public Outcome run(Scene scene) throws IOException {
    InetSocketAddress http = scene.target().http();
    String config =
        exchange(http, "GET /v2/models/simple/config HTTP/1.1\r\nHost: localhost\r\n\r\n").body();
    String outside = "../".repeat(12) + "etc/hostname";
    List<String> answers = new ArrayList<>();
    List<String> violations = new ArrayList<>();
    for (var request :
        List.of(
            new Load("a model file outside", "simple", withFile(config, outside), ""),
            new Load("a file outside", "simple", config, "file:" + outside),
            new Load("a model outside", "..%2F..%2Fsimple", config, ""),
            new Load(
                "2147483647 instances",
                "simple",
                config.replaceFirst("\"count\":\\d+", "\"count\":2147483647"),
                ""))) {
      String answer = answer(http, request);
      answers.add(request.name() + ": " + answer);
      if (answer.startsWith(Integer.toString(OK)) || answer.startsWith("no answer")) {
        violations.add(request.name() + ": " + answer);
      }
    }
    return new Outcome(String.join("; ", answers), violations);
  }

  /** A request to load {@code model} with a configuration and perhaps a file. */
  private record Load(String name, String model, String config, String file) {
    byte[] bytes() {
      String more = file.isEmpty() ? "" : ",\"%s\":\"AAAA\"".formatted(file);
      String body = "{\"parameters\":{\"config\":%s%s}}".formatted(quoted(config), more);
      return Requests.bytes(
          "POST /v2/repository/models/%s/load HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s"
              .formatted(model, body.length(), body));
    }
  }

  private static String withFile(String config, String file) {
    return config.contains("\"default_model_filename\"")
        ? config.replaceFirst(
            "\"default_model_filename\":\"[^\"]*\"", "\"default_model_filename\":\"" + file + "\"")
        : config.replaceFirst("\\{", "{\"default_model_filename\":\"" + file + "\",");
  }

  private static String quoted(String json) {
    return '"' + json.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }

  private static String answer(InetSocketAddress http, Load request) {
    try (var connection = RawConnection.open(http)) {
      connection.send(request.bytes());
      return connection.receive(TIMEOUT).summary();
    } catch (IOException e) {
      return "no answer (%s)".formatted(e.getMessage());
    }
  }

  private static HttpAnswer exchange(InetSocketAddress http, String request) throws IOException {
    try (var connection = RawConnection.open(http)) {
      connection.send(request);
      return connection.receive(TIMEOUT);
    }
  }
}
