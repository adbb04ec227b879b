import com.google.gson.JsonObject;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.function.ToIntFunction;

/** A probe of a container by {@code httpGet}, with Kubernetes' defaults. For one thread. */
final class Probe {
  private static final HttpClient CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private final URI address;
  private final long periodNanos;
  private final Duration timeout;
  private final int successThreshold;
  private final int failureThreshold;
  private long due;
  private int successes;
  private int failures;

  /** What the last calls of {@link #run} said. */
  String last = "";

  /**
   * @param spec as in the pod's specification
   * @param ports the number of a port of the container
   */
  Probe(JsonObject spec, String host, ToIntFunction<String> ports, long now) {
    JsonObject get = spec.getAsJsonObject("httpGet");
    String port = get.get("port").getAsString();
    address =
        URI.create(
            "http://%s:%d%s"
                .formatted(host, ports.applyAsInt(port), get.get("path").getAsString()));
    periodNanos = seconds(spec, "periodSeconds", 10) * 1_000_000_000L;
    timeout = Duration.ofSeconds(seconds(spec, "timeoutSeconds", 1));
    successThreshold = seconds(spec, "successThreshold", 1);
    failureThreshold = seconds(spec, "failureThreshold", 3);
    due = now + seconds(spec, "initialDelaySeconds", 0) * 1_000_000_000L;
  }

  private static int seconds(JsonObject spec, String name, int absent) {
    return spec.has(name) ? spec.get(name).getAsInt() : absent;
  }

  /**
   * Asks, if it is time: 1 if the probe has succeeded, -1 if it has failed, 0 if that is not
   * decided.
   */
  int run(long now) throws InterruptedException {
    if (now - due < 0) {
      return 0;
    }
    due = now + periodNanos;
    if (answers()) {
      failures = 0;
      return ++successes >= successThreshold ? 1 : 0;
    }
    successes = 0;
    return ++failures >= failureThreshold ? -1 : 0;
  }

  private boolean answers() throws InterruptedException {
    try {
      var request = HttpRequest.newBuilder(address).timeout(timeout).build();
      int status = CLIENT.send(request, BodyHandlers.discarding()).statusCode();
      last = Integer.toString(status);
      return status >= 200 && status < 400;
    } catch (java.io.IOException noAnswer) {
      last = noAnswer.getClass().getSimpleName();
      return false;
    }
  }
}
