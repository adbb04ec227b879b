package io.nereid.server.http.console;

import io.nereid.engine.model.lint.Finding;
import io.nereid.engine.model.lint.LintReport;
import io.nereid.server.codec.json.control.JsonBody;
import java.util.Locale;
import java.util.Map;

/** A writer of what a model's configuration has from its file, and of what lint finds in it. */
final class ConfigurationWriter {
  private ConfigurationWriter() {}

  /**
   * The body.
   *
   * @param lines of the fields that the file states, by path
   */
  static byte[] write(Map<String, Integer> lines, LintReport report) {
    return JsonBody.of(json -> {
      json.beginObject().name("lines").beginObject();
      for (var line : lines.entrySet()) {
        json.name(line.getKey()).value(line.getValue());
      }
      json.endObject().name("findings").beginArray();
      for (Finding finding : report.findings()) {
        json.beginObject().name("severity");
        json.value(finding.severity().name().toLowerCase(Locale.ROOT));
        json.name("file").value(String.valueOf(finding.file().getFileName()));
        json.name("position").value(finding.position().map(Object::toString).orElse(""));
        json.name("line").value(finding.line());
        json.name("field").value(finding.field());
        json.name("message").value(finding.message()).endObject();
      }
      json.endArray().endObject();
    });
  }
}
