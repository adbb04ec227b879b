package io.nereid.server.telemetry.trace;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

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
   */
  record Files(String path) implements TraceDestination {
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
    public OpenTelemetry {
      options = List.copyOf(options);
    }

    @Override
    public String mode() {
      return "opentelemetry";
    }

    /** Of several values of one name, all, separated by commas. */
    @Override
    public Map<String, String> shown() {
      Map<String, String> shown = new LinkedHashMap<>();
      options.forEach(option ->
          shown.merge(option.getKey(), option.getValue(), (first, next) -> first + "," + next));
      return shown;
    }
  }
}
