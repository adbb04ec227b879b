import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/**
 * The API of custom metrics for pods, which a HorizontalPodAutoscaler asks through the API server:
 * the sum over the models of a gauge in each pod's metrics, read when it is asked for. In a cluster
 * Prometheus and its adapter do this.
 */
final class MetricsAdapter {
  private static final String VERSION = "custom.metrics.k8s.io/v1beta2";
  private static final String METRIC = "nv_inference_pending_request_count";
  private static final Pattern PODS = Pattern.compile("/namespaces/([^/]+)/pods/\\*/" + METRIC);

  private final Gson gson = new Gson();
  private final Api api;
  private final HttpClient client = HttpClient.newHttpClient();

  MetricsAdapter(Api api) {
    this.api = api;
  }

  /**
   * Serves at {@code localhost}.
   *
   * @param keyStore with the server's key, and the password {@code nereid}
   */
  void serve(Path keyStore, int port) throws Exception {
    char[] password = "nereid".toCharArray();
    var keys = KeyStore.getInstance("PKCS12");
    try (InputStream file = Files.newInputStream(keyStore)) {
      keys.load(file, password);
    }
    var managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    managers.init(keys, password);
    var tls = SSLContext.getInstance("TLS");
    tls.init(managers.getKeyManagers(), null, null);
    HttpsServer server = HttpsServer.create(new InetSocketAddress("localhost", port), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(tls));
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/apis/" + VERSION, this::answer);
    server.start();
  }

  private void answer(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath().substring(("/apis/" + VERSION).length());
    Matcher pods = PODS.matcher(path);
    try (exchange) {
      if (path.isEmpty()) {
        answer(exchange, 200, resources());
      } else if (pods.matches()) {
        answer(exchange, 200, values(pods.group(1), selector(exchange.getRequestURI())));
      } else {
        answer(exchange, 404, Map.of("kind", "Status", "apiVersion", "v1", "code", 404));
      }
    } catch (InterruptedException | RuntimeException problem) {
      throw new IOException(problem);
    }
  }

  private void answer(HttpExchange exchange, int status, Object json) throws IOException {
    byte[] body = gson.toJson(json).getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("content-type", "application/json");
    exchange.sendResponseHeaders(status, body.length);
    exchange.getResponseBody().write(body);
  }

  private static Object resources() {
    Map<String, Object> metric =
        Map.of(
            "name",
            "pods/" + METRIC,
            "singularName",
            "",
            "namespaced",
            true,
            "kind",
            "MetricValueList",
            "verbs",
            List.of("get"));
    return Map.of(
        "kind",
        "APIResourceList",
        "apiVersion",
        "v1",
        "groupVersion",
        VERSION,
        "resources",
        List.of(metric));
  }

  private static String selector(URI address) {
    for (String parameter : address.getQuery().split("&")) {
      if (parameter.startsWith("labelSelector=")) {
        return parameter.substring("labelSelector=".length());
      }
    }
    throw new IllegalArgumentException("no labelSelector in " + address);
  }

  private Object values(String namespace, String selector)
      throws IOException, InterruptedException {
    String encoded = URLEncoder.encode(selector, StandardCharsets.UTF_8);
    JsonObject pods =
        api.get("/api/v1/namespaces/%s/pods?labelSelector=%s".formatted(namespace, encoded));
    List<Object> items = new ArrayList<>();
    for (JsonElement each : pods.getAsJsonArray("items")) {
      JsonElement ip = each.getAsJsonObject().getAsJsonObject("status").get("podIP");
      Long waiting = ip == null ? null : waiting(ip.getAsString());
      if (waiting == null) {
        continue; // it does not listen yet, or any more
      }
      String name = each.getAsJsonObject().getAsJsonObject("metadata").get("name").getAsString();
      items.add(
          Map.of(
              "describedObject",
                  Map.of("kind", "Pod", "apiVersion", "/v1", "namespace", namespace, "name", name),
              "metric", Map.of("name", METRIC),
              "timestamp", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString(),
              "value", Long.toString(waiting)));
    }
    return Map.of(
        "kind", "MetricValueList", "apiVersion", VERSION, "metadata", Map.of(), "items", items);
  }

  private Long waiting(String ip) throws InterruptedException {
    try {
      var request =
          HttpRequest.newBuilder(URI.create("http://" + ip + ":8002/metrics"))
              .timeout(Duration.ofSeconds(1))
              .build();
      return client
          .send(request, BodyHandlers.ofLines())
          .body()
          .filter(line -> line.startsWith(METRIC + "{"))
          .mapToLong(line -> Math.round(Double.parseDouble(line.substring(line.lastIndexOf(' ')))))
          .sum();
    } catch (IOException noAnswer) {
      return null;
    }
  }
}
