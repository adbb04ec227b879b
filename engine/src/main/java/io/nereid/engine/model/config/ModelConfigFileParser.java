package io.nereid.engine.model.config;

import io.nereid.config.ModelConfig;
import io.nereid.config.ModelConfigParser;
import io.nereid.engine.model.config.conversion.ModelConfigRecords;
import io.nereid.engine.model.config.text.ConfigText;
import io.nereid.engine.model.config.text.ConfigTextReader;
import io.nereid.engine.model.config.text.TextPosition;
import io.nereid.engine.model.config.text.TextProblem;
import io.nereid.engine.model.config.validation.ConfigProblems;
import io.nereid.error.InferenceException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The reader of configurations for programs that test a backend without a server. */
public final class ModelConfigFileParser implements ModelConfigParser {
  private final ModelConfigReader reader = new ModelConfigReader(ConfigSettings.DEFAULT);

  @Override
  public ModelConfig parse(Path modelDirectory) {
    var directory = new ModelDirectory(modelDirectory.toAbsolutePath());
    return ModelConfigRecords.record(reader.read(directory).message());
  }

  @Override
  public ModelConfig parse(Path modelDirectory, String text, String source) {
    ConfigText read = ConfigTextReader.read(text.getBytes(StandardCharsets.UTF_8));
    refuse(
        source,
        read.problems().stream()
            .filter(TextProblem::fails)
            .map(each -> at(each.position(), each.message())));
    var problems = new ConfigProblems();
    var directory = new ModelDirectory(modelDirectory.toAbsolutePath());
    var checked = reader.check(read.message(), directory, problems);
    refuse(
        source,
        problems.all().stream()
            .map(
                each -> at(read.position(each.path()).orElse(TextPosition.START), each.message())));
    return ModelConfigRecords.record(checked);
  }

  private static String at(TextPosition position, String message) {
    return "%s: %s".formatted(position, message);
  }

  private static void refuse(String source, Stream<String> problems) {
    List<String> all = problems.toList();
    if (!all.isEmpty()) {
      throw InferenceException.invalid(source + ", " + String.join("; ", all));
    }
  }
}
