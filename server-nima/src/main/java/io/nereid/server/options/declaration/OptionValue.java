package io.nereid.server.options.declaration;

import io.nereid.server.frontend.ShownOption;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.OptionSpec;

/**
 * An option of an {@link OptionGroup}, and its value once a command line is parsed.
 *
 * @param <T> type of the value
 */
public final class OptionValue<T> {
  private final OptionSpec.Builder declaration;
  private final String shownDefault;
  private boolean isSecret;
  private @Nullable OptionSpec spec;

  /**
   * @param shownDefault the default in the help; empty for none
   */
  OptionValue(OptionSpec.Builder declaration, String shownDefault) {
    this.declaration = declaration;
    this.shownDefault = shownDefault;
  }

  /** Sets what the help says; the default is added, unless the text has one. */
  public OptionValue<T> help(String text) {
    boolean isWhole = shownDefault.isEmpty() || text.contains("Default:");
    declaration.description(isWhole ? text : text + " Default: " + shownDefault + ".");
    return this;
  }

  /** States that what follows the first {@code =} of a value is not to be shown. */
  public OptionValue<T> secret() {
    isSecret = true;
    return this;
  }

  /** The option as the console shows it, once a command line is parsed. */
  ShownOption shown(String topic) {
    OptionSpec declared = Objects.requireNonNull(spec, "not declared");
    List<String> given = declared.originalStringValues();
    List<String> values = given;
    if (given.isEmpty()) {
      values = shownDefault.isEmpty() ? List.of() : List.of(shownDefault);
    } else if (!declared.isMultiValue()) {
      values = List.of(given.getLast());
    }
    return new ShownOption(
        topic,
        declared.longestName(),
        values.stream().map(value -> SecretMask.masked(value, isSecret)).toList(),
        !given.isEmpty(),
        String.join(" ", declared.description()));
  }

  OptionSpec spec() {
    spec = declaration.build();
    return spec;
  }

  /** The value of an option that has a default. */
  public T get() {
    return given().orElseThrow();
  }

  /** The value; empty if the option is not given and has no default. */
  public Optional<T> given() {
    return Optional.ofNullable(Objects.requireNonNull(spec, "not declared").getValue());
  }
}
