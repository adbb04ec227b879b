package io.nereid.spi.trace;

import io.nereid.error.InferenceException;
import java.util.List;
import java.util.Map;

/**
 * A factory for the exporter of a trace mode, found by {@link java.util.ServiceLoader}. It needs a
 * public constructor without parameters, which must be cheap.
 */
public interface TraceExporterProvider {
  /** The value of {@code --trace-config=mode=<mode>} that asks for it. */
  String mode();

  /**
   * Opens the exporter. Does not wait for the place that traces are sent to.
   *
   * @param options of {@code --trace-config=<mode>,<name>=<value>}, in the order of the command
   *     line; a name may occur several times, and names that are not known are ignored
   * @param environment the environment variables of the process
   * @throws InferenceException INVALID_ARGUMENT if an option or a variable is not valid
   */
  TraceExporter open(List<Map.Entry<String, String>> options, Map<String, String> environment);
}
