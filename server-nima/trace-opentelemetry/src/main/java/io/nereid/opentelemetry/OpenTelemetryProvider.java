package io.nereid.opentelemetry;

import io.nereid.spi.trace.TraceExporter;
import io.nereid.spi.trace.TraceExporterProvider;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporterBuilder;
import java.util.List;
import java.util.Map;

/** Opens the exporter of the mode {@code opentelemetry}, which sends to a collector. */
public final class OpenTelemetryProvider implements TraceExporterProvider {
  @Override
  public String mode() {
    return "opentelemetry";
  }

  @Override
  public TraceExporter open(
      List<Map.Entry<String, String>> options, Map<String, String> environment) {
    ExporterSettings settings = ExporterSettings.of(options, environment);
    OtlpHttpSpanExporterBuilder sender = OtlpHttpSpanExporter.builder().setEndpoint(settings.url());
    settings.headers().forEach(sender::addHeader);
    return new OpenTelemetryExporter(sender.build(), settings);
  }
}
