package io.nereid.server.http.console;

import io.nereid.server.codec.json.control.JsonBody;
import io.nereid.server.telemetry.logging.LogTail;
import java.util.List;

/** A writer of the last lines of the log. */
final class LogWriter {
  private LogWriter() {}

  /** The body: an array with an object for each line. */
  static byte[] write(List<LogTail.Line> lines) {
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
