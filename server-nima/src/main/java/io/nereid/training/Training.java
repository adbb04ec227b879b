package io.nereid.training;

import io.nereid.client.ErrorCode;
import io.nereid.client.InferRequest;
import io.nereid.client.InferResponse;
import io.nereid.client.NereidClient;
import io.nereid.client.NereidException;
import io.nereid.client.Tensor;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Sends requests for the example models over HTTP and gRPC, good ones and some that fail. It is a
 * process of its own: the classes of a client would get into the server's cache with those of the
 * server, and where a class of both has been extended by both, the JVM compiles slower calls.
 */
public final class Training {
  /** Enough for the classes that only a connection or a pool in use needs. */
  private static final int ROUNDS = 20;

  private static final int SUCCESS = 200;
  private static final InferRequest SIMPLE = simple("simple");
  private static final InferRequest IDENTITY = fractions("identity_fp32");

  private Training() {}

  /**
   * Runs the process, and waits for its end.
   *
   * @return its exit status; 0 if all responses were as expected
   */
  public static int run(int httpPort, int metricsPort, int grpcPort)
      throws IOException, InterruptedException {
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    return new ProcessBuilder(
            java.toString(),
            "--sun-misc-unsafe-memory-access=allow",
            "-cp",
            System.getProperty("java.class.path"),
            Training.class.getName(),
            Integer.toString(httpPort),
            Integer.toString(metricsPort),
            Integer.toString(grpcPort))
        .inheritIO()
        .start()
        .waitFor();
  }

  /**
   * Sends all requests in each round.
   *
   * @param ports of HTTP, metrics and gRPC
   * @throws IOException if a response is not as expected
   */
  public static void main(String[] ports) throws IOException, InterruptedException {
    String http = "http://localhost:" + ports[0];
    try (var json = NereidClient.builder(http).jsonTensors().open();
        var binary = NereidClient.connect(http);
        var grpc = NereidClient.connect("grpc://localhost:" + ports[2])) {
      readMetadata(json);
      readMore(json);
      sendByHand(http, "http://localhost:" + ports[1]);
      readMetadata(grpc);
      for (int i = 0; i < ROUNDS; i++) {
        var _ = json.infer(SIMPLE);
        var _ = json.infer(IDENTITY);
        var _ = binary.infer(SIMPLE);
        inferOnStream(grpc);
        var _ = grpc.infer(SIMPLE);
      }
    }
  }

  /** Reads what clients read once, and meets the most usual error. */
  private static void readMetadata(NereidClient client) throws IOException {
    if (!client.server().isLive() || !client.server().isReady()) {
      throw new IOException("the server is not ready");
    }
    var _ = client.server().metadata();
    var _ = client.models().metadata("simple");
    expect(ErrorCode.NOT_FOUND, client, simple("unknown"));
  }

  /** Reads what tools read, and sends a request that a model does not take. */
  private static void readMore(NereidClient client) throws IOException {
    if (!client.models().isReady("simple")) {
      throw new IOException("the model 'simple' is not ready");
    }
    var _ = client.models().config("simple");
    var _ = client.models().statistics("simple", "1");
    var _ = client.models().statistics();
    var _ = client.models().index();
    expect(ErrorCode.INVALID_ARGUMENT, client, fractions("simple"));
  }

  private static void expect(ErrorCode code, NereidClient client, InferRequest request)
      throws IOException {
    try {
      var _ = client.infer(request);
    } catch (NereidException failed) {
      if (failed.code() == code) {
        return;
      }
      throw failed;
    }
    throw new IOException("expected a failure with the code " + code);
  }

  /** Sends what the client does not: a request for metrics, and requests that are none of v2. */
  private static void sendByHand(String server, String metrics)
      throws IOException, InterruptedException {
    try (var client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
      expect(SUCCESS, client, request(metrics + "/metrics"));
      expect(404, client, request(server + "/v2/models/unknown"));
      expect(404, client, request(server + "/unknown"));
      var half = BodyPublishers.ofString("{\"inputs\":");
      expect(500, client, request(server + "/v2/models/simple/infer").POST(half));
    }
  }

  private static HttpRequest.Builder request(String uri) {
    return HttpRequest.newBuilder(URI.create(uri));
  }

  private static void expect(int status, HttpClient client, HttpRequest.Builder builder)
      throws IOException, InterruptedException {
    var response = client.send(builder.build(), HttpResponse.BodyHandlers.ofString());
    if (response.statusCode() != status) {
      throw new IOException(
          "%s: expected status %d, got %d: %s"
              .formatted(response.uri(), status, response.statusCode(), response.body()));
    }
  }

  private static void inferOnStream(NereidClient client) {
    try (var stream = client.stream(SIMPLE)) {
      for (InferResponse response : stream) {
        var _ = response.output("OUTPUT0");
      }
    }
  }

  private static InferRequest simple(String model) {
    var numbers = Tensor.of(new int[16], 1, 16);
    return InferRequest.to(model).input("INPUT0", numbers).input("INPUT1", numbers).build();
  }

  private static InferRequest fractions(String model) {
    float[] values = new float[64];
    Arrays.fill(values, 0.12345f);
    return InferRequest.to(model).input("INPUT0", Tensor.of(values, values.length)).build();
  }
}
