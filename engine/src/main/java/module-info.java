import org.jspecify.annotations.NullMarked;

/**
 * Models served in a process. What a program uses is in {@code io.nereid.engine}; the other exports
 * have the types of its methods.
 */
@NullMarked
module io.nereid.engine {
  requires transitive io.nereid.api;
  requires io.nereid.protocol;
  requires com.lmax.disruptor;
  requires java.management;
  requires jdk.jfr;
  requires jdk.management;
  requires static org.jspecify;
  requires static org.slf4j; // of plug-ins

  exports io.nereid.engine;
  exports io.nereid.engine.execution.ratelimit;
  exports io.nereid.engine.model.control;
  exports io.nereid.engine.telemetry.statistics;
  exports io.nereid.engine.telemetry.statistics.latency;

  uses io.nereid.spi.BackendProvider;
  uses io.nereid.spi.cache.CacheProvider;
  uses io.nereid.spi.repository.ObjectStoreProvider;
  uses io.nereid.spi.trace.TraceExporterProvider;

  provides io.nereid.config.ModelConfigParser with
      io.nereid.engine.model.config.ModelConfigFileParser;
  provides io.nereid.spi.cache.CacheProvider with
      io.nereid.engine.cache.LocalCacheProvider;
}
