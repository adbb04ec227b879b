package io.nereid.opentelemetry;

import io.nereid.error.InferenceException;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What is sent where, and what is kept until then: Triton's options (user_guide/trace.md,
 * "OpenTelemetry trace APIs settings"), else the variables of the OpenTelemetry specification, else
 * the defaults of both.
 *
 * @param url of the collector, with a path
 * @param headers of each request to the collector
 * @param resource the attributes of the server
 * @param maxQueueSize how many spans wait to be sent; others are dropped
 * @param scheduleDelay how long a span waits for others at most
 * @param maxBatchSize how many spans a request has at most
 */
record ExporterSettings(
    String url,
    Map<String, String> headers,
    Map<String, String> resource,
    int maxQueueSize,
    Duration scheduleDelay,
    int maxBatchSize) {
  private static final String ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT";
  private static final String TRACES_ENDPOINT = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";
  private static final String HEADERS = "OTEL_EXPORTER_OTLP_HEADERS";
  private static final String TRACES_HEADERS = "OTEL_EXPORTER_OTLP_TRACES_HEADERS";
  private static final String RESOURCE = "OTEL_RESOURCE_ATTRIBUTES";
  private static final String SERVICE = "OTEL_SERVICE_NAME";

  ExporterSettings {
    headers = Map.copyOf(headers);
    resource = Map.copyOf(resource);
    if (maxQueueSize < 1 || maxBatchSize < 1 || scheduleDelay.isZero()) {
      throw InferenceException.invalid(
          "--trace-config=opentelemetry: bsp_max_queue_size, bsp_max_export_batch_size and"
              + " bsp_schedule_delay must be positive");
    }
    if (maxBatchSize > maxQueueSize) {
      throw InferenceException.invalid(
          "--trace-config=opentelemetry: bsp_max_export_batch_size (%d) must not be greater than"
                  .formatted(maxBatchSize)
              + " bsp_max_queue_size (%d)".formatted(maxQueueSize));
    }
  }

  /**
   * @throws InferenceException INVALID_ARGUMENT if an option or a variable is not valid
   */
  static ExporterSettings of(
      List<Map.Entry<String, String>> options, Map<String, String> environment) {
    Map<String, String> resource = new LinkedHashMap<>();
    resource.put("service.name", "triton-inference-server");
    resource.putAll(pairs(RESOURCE, environment));
    String service = environment.getOrDefault(SERVICE, "");
    if (!service.isEmpty()) {
      resource.put("service.name", service);
    }
    Map<String, String> last = new HashMap<>();
    for (Map.Entry<String, String> option : options) {
      if (option.getKey().equals("resource")) {
        addPair(
            "--trace-config=opentelemetry,resource",
            option.getValue(),
            "'" + option.getValue() + "'",
            resource);
      } else {
        last.put(option.getKey(), option.getValue());
      }
    }
    return new ExporterSettings(
        url(last, environment),
        pairs(environment.containsKey(TRACES_HEADERS) ? TRACES_HEADERS : HEADERS, environment),
        resource,
        number(last, "bsp_max_queue_size", 2048),
        Duration.ofMillis(number(last, "bsp_schedule_delay", 5000)),
        number(last, "bsp_max_export_batch_size", 512));
  }

  private static int number(Map<String, String> options, String name, int otherwise) {
    String text = options.get(name);
    try {
      return text == null ? otherwise : Integer.parseInt(text);
    } catch (NumberFormatException wrong) {
      throw InferenceException.invalid(
          "--trace-config=opentelemetry,%s: '%s' is not a number".formatted(name, text));
    }
  }

  private static String url(Map<String, String> options, Map<String, String> environment) {
    String url = options.getOrDefault("url", environment.getOrDefault(TRACES_ENDPOINT, ""));
    if (url.isEmpty()) {
      String base = environment.getOrDefault(ENDPOINT, "");
      url = (base.isEmpty() ? "http://localhost:4318" : base.replaceFirst("/$", "")) + "/v1/traces";
    }
    return checked(url.contains("://") ? url : "http://" + url);
  }

  private static String checked(String url) {
    try {
      URI parsed = URI.create(url);
      if (parsed.getHost() != null
          && (parsed.getScheme().equals("http") || parsed.getScheme().equals("https"))) {
        return url;
      }
    } catch (IllegalArgumentException _) {
      // reported below
    }
    throw InferenceException.invalid(
        "--trace-config=opentelemetry,url: '%s' is no URL of a collector, such as".formatted(url)
            + " http://localhost:4318/v1/traces");
  }

  /** The pairs of a variable: {@code key=value}, separated by commas, values percent-encoded. */
  private static Map<String, String> pairs(String variable, Map<String, String> environment) {
    Map<String, String> pairs = new LinkedHashMap<>();
    String[] given = environment.getOrDefault(variable, "").split(",", -1);
    for (int i = 0; i < given.length; i++) {
      String pair = given[i].strip();
      if (!pair.isEmpty()) {
        String shown = variable.endsWith("_HEADERS") ? "header " + (i + 1) : "'" + pair + "'";
        addPair(variable, decoded(variable, pair, shown), shown, pairs);
      }
    }
    return pairs;
  }

  private static String decoded(String variable, String text, String shown) {
    try {
      return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException wrong) {
      throw InferenceException.invalid("%s: %s is not valid".formatted(variable, shown));
    }
  }

  /**
   * Adds a pair.
   *
   * @param shown the pair in a message: the values of headers are secrets
   */
  private static void addPair(String where, String pair, String shown, Map<String, String> pairs) {
    int equals = pair.indexOf('=');
    if (equals < 1) {
      throw InferenceException.invalid("%s: %s should be <key>=<value>".formatted(where, shown));
    }
    pairs.put(pair.substring(0, equals).strip(), pair.substring(equals + 1).strip());
  }
}
