package io.nereid.tck.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tck.ServerVerification;
import io.nereid.tck.support.HttpWire;
import io.nereid.tck.support.Json;
import io.nereid.tensor.DataType;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Tests on a server's HTTP port, each with a connection of its own. */
public abstract class HttpVerification extends ServerVerification {
  /** The prefix of messages of core validation when the request has no id. */
  protected static final String NO_ID = "[request id: <id_unknown>] ";

  /** The numbers from 0 to 15: a row of the model {@code simple}. */
  static final String ROW =
      IntStream.range(0, 16).mapToObj(Integer::toString).collect(Collectors.joining(","));

  /** The header with the length of the JSON in front of tensors in bytes. */
  static final String LENGTH = "Inference-Header-Content-Length";

  static final String INPUT0 = input("INPUT0", "INT32", "[1,16]", "[" + ROW + "]");
  static final String INPUT1 = input("INPUT1", "INT32", "[1,16]", "[" + ROW + "]");

  /** A request for two rows of that model. */
  static final String TWO_ROWS =
      request(
          input("INPUT0", "INT32", "[2,16]", "[[%1$s],[%1$s]]".formatted(ROW)),
          input("INPUT1", "INT32", "[2,16]", "[[%1$s],[%1$s]]".formatted(ROW)));

  private @Nullable HttpWire wire;

  /** A response with tensors in bytes behind its JSON, taken apart. */
  @SuppressWarnings("ArrayRecordComponent") // read once, never compared
  record BinaryResponse(Object json, byte[] blobs) {
    static BinaryResponse of(HttpWire.Response response) {
      assertThat(response.status()).as(response.text()).isEqualTo(200);
      assertThat(response.header("Content-Type")).isEqualTo("application/octet-stream");
      return split(response, response.body());
    }

    /** Of a body that has been expanded. */
    static BinaryResponse split(HttpWire.Response response, byte[] body) {
      int head = Integer.parseInt(response.header(LENGTH));
      return new BinaryResponse(
          Json.object(Arrays.copyOf(body, head)), Arrays.copyOfRange(body, head, body.length));
    }

    int binarySize(String output) {
      var parameters = Json.member(output(json, output), "parameters");
      return Math.toIntExact(Json.number(parameters, "binary_data_size"));
    }
  }

  @BeforeEach
  void connect() {
    wire = server().connect();
  }

  @AfterEach
  void disconnect() {
    wire().close();
  }

  protected final HttpWire wire() {
    if (wire == null) {
      throw new IllegalStateException("not connected");
    }
    return wire;
  }

  /** A JSON input tensor. */
  protected static String input(String name, String dataType, String shape, String data) {
    return "{\"name\":\"%s\",\"datatype\":\"%s\",\"shape\":%s,\"data\":%s}"
        .formatted(name, dataType, shape, data);
  }

  /** An input tensor whose bytes follow the JSON. */
  static String binaryInput(String name, String dataType, String shape, int byteSize) {
    return "{\"name\":\"%s\",\"datatype\":\"%s\",\"shape\":%s,\"parameters\":{\"binary_data_size\":%d}}"
        .formatted(name, dataType, shape, byteSize);
  }

  /** An inference request with these inputs. */
  protected static String request(String... inputs) {
    return "{\"inputs\":[" + String.join(",", inputs) + "]}";
  }

  /** An inference request with these inputs and more members, each after a comma. */
  static String requestWith(String members, String... inputs) {
    return "{\"inputs\":[" + String.join(",", inputs) + "]," + members + "}";
  }

  /**
   * JSON as tests write it: {@code $0} and {@code $1} are the inputs of the model {@code simple},
   * {@code $inputs} is the member with both, and {@code $row} the numbers of a row.
   */
  static String json(String text) {
    return text.replace("$inputs", "\"inputs\":[$0,$1]")
        .replace("$0", INPUT0)
        .replace("$1", INPUT1)
        .replace("$row", ROW);
  }

  protected final HttpWire.Response get(String target) {
    return send("GET", target, "");
  }

  protected final HttpWire.Response post(String target, String json) {
    return send("POST", target, json);
  }

  /** Sends JSON, or a request without a body. */
  protected final HttpWire.Response send(String method, String target, String json) {
    return send(wire(), method, target, json);
  }

