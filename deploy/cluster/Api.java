import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Calls of Kubernetes' API server. For any number of threads. */
final class Api {
  private final HttpClient client;
  private final URI server;
  private final String token;

  /**
   * @param server such as {@code https://localhost:6443}
   * @param certificate the server's, in a PEM file
   * @param token what the server knows the caller by
   */
  Api(URI server, Path certificate, String token) throws Exception {
    this.server = server;
    this.token = token;
    var trusted = KeyStore.getInstance(KeyStore.getDefaultType());
    trusted.load(null, null);
    try (InputStream pem = Files.newInputStream(certificate)) {
      for (Certificate each : CertificateFactory.getInstance("X.509").generateCertificates(pem)) {
        trusted.setCertificateEntry(Integer.toString(trusted.size()), each);
      }
    }
    var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    var tls = SSLContext.getInstance("TLS");
    tls.init(null, trust.getTrustManagers(), null);
    client = HttpClient.newBuilder().sslContext(tls).build();
  }

  /** Returns the object at a path. */
  JsonObject get(String path) throws IOException, InterruptedException {
    return require(send("GET", path, null), path);
  }

  /** Creates an object, unless it exists. */
  void create(String path, JsonElement object) throws IOException, InterruptedException {
    HttpResponse<String> response = send("POST", path, object);
    if (response.statusCode() != 409) {
      require(response, path);
    }
  }

  /** Merges {@code patch} into an object; false if there is none any more. */
  boolean merge(String path, JsonElement patch) throws IOException, InterruptedException {
    HttpResponse<String> response = send("PATCH", path, patch);
    if (response.statusCode() == 404 || response.statusCode() == 409) {
      return false;
    }
    require(response, path);
    return true;
  }

  /** Deletes an object, if it exists. */
  void delete(String path, JsonElement options) throws IOException, InterruptedException {
    HttpResponse<String> response = send("DELETE", path, options);
    if (response.statusCode() != 404) {
      require(response, path);
    }
  }

  private HttpResponse<String> send(String method, String path, JsonElement body)
      throws IOException, InterruptedException {
    var request = request(path);
    if (body != null) {
      String type = method.equals("PATCH") ? "application/merge-patch+json" : "application/json";
      request.setHeader("content-type", type);
    }
    request.method(
        method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body.toString()));
    return client.send(request.build(), BodyHandlers.ofString());
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(server.resolve(path)).header("authorization", "Bearer " + token);
  }

  private static JsonObject require(HttpResponse<String> response, String path) throws IOException {
    if (response.statusCode() >= 300) {
      throw new IOException(path + ": " + response.statusCode() + " " + response.body());
    }
    return JsonParser.parseString(response.body()).getAsJsonObject();
  }

  /**
   * Starts a thread that calls {@code changed} with all objects of a collection, by namespace and
   * name, at first and after each change, which the API server tells of.
   */
  void follow(String collection, Consumer<Map<String, JsonObject>> changed) {
    Thread.ofVirtual()
        .start(
            () -> {
              while (true) {
                try {
                  listAndWatch(collection, changed);
                } catch (IOException | RuntimeException problem) {
                  System.err.println(collection + ": " + problem);
                  sleep(500);
                } catch (InterruptedException stopped) {
                  return;
                }
              }
            });
  }

  private void listAndWatch(String collection, Consumer<Map<String, JsonObject>> changed)
      throws IOException, InterruptedException {
    JsonObject list = get(collection);
    Map<String, JsonObject> objects = new HashMap<>();
    for (JsonElement each : list.getAsJsonArray("items")) {
      objects.put(name(each.getAsJsonObject()), each.getAsJsonObject());
    }
    changed.accept(Map.copyOf(objects));
    String version = list.getAsJsonObject("metadata").get("resourceVersion").getAsString();
    var request = request(collection + "?watch=true&resourceVersion=" + version).build();
    HttpResponse<Stream<String>> events = client.send(request, BodyHandlers.ofLines());
    try (Stream<String> lines = events.body()) {
      for (Iterator<String> each = lines.iterator(); each.hasNext(); ) {
        JsonObject event = JsonParser.parseString(each.next()).getAsJsonObject();
        JsonObject object = event.getAsJsonObject("object");
        switch (event.get("type").getAsString()) {
          case "ADDED", "MODIFIED" -> objects.put(name(object), object);
          case "DELETED" -> objects.remove(name(object));
          default -> throw new IOException(event.toString()); // the version is too old: list again
        }
        changed.accept(Map.copyOf(objects));
      }
    }
  }

  private static String name(JsonObject object) {
    JsonObject metadata = object.getAsJsonObject("metadata");
    return metadata.get("namespace").getAsString() + "/" + metadata.get("name").getAsString();
  }

  static void sleep(long milliseconds) {
    try {
      Thread.sleep(milliseconds);
    } catch (InterruptedException stopped) {
      throw new IllegalStateException(stopped);
    }
  }
}
