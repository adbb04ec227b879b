package io.nereid.training;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/** The requests over HTTP: JSON, binary tensors, and what else clients read. */
final class HttpTraining implements AutoCloseable {
  private static final int SUCCESS = 200;

  /** The numbers of an input of the model {@code simple}. */
  private static final int NUMBERS = 16;

  private static final String HEADER_LENGTH = "Inference-Header-Content-Length";

  private static final List<String> RESOURCES =
      List.of(
          "/v2",
          "/v2/health/live",
          "/v2/health/ready",
          "/v2/models/simple",
          "/v2/models/simple/ready",
          "/v2/models/simple/config",
          "/v2/models/simple/versions/1/stats",
          "/v2/models/stats");

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final URI server;
  private final URI metrics;
  private final byte[] simpleJson = simpleJson().getBytes(StandardCharsets.UTF_8);
  private final byte[] identityJson = identityJson().getBytes(StandardCharsets.UTF_8);
  private final byte[] binaryHead = binaryHead().getBytes(StandardCharsets.UTF_8);
  private final byte[] binary = withNumbers(binaryHead);

  HttpTraining(int port, int metricsPort) {
    server = URI.create("http://localhost:" + port);
    metrics = URI.create("http://localhost:" + metricsPort + "/metrics");
  }

  /** Reads what clients read once, and meets the most usual errors. */
  void readMetadata() throws IOException, InterruptedException {
    for (String path : RESOURCES) {
      get(server.resolve(path), SUCCESS);
    }
    get(metrics, SUCCESS);
    post("/v2/repository/index", new byte[0], SUCCESS);
    get(server.resolve("/v2/models/unknown"), 404);
    get(server.resolve("/unknown"), 404);
    post("/v2/models/unknown/infer", simpleJson, 404);
    post("/v2/models/simple/infer", "{\"inputs\":".getBytes(StandardCharsets.UTF_8), 500);
    post("/v2/models/simple/infer", identityJson, 400);
  }

  /** Sends one of each kind of inference request. */
  void infer() throws IOException, InterruptedException {
    post("/v2/models/simple/infer", simpleJson, SUCCESS);
    post("/v2/models/identity_fp32/infer", identityJson, SUCCESS);
    send(
        HttpRequest.newBuilder(server.resolve("/v2/models/simple/infer"))
            .header(HEADER_LENGTH, Integer.toString(binaryHead.length))
            .POST(BodyPublishers.ofByteArray(binary)),
        SUCCESS);
  }

  private static byte[] withNumbers(byte[] head) {
    ByteBuffer body =
        ByteBuffer.allocate(head.length + 2 * NUMBERS * Integer.BYTES)
            .order(ByteOrder.LITTLE_ENDIAN);
    body.put(head);
    IntStream.range(0, 2 * NUMBERS).forEach(body::putInt);
    return body.array();
  }

  private static String simpleJson() {
    String data = "\"data\":[%s]".formatted(String.join(",", Collections.nCopies(NUMBERS, "7")));
    return "{\"inputs\":[%s,%s]}".formatted(tensor("INPUT0", data), tensor("INPUT1", data));
  }

  private static String binaryHead() {
    String data = "\"parameters\":{\"binary_data_size\":%d}".formatted(NUMBERS * Integer.BYTES);
    return "{\"parameters\":{\"binary_data_output\":true},\"inputs\":[%s,%s]}"
        .formatted(tensor("INPUT0", data), tensor("INPUT1", data));
  }

  private static String tensor(String name, String data) {
    return "{\"name\":\"%s\",\"datatype\":\"INT32\",\"shape\":[1,%d],%s}"
        .formatted(name, NUMBERS, data);
  }

  private static String identityJson() {
    return "{\"inputs\":[{\"name\":\"INPUT0\",\"datatype\":\"FP32\",\"shape\":[64],\"data\":[%s]}]}"
        .formatted(String.join(",", Collections.nCopies(64, "0.12345")));
  }

  private void get(URI uri, int expected) throws IOException, InterruptedException {
    send(HttpRequest.newBuilder(uri).GET(), expected);
  }

  private void post(String path, byte[] body, int expected)
      throws IOException, InterruptedException {
    send(
        HttpRequest.newBuilder(server.resolve(path))
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofByteArray(body)),
        expected);
  }

  private void send(HttpRequest.Builder builder, int expected)
      throws IOException, InterruptedException {
    HttpRequest request = builder.build();
    HttpResponse<byte[]> response = client.send(request, HttpResponse.BodyHandlers.ofByteArray());
    if (response.statusCode() != expected) {
      throw new IOException(
          "%s: expected status %d, got %d: %s"
              .formatted(
                  request.uri(),
                  expected,
                  response.statusCode(),
                  new String(response.body(), StandardCharsets.UTF_8)));
    }
  }

  @Override
  public void close() {
    client.close();
  }
}
