package io.nereid.server.http.console;

import io.nereid.engine.model.config.ConfigSettings;
import io.nereid.engine.model.config.ModelConfigReader;
import io.nereid.engine.model.config.ModelDirectory;
import io.nereid.engine.model.lint.Finding;
import io.nereid.engine.model.lint.LintReport;
import io.nereid.engine.model.lint.LintSettings;
import io.nereid.engine.model.lint.RepositoryLint;
import io.nereid.error.InferenceException;
import io.nereid.server.codec.json.control.JsonBody;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The files behind configurations. Opens no backend, so no code of a model runs. Blocks while it
 * reads.
 *
 * @param repositories directories; those of object stores are left out
 * @param configs how configurations are read
 */
public record ModelSources(List<Path> repositories, ConfigSettings configs) {
  public ModelSources {
    repositories = List.copyOf(repositories);
  }

  /**
   * What is known of a model's file, in JSON: what the configuration has from it, and what lint
   * finds in it.
   *
   * @param model a name that the repository index has
   * @throws InferenceException NOT_FOUND if no directory has the model
   */
  byte[] describe(String model) {
    Path directory =
        repositories.stream()
            .map(repository -> repository.resolve(model))
            .filter(Files::isDirectory)
            .findFirst()
            .orElseThrow(() ->
                InferenceException.notFound(
                    "model '%s': no directory has it: it is in an object store, or was loaded from a request"
                        .formatted(model)));
    LintReport report =
        RepositoryLint.run(
            new LintSettings(Optional.empty(), configs, Optional.empty()), List.of(directory));
    return write(lines(directory), report);
  }

  private static byte[] write(Map<String, String> lines, LintReport report) {
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

  /**
   * Where the file states each field, such as {@code config.pbtxt, line 6}; empty if it cannot be
   * read, as lint says.
   */
  private Map<String, String> lines(Path directory) {
    Map<String, String> lines = new TreeMap<>();
    try {
      new ModelDirectory(directory)
          .configFile(configs.preferred())
          .ifPresent(file ->
              ModelConfigReader.parse(file)
                  .lines()
                  .forEach((path, line) ->
                      lines.put(path, "%s, line %s".formatted(file.getFileName(), line))));
    } catch (InferenceException unreadable) {
      return Map.of();
    }
    return lines;
  }
}
