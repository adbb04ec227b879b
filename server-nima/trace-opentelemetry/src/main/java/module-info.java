import org.jspecify.annotations.NullMarked;

/** Traces by OpenTelemetry. It exports nothing; the server finds its provider. */
@NullMarked
module io.nereid.trace.opentelemetry {
  requires io.nereid.api;
  requires io.opentelemetry.api;
  requires io.opentelemetry.context;
  requires io.opentelemetry.exporter.otlp;
  requires io.opentelemetry.sdk.common;
  requires io.opentelemetry.sdk.metrics;
  requires io.opentelemetry.sdk.trace;
  requires static org.jspecify;

  provides io.nereid.spi.trace.TraceExporterProvider with
      io.nereid.opentelemetry.OpenTelemetryProvider;
}
