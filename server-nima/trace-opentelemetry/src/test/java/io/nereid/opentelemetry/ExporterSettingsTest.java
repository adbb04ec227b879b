package io.nereid.opentelemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.error.InferenceException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Options and variables. Sources: Triton, user_guide/trace.md, "OpenTelemetry trace APIs settings";
 * OpenTelemetry, "Environment variable specification" and "OTLP exporter".
 */
class ExporterSettingsTest {
  private static ExporterSettings of(Map<String, String> environment, String... options) {
    return ExporterSettings.of(
        List.of(options).stream()
            .map(option -> option.split("=", 2))
            .map(option -> Map.entry(option[0], option[1]))
            .toList(),
        environment);
  }

  @Test
  void thereIsADefaultForEverything() {
    assertThat(of(Map.of()))
        .isEqualTo(
            new ExporterSettings(
                "http://localhost:4318/v1/traces",
                Map.of(),
                Map.of("service.name", "triton-inference-server"),
                2048,
                Duration.ofSeconds(5),
                512));
  }

  @Test
  void optionsAreTritons() {
    ExporterSettings settings =
        of(
            Map.of(),
            "url=collector:4318/v1/traces",
            "resource=service.name=a",
            "resource=service.version=b=c",
            "bsp_max_queue_size=10",
            "bsp_schedule_delay=20",
            "bsp_max_export_batch_size=5",
            "unknown=ignored");

    assertThat(settings)
        .isEqualTo(
            new ExporterSettings(
                "http://collector:4318/v1/traces",
                Map.of(),
                Map.of("service.name", "a", "service.version", "b=c"),
                10,
                Duration.ofMillis(20),
                5));
  }

  @Test
  void variablesCountWhereThereIsNoOption() {
    ExporterSettings settings =
        of(
            Map.of(
                "OTEL_EXPORTER_OTLP_ENDPOINT", "https://c:1/",
                "OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20x, tenant=a+b",
                "OTEL_RESOURCE_ATTRIBUTES", "service.name=a,zone=b",
                "OTEL_SERVICE_NAME", "c"),
            "resource=zone=d");

    assertThat(settings.url()).isEqualTo("https://c:1/v1/traces");
    assertThat(settings.headers()).isEqualTo(Map.of("authorization", "Bearer x", "tenant", "a+b"));
    assertThat(settings.resource()).isEqualTo(Map.of("service.name", "c", "zone", "d"));
    assertThat(of(Map.of("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://t/x")).url())
        .isEqualTo("http://t/x");
  }

  /** Whose value is a secret, and the message goes to a log. */
  @ParameterizedTest
  @ValueSource(strings = {"tenant=a,Bearer secret", "tenant=a,authorization=secret%zz"})
  void aMalformedHeaderIsRefusedWithoutItsText(String headers) {
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> of(Map.of("OTEL_EXPORTER_OTLP_HEADERS", headers)))
        .withMessageStartingWith("OTEL_EXPORTER_OTLP_HEADERS: header 2 ")
        .withMessageNotContaining("secret");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "url=ftp://c|--trace-config=opentelemetry,url: 'ftp://c' is no URL of a collector, such as"
            + " http://localhost:4318/v1/traces",
        "url=http://|--trace-config=opentelemetry,url: 'http://' is no URL of a collector, such as"
            + " http://localhost:4318/v1/traces",
        "resource=x|--trace-config=opentelemetry,resource: 'x' should be <key>=<value>",
        "bsp_schedule_delay=0|--trace-config=opentelemetry: bsp_max_queue_size,"
            + " bsp_max_export_batch_size and bsp_schedule_delay must be positive",
        "bsp_max_queue_size=511|--trace-config=opentelemetry: bsp_max_export_batch_size (512) must"
            + " not be greater than bsp_max_queue_size (511)"
      })
  void whatCannotBeIsRefused(String option, String text) {
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> of(Map.of(), option))
        .withMessage(text);
  }
}
