import org.jspecify.annotations.NullMarked;

/**
 * The API that backends, response caches, object stores and exporters of traces implement and use.
 * It depends on {@code java.base} only.
 */
@NullMarked
module io.nereid.api {
  requires static org.jspecify;

  exports io.nereid.config;
  exports io.nereid.error;
  exports io.nereid.request;
  exports io.nereid.spi;
  exports io.nereid.spi.cache;
  exports io.nereid.spi.metrics;
  exports io.nereid.spi.repository;
  exports io.nereid.spi.trace;
  exports io.nereid.tensor;

  uses io.nereid.config.ModelConfigParser;
  uses io.nereid.spi.BackendProvider;
  uses io.nereid.spi.cache.CacheProvider;
  uses io.nereid.spi.repository.ObjectStoreProvider;
  uses io.nereid.spi.trace.TraceExporterProvider;
}
