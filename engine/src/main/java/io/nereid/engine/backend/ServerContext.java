package io.nereid.engine.backend;

import io.nereid.spi.BackendContext;
import io.nereid.spi.TypedOptions;
import io.nereid.spi.metrics.BackendMetrics;
import io.nereid.spi.metrics.MetricStore;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What a backend of this server is opened with. */
record ServerContext(
    String name,
    TypedOptions options,
    Optional<Path> folder,
    System.Logger logger,
    BackendMetrics metrics)
    implements BackendContext {
  private static final System.Logger LOG = System.getLogger(ServerContext.class.getName());

  /** The loggers of backends are below; so they have the level of the server's own. */
  private static final String LOGGERS = "io.nereid.backend.";

  /**
   * @param metrics of all backends
   */
  static ServerContext of(
      String name, Map<String, String> options, Optional<Path> folder, MetricStore metrics) {
    System.Logger logger = System.getLogger(LOGGERS + name);
    return new ServerContext(
        name,
        TypedOptions.of("backend '%s'".formatted(name), options),
        folder,
        logger,
        metrics.of(name, logger));
  }

  /**
   * Warns of options that the backend has not read, since it has no use for them.
   *
   * @param keys of the options that are set for this backend; others are for all backends
   */
  void warnOfUnread(Collection<String> keys) {
    Set<String> unread = options.unread();
    unread.retainAll(keys);
    if (!unread.isEmpty()) {
      LOG.log(
          Level.WARNING,
          "backend ''{0}'' has opened without reading its options {1}: are the keys right?",
          name,
          unread);
    }
  }
}
