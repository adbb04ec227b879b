package io.nereid.engine.model;

import io.nereid.error.InferenceException;
import java.io.File;
import java.util.Arrays;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Failures as clients see them: with names in the model's directory where the log has paths of this
 * machine. A path is recognised by its first name, which is one in the root directory, since names
 * of tensors often begin with a slash too.
 */
public final class ClientText {
  /** A path in quotes, which may have blanks, or one up to the next blank or bracket. */
  private static final Pattern PATH =
      Pattern.compile("(?<=')/(?!/)[^'\\n]*(?=')|(?<![\\w./~-])/(?!/)[^\\s'\"<>()\\[\\],;]*");

  private static final Set<String> ROOTS =
      Stream.ofNullable(File.listRoots())
          .flatMap(Arrays::stream)
          .flatMap(root -> Stream.ofNullable(root.list()))
          .flatMap(Arrays::stream)
          .collect(Collectors.toUnmodifiableSet());

  private ClientText() {}

  /** The text without paths of this machine. */
  public static String of(String model, String text) {
    Function<MatchResult, String> name = match -> name(model, match.group());
    return text.indexOf('/') < 0
        ? text
        : PATH.matcher(text).replaceAll(name.andThen(Matcher::quoteReplacement));
  }

  /** The failure with that text. */
  public static InferenceException of(String model, InferenceException failure) {
    String message = failure.getMessage();
    String shown = of(model, message);
    return shown.equals(message) ? failure : new InferenceException(failure.code(), shown, failure);
  }

  private static String name(String model, String path) {
    int end = path.indexOf('/', 1);
    if (!ROOTS.contains(end < 0 ? path.substring(1) : path.substring(1, end))) {
      return path;
    }
    int inside = model.isEmpty() ? -1 : path.indexOf("/" + model + "/");
    return inside < 0
        ? path.substring(path.lastIndexOf('/', path.length() - 2) + 1)
        : path.substring(inside + model.length() + 2);
  }
}
