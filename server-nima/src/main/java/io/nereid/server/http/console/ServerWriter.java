package io.nereid.server.http.console;

import io.nereid.server.codec.json.control.JsonBody;
import io.nereid.server.frontend.ServerIdentity;
import io.nereid.server.frontend.ShownOption;
import io.nereid.server.telemetry.logging.LogTail;
import java.util.List;
import java.util.Optional;

/** A writer of what pages show of the server itself. */
final class ServerWriter {
  private ServerWriter() {}

  /**
   * What a page asks first: which server this is, and what its pages may do.
   *
   * @param isLive whether the server could be initialized
   * @param obstacle why the server is not ready, if it is not
   */
  static byte[] identity(
      ServerIdentity identity,
      ConsoleSettings settings,
      boolean isLive,
      Optional<String> obstacle) {
    return JsonBody.of(json -> {
      json.beginObject().name("name").value(identity.name());
      json.name("version").value(identity.version());
      json.name("control").value(settings.control());
      json.name("live").value(isLive);
      json.name("obstacle").value(obstacle.orElse("")).endObject();
    });
  }

  /** The options with their values, and where these come from: an array with an object for each. */
  static byte[] options(List<ShownOption> options) {
    return JsonBody.of(json -> {
      json.beginArray();
      for (ShownOption option : options) {
        json.beginObject().name("topic").value(option.topic());
        json.name("name").value(option.name());
        json.name("given").value(option.isGiven());
        json.name("values").beginArray();
        for (String value : option.values()) {
          json.value(value);
        }
        json.endArray().name("help").value(option.help()).endObject();
      }
      json.endArray();
    });
  }

  /** The last lines of the log: an array with an object for each. */
  static byte[] log(List<LogTail.Line> lines) {
    return JsonBody.of(json -> {
      json.beginArray();
      for (LogTail.Line line : lines) {
        json.beginObject().name("number").value(line.number());
        json.name("level").value(line.level());
        json.name("text").value(line.text()).endObject();
      }
      json.endArray();
    });
  }
}
