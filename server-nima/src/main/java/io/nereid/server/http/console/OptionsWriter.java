package io.nereid.server.http.console;

import io.nereid.server.codec.json.control.JsonBody;
import io.nereid.server.frontend.ShownOption;
import java.util.List;

/** A writer of the server's options with their values, and where these come from. */
final class OptionsWriter {
  private OptionsWriter() {}

  /** The body: an array with an object for each option. */
  static byte[] write(List<ShownOption> options) {
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
}
