package io.nereid.server.http.console;

import io.nereid.server.codec.json.control.JsonBody;
import io.nereid.server.frontend.ServerIdentity;
import java.util.Optional;

/** A writer of what a page asks first: which server this is, and what its pages may do. */
final class ServerWriter {
  private ServerWriter() {}

  /**
   * The body.
   *
   * @param isLive whether the server could be initialized
   * @param obstacle why the server is not ready, if it is not
   */
  static byte[] write(
      ServerIdentity identity,
      ConsoleSettings settings,
      boolean isLive,
      Optional<String> obstacle) {
    return JsonBody.of(json ->
        json.beginObject()
            .name("name")
            .value(identity.name())
            .name("version")
            .value(identity.version())
            .name("control")
            .value(settings.control())
            .name("live")
            .value(isLive)
            .name("obstacle")
            .value(obstacle.orElse(""))
            .endObject());
  }
}
