package io.nereid.engine.telemetry.trace.export;

import io.nereid.engine.plugin.PluginContext;
import io.nereid.engine.plugin.ProviderSearch;
import io.nereid.error.InferenceException;
import io.nereid.spi.trace.TraceExporter;
import io.nereid.spi.trace.TraceExporterProvider;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The exporters that this server finds, by their modes, in each folder of jars, then on the class
 * path. Of providers with one mode the first counts. Used by the thread that starts the server.
 */
public final class TraceExporters {
  private static final System.Logger LOG = System.getLogger(TraceExporters.class.getName());

  private final Path directory;
  private final Map<String, TraceExporterProvider> providers = new TreeMap<>();

  /** Why folders do not work, by name. */
  private final Map<String, Throwable> failures = new TreeMap<>();

  private TraceExporters(Path directory) {
    this.directory = directory;
    new ProviderSearch<>(TraceExporterProvider.class, "exporter", this::add, failures::put)
        .run(directory);
  }

  /**
   * Opens the exporter of a mode.
   *
   * @param directory of folders of jars; need not exist
   * @param options as the provider gets them
   * @param environment the environment variables of the process
   * @throws InferenceException UNAVAILABLE if there is none for the mode; INVALID_ARGUMENT if an
   *     option is not valid
   */
  public static TraceExporter open(
      Path directory,
      String mode,
      List<Map.Entry<String, String>> options,
      Map<String, String> environment) {
    return new TraceExporters(directory).open(mode, options, environment);
  }

  private void add(TraceExporterProvider provider, String where) {
    if (providers.putIfAbsent(provider.mode(), provider) != null) {
      LOG.log(Level.WARNING, "{0} of {1} is ignored: there is one already", provider.mode(), where);
    }
  }

  private TraceExporter open(
      String mode, List<Map.Entry<String, String>> options, Map<String, String> environment) {
    TraceExporterProvider provider = providers.get(mode);
    if (provider == null) {
      Throwable failure = failures.get(mode);
      throw failure == null ? missing(mode) : unusable(mode, failure);
    }
    try (var _ = new PluginContext(provider)) {
      return provider.open(options, environment);
    } catch (LinkageError broken) {
      throw unusable(mode, broken);
    }
  }

  private InferenceException missing(String mode) {
    return InferenceException.unavailable(
        "--trace-config=mode=%s: the folder '%s' is missing; it is an optional part of Nereid, see"
                .formatted(mode, directory.resolve(mode))
            + " \"Traces by OpenTelemetry\" in docs/observe.md");
  }

  private InferenceException unusable(String mode, Throwable cause) {
    return InferenceException.unavailable(
        "--trace-config=mode=%s: the jars in '%s' cannot be used: %s"
            .formatted(mode, directory.resolve(mode), cause));
  }
}