  private static HttpWire.Response send(
      HttpWire connection, String method, String target, String json) {
    Map<String, String> headers =
        method.equals("POST") ? Map.of("Content-Type", "application/json") : Map.of();
    return connection.send(method, target, json.getBytes(UTF_8), headers);
  }

  protected final HttpWire.Response infer(String model, String json) {
    return infer(wire(), model, json);
  }

  /** An inference over another connection than the test's own. */
  static HttpWire.Response infer(HttpWire connection, String model, String json) {
    return send(connection, "POST", "/v2/models/" + model + "/infer", json(json));
  }

  /** Posts a JSON header and the bytes behind it. */
  final HttpWire.Response inferBinary(String model, String json, byte[]... blobs) {
    byte[] head = json(json).getBytes(UTF_8);
    return inferBytes(model, Integer.toString(head.length), join(head, blobs));
  }

  /** Posts any bytes under any header length. */
  final HttpWire.Response inferBytes(String model, String headerLength, byte[] body) {
    return infer(
        model, body, Map.of("Content-Type", "application/octet-stream", LENGTH, headerLength));
  }

  /** Posts any bytes with these headers, as JSON unless they name another type. */
  final HttpWire.Response infer(String model, byte[] body, Map<String, String> headers) {
    Map<String, String> sent = new TreeMap<>(headers);
    sent.putIfAbsent("Content-Type", "application/json");
    return wire().send("POST", "/v2/models/" + model + "/infer", body, sent);
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
  protected final Object answer(String model, String json) {
    return answered(infer(model, json));
  }

  protected static Object answered(HttpWire.Response response) {
    assertThat(response.status()).as(response.text()).isEqualTo(200);
    assertThat(response.header("Content-Type")).startsWith("application/json");
    return Json.object(response.body());
  }

  /** The output of that name in a response. */
  protected static Object output(Object response, String name) {
    return Json.list(response, "outputs").stream()
        .filter(output -> Json.member(output, "name").equals(name))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no output '%s' in %s".formatted(name, response)));
  }

  /** An output's data as integers. */
  protected static List<Long> integers(Object output) {
    return integers(output, "data");
  }

  /** JSON's values as those of a data type, to be compared. */
  static List<Object> values(DataType type, List<?> data) {
    return data.stream()
        .map(value ->
            switch (type) {
              case FP32 -> (Object) Json.number(value).floatValue();
              case FP64 -> (Object) Json.number(value).doubleValue();
              case BOOL, BYTES -> value;
              case UINT8, UINT16, UINT32, UINT64, INT8, INT16, INT32, INT64, FP16, BF16 ->
                  Json.integer(value);
            })
        .toList();
  }

  static List<Long> shape(Object output) {
    return integers(output, "shape");
  }

  private static List<Long> integers(Object object, String member) {
    return Json.list(object, member).stream().map(Json::int64).toList();
  }

  /**
   * The response is that error, and the same connection answers the next good request.
   *
   * @param text ends in {@code ...} where only its beginning is fixed
   */
  protected final void rejected(HttpWire.Response response, int status, String text) {
    var error = assertThat(error(response, status));
    if (text.endsWith("...")) {
      error.startsWith(text.substring(0, text.length() - 3));
    } else {
      error.isEqualTo(text);
    }
    answersAGoodRequest();
  }

  /** The response is that error of the client's, status 400. */
  protected final void rejected(HttpWire.Response response, String text) {
    rejected(response, 400, text);
  }

  /** The names of an object's members, in their order. */
  protected static String members(Object object) {
    return Json.object(object).keySet().stream()
        .map(Object::toString)
        .collect(Collectors.joining(" "));
  }

  /** The text of an error. */
  protected static String error(HttpWire.Response response, int status) {
    assertThat(response.status()).as(response.text()).isEqualTo(status);
    var body = Json.object(response.body());
    assertThat(body).hasSize(1);
    return Json.string(body, "error");
  }

  final void answersAGoodRequest() {
    int connections = Math.max(1, wire().connections());
    var sums = integers(output(answer("simple", request(INPUT0, INPUT1)), "OUTPUT0"));
    assertThat(sums).startsWith(0L, 2L, 4L).hasSize(16);
    assertThat(wire().connections()).as("connections").isEqualTo(connections);
  }
}
