package io.nereid.server.codec;

import io.nereid.engine.request.DecodedRequest;
import io.nereid.error.InferenceException;
import io.nereid.request.Parameter;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/**
 * Which header fields of a request become parameters of it, with the received spelling of their
 * names (Triton, docs/protocol/extension_parameters.md). Immutable.
 */
public final class HeaderForwarding {
  /** Forwards nothing. */
  public static final HeaderForwarding NONE = new HeaderForwarding(null);

  /** Parameters with a meaning of their own, which no field may stand for. */
  private static final Set<String> RESERVED =
      Set.of(
          "sequence_id",
          "sequence_start",
          "sequence_end",
          "priority",
          "timeout",
          "headers",
          "binary_data_output");

  private final @Nullable Pattern pattern;

  private HeaderForwarding(@Nullable Pattern pattern) {
    this.pattern = pattern;
  }

  /**
   * Forwards the fields in whose names a pattern is found.
   *
   * @param pattern matches in any letter case, unless it begins with {@code (?-i)}; empty for none
   * @throws PatternSyntaxException if it is no regular expression
   */
  public static HeaderForwarding of(String pattern) {
    return pattern.isEmpty() ? NONE : new HeaderForwarding(Pattern.compile("(?i)" + pattern));
  }

  /** Whether nothing is forwarded, so that the fields need not be read. */
  public boolean isOff() {
    return pattern == null;
  }

  /** The fields that are forwarded, as parameters. Of a name that occurs twice the last counts. */
  public final class Parameters {
    private final Map<String, Parameter> parameters = new HashMap<>();

    /**
     * Adds a field, if it is forwarded.
     *
     * @throws InferenceException INVALID_ARGUMENT if its name is reserved
     */
    public void add(String name, String value) {
      if (pattern == null || !pattern.matcher(name).find()) {
        return;
      }
      if (RESERVED.contains(name) || name.startsWith("triton_")) {
        throw InferenceException.invalid(
            "Header '%s' is reserved for Triton usage and cannot be forwarded.".formatted(name));
      }
      parameters.put(name, new Parameter.OfString(value));
    }

    /** Adds all that are forwarded to a request; they replace parameters of the same name. */
    public void addTo(DecodedRequest request) {
      if (!parameters.isEmpty()) {
        request.addParameters(parameters);
      }
    }
  }

  /** Begins with the fields of one request. */
  public Parameters parameters() {
    return new Parameters();
  }
}
