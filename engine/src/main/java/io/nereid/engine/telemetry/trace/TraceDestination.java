package io.nereid.engine.telemetry.trace;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Where traces go, by the mode that the server was started with. */
public sealed interface TraceDestination {
  /** Triton's name of the mode. */
  String mode();

  /** The settings of this mode alone that clients see, by name. */
  Map<String, String> shown();

  /**
   * Files in Triton's format.
   *
   * @param path of the file; empty if there is none
   * @param maxBytes of all files together
   * @param maxFiles those with a number
   * @param maxElements of a tensor; the others are not traced
   */
  record Files(String path, long maxBytes, int maxFiles, int maxElements)
      implements TraceDestination {
    public static final long DEFAULT_MAX_BYTES = 1L << 30;
    public static final int DEFAULT_MAX_FILES = 1000;
    public static final int DEFAULT_MAX_ELEMENTS = 1000;

    /** Files with the limits that are the default. */
    public Files(String path) {
      this(path, DEFAULT_MAX_BYTES, DEFAULT_MAX_FILES, DEFAULT_MAX_ELEMENTS);
    }

    @Override
    public String mode() {
      return "triton";
    }

    @Override
    public Map<String, String> shown() {
      return Map.of(); // the file has a member of its own
    }
  }

  /**
   * An exporter, which is an optional part of the server. Requests with the context of a client's
   * trace are always traced, and tensors never.
   *
   * @param options by name, in the order of the command line; a name may occur several times
   */
  record OpenTelemetry(List<Map.Entry<String, String>> options) implements TraceDestination {
    private static final Pattern USER = Pattern.compile("://[^/?#]*@");

    public OpenTelemetry {
      options = List.copyOf(options);
    }

    @Override
    public String mode() {
      return "opentelemetry";
    }

    /**
     * Of several values of one name, all, separated by commas. An address is without the user and
     * the password that it may have.
     */
    @Override
    public Map<String, String> shown() {
      Map<String, String> shown = new LinkedHashMap<>();
      options.forEach(option ->
          shown.merge(
              option.getKey(),
              USER.matcher(option.getValue()).replaceAll("://"),
              (first, next) -> first + "," + next));
      return shown;
    }
  }
}
