package io.nereid.tck.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tck.ServerVerification;
import io.nereid.tck.support.HttpWire;
import io.nereid.tck.support.Json;
import java.io.ByteArrayOutputStream;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Tests on a server's HTTP port, each with a connection of its own. */
public abstract class HttpVerification extends ServerVerification {
  /** The prefix of messages of core validation when the request has no id. */
  static final String NO_ID = "[request id: <id_unknown>] ";

  /** The numbers from 0 to 15: a row of the model {@code simple}. */
  static final String ROW =
      IntStream.range(0, 16).mapToObj(Integer::toString).collect(Collectors.joining(","));

  static final String INPUT0 = input("INPUT0", "INT32", "[1,16]", "[" + ROW + "]");
  static final String INPUT1 = input("INPUT1", "INT32", "[1,16]", "[" + ROW + "]");

  private @Nullable HttpWire wire;

  @BeforeEach
  void connect() {
    wire = new HttpWire(server().http());
  }

  @AfterEach
  void disconnect() {
    wire().close();
  }

  final HttpWire wire() {
    if (wire == null) {
      throw new IllegalStateException("not connected");
    }
    return wire;
  }

  /** A JSON input tensor. */
  static String input(String name, String dataType, String shape, String data) {
    return "{\"name\":\"%s\",\"datatype\":\"%s\",\"shape\":%s,\"data\":%s}"
        .formatted(name, dataType, shape, data);
  }

  /** An input tensor whose bytes follow the JSON. */
  static String binaryInput(String name, String dataType, String shape, int byteSize) {
    return "{\"name\":\"%s\",\"datatype\":\"%s\",\"shape\":%s,\"parameters\":{\"binary_data_size\":%d}}"
        .formatted(name, dataType, shape, byteSize);
  }

  /** An inference request with these inputs. */
  static String request(String... inputs) {
    return "{\"inputs\":[" + String.join(",", inputs) + "]}";
  }

  /** An inference request with these inputs and more members, each after a comma. */
  static String requestWith(String members, String... inputs) {
    return "{\"inputs\":[" + String.join(",", inputs) + "]," + members + "}";
  }

  final HttpWire.Response get(String target) {
    return wire().send("GET", target, new byte[0], Map.of());
  }

  /** Posts JSON. */
  final HttpWire.Response post(String target, String json) {
    return post(wire(), target, json);
  }

  private static HttpWire.Response post(HttpWire connection, String target, String json) {
    return connection.send(
        "POST", target, json.getBytes(UTF_8), Map.of("Content-Type", "application/json"));
  }

  final HttpWire.Response infer(String model, String json) {
    return infer(wire(), model, json);
  }

  /** An inference over another connection than the test's own. */
  static HttpWire.Response infer(HttpWire connection, String model, String json) {
    return post(connection, "/v2/models/" + model + "/infer", json);
  }

  /** Posts a JSON header and the bytes behind it. */
  final HttpWire.Response inferBinary(String model, String json, byte[]... blobs) {
    byte[] head = json.getBytes(UTF_8);
    return inferBytes(model, Integer.toString(head.length), join(head, blobs));
  }

  /** Posts any bytes under any header length. */
  final HttpWire.Response inferBytes(String model, String headerLength, byte[] body) {
    var length = "Inference-Header-Content-Length";
    return infer(
        model, body, Map.of("Content-Type", "application/octet-stream", length, headerLength));
  }

  /** Posts any bytes with these headers. */
  final HttpWire.Response infer(String model, byte[] body, Map<String, String> headers) {
    return wire().send("POST", "/v2/models/" + model + "/infer", body, headers);
  }

  static byte[] join(byte[] head, byte[]... blobs) {
    var body = new ByteArrayOutputStream();
    body.writeBytes(head);
    for (byte[] blob : blobs) {
      body.writeBytes(blob);
    }
    return body.toByteArray();
  }

  /** An inference that must succeed, as JSON. */
  final Object answer(String model, String json) {
    return answered(infer(model, json));
  }

  static Object answered(HttpWire.Response response) {
    assertThat(response.status()).as(response.text()).isEqualTo(200);
    assertThat(response.header("Content-Type")).startsWith("application/json");
    return Json.object(response.body());
  }

  /** The output of that name in a response. */
  static Object output(Object response, String name) {
    return Json.list(response, "outputs").stream()
        .filter(output -> Json.member(output, "name").equals(name))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no output '%s' in %s".formatted(name, response)));
  }

  /** An output's data as integers. */
  static List<Long> integers(Object output) {
    return integers(output, "data");
  }

  /** An output's shape. */
  static List<Long> shape(Object output) {
    return integers(output, "shape");
  }

  private static List<Long> integers(Object object, String member) {
    return Json.list(object, member).stream()
        .map(value -> ((BigDecimal) value).longValueExact())
        .toList();
  }

  /** The response is that error, and the same connection answers the next good request. */
  final void rejected(HttpWire.Response response, int status, String text) {
    assertThat(error(response, status)).isEqualTo(text);
    answersAGoodRequest();
  }

  /** The response is that error of the client's, status 400. */
  final void rejected(HttpWire.Response response, String text) {
    rejected(response, 400, text);
  }

  /** As {@link #rejected}, where only the beginning of the text is fixed. */
  final void rejectedWith(HttpWire.Response response, int status, String beginning) {
    assertThat(error(response, status)).startsWith(beginning);
    answersAGoodRequest();
  }

  /** As {@link #rejectedWith}, with status 400. */
  final void rejectedWith(HttpWire.Response response, String beginning) {
    rejectedWith(response, 400, beginning);
  }

  /** The model {@code simple} rejects the request with status 400. */
  final void simpleRefused(String json, String text) {
    rejected(infer("simple", json), text);
  }

  /** The request for {@code simple} cannot be parsed: status 500, as in Triton. */
  final void simpleMalformed(String json, String text) {
    rejected(infer("simple", json), 500, text);
  }

  /** The names of an object's members, in their order. */
  static String members(Object object) {
    return Json.object(object).keySet().stream()
        .map(Object::toString)
        .collect(Collectors.joining(" "));
  }

  /** The text of an error. */
  static String error(HttpWire.Response response, int status) {
    assertThat(response.status()).as(response.text()).isEqualTo(status);
    var body = Json.object(response.body());
    assertThat(body).hasSize(1);
    return (String) Json.member(body, "error");
  }

  final void answersAGoodRequest() {
    int connections = Math.max(1, wire().connections());
    var sums = integers(output(answer("simple", request(INPUT0, INPUT1)), "OUTPUT0"));
    assertThat(sums).startsWith(0L, 2L, 4L).hasSize(16);
    assertThat(wire().connections()).as("connections").isEqualTo(connections);
  }
}
