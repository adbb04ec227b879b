package io.nereid.engine.model.config.validation;

import io.nereid.engine.model.config.text.ConfigText;
import io.nereid.engine.model.config.text.FieldPath;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Where a configuration comes from: a file, or else a load request or the server's defaults.
 *
 * @param file present if {@code text} is
 */
public record ConfigSource(Optional<Path> file, Optional<ConfigText> text) {
  public static final ConfigSource NO_FILE = new ConfigSource(Optional.empty(), Optional.empty());

  public static ConfigSource of(Path file, ConfigText text) {
    return new ConfigSource(Optional.of(file), Optional.of(text));
  }

  /**
   * A blank and {@code (config.pbtxt:12:3, input[0].dims)}, without the position if no field on the
   * path is set; empty without a file or a field.
   */
  String where(FieldPath path) {
    return text.filter(_ -> !path.equals(FieldPath.ROOT))
        .map(known ->
            " (%s%s, %s)"
                .formatted(
                    file.map(Path::getFileName).map(Path::toString).orElse(""),
                    known.position(path).map(":%s"::formatted).orElse(""),
                    path))
        .orElse("");
  }
}
