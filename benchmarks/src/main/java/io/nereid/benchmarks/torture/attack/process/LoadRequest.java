package io.nereid.benchmarks.torture.attack.process;

import io.nereid.benchmarks.torture.wire.RawConnection;
import io.nereid.benchmarks.torture.wire.Requests;
import io.nereid.benchmarks.torture.wire.SingleExchange;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;

/**
 * A request to load a model with a configuration and perhaps a file.
 *
 * @param name what it tries, for a table
 * @param file its path and its base64, as members of a JSON object; empty without one
 */
record LoadRequest(String name, String model, String config, String file) {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  /** The configuration of a model that is loaded. */
  static String config(InetSocketAddress http, String model) throws IOException {
    try (var connection = RawConnection.open(http)) {
      connection.send(Requests.get("/v2/models/" + model + "/config"));
      return connection.receive(TIMEOUT).body();
    }
  }

  /**
   * Has the model loaded again with the configuration that it had before. A load without one would
   * keep the last that was sent, until a file of the model is newer.
   */
  static String restore(InetSocketAddress http, String model, String config) {
    return new LoadRequest("restore", model, config, "").answer(http);
  }

  /** Sends it, and returns the answer for a table. */
  String answer(InetSocketAddress http) {
    String more = file.isEmpty() ? "" : "," + file;
    String body = "{\"parameters\":{\"config\":%s%s}}".formatted(quoted(config), more);
    return SingleExchange.summary(
        http, TIMEOUT, Requests.postTo("/v2/repository/models/" + model + "/load", body));
  }

  static boolean isRefusal(String answer) {
    return SingleExchange.isAnswer(answer) && !answer.startsWith("2");
  }

  private static String quoted(String json) {
    return '"' + json.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }
}
