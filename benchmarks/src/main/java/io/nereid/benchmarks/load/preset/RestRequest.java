package io.nereid.benchmarks.load.preset;

import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The request of a preset over HTTP.
 *
 * @param body JSON, or JSON followed by binary tensor data
 * @param jsonLength of the JSON in front of tensor data; -1 without any
 * @param fields further ones of the head
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record RestRequest(byte[] body, int jsonLength, String fields) implements Preset.Request {
  private static final int ALL_IS_JSON = -1;

  /** A request with inputs in JSON, without output names. */
  static RestRequest json(List<RampTensor> inputs) {
    var json =
        inputs.stream()
            .map(input -> "{%s,\"data\":[%s]}".formatted(head(input), input.numbers()))
            .collect(Collectors.joining(",", "{\"inputs\":[", "]}"));
    return new RestRequest(ascii(json), ALL_IS_JSON, "");
  }

  /** A request with binary inputs that asks for as many binary outputs. */
  static RestRequest binary(List<RampTensor> inputs) {
    var heads =
        inputs.stream()
            .map(input ->
                "{%s,\"parameters\":{\"binary_data_size\":%d}}"
                    .formatted(head(input), input.bytes().length))
            .collect(Collectors.joining(","));
    var wanted =
        IntStream.range(0, inputs.size())
            .mapToObj("{\"name\":\"OUTPUT%d\",\"parameters\":{\"binary_data\":true}}"::formatted)
            .collect(Collectors.joining(","));
    var body = new ByteArrayOutputStream();
    body.writeBytes(ascii("{\"inputs\":[%s],\"outputs\":[%s]}".formatted(heads, wanted)));
    int jsonLength = body.size();
    inputs.forEach(input -> body.writeBytes(input.bytes()));
    return new RestRequest(body.toByteArray(), jsonLength, "");
  }

  /**
   * A request whose inputs are in the region {@code load_in}; the output goes to {@code load_out}.
   */
  static RestRequest inRegions(List<RampTensor> inputs, String output) {
    var heads =
        inputs.stream()
            .map(input -> "{%s,%s}".formatted(head(input), region("load_in", input)))
            .collect(Collectors.joining(","));
    var wanted = "{\"name\":\"%s\",%s}".formatted(output, region("load_out", inputs.getFirst()));
    return new RestRequest(
        ascii("{\"inputs\":[%s],\"outputs\":[%s]}".formatted(heads, wanted)), ALL_IS_JSON, "");
  }

  private static String region(String name, RampTensor tensor) {
    return "\"parameters\":{\"shared_memory_region\":\"%s\",\"shared_memory_byte_size\":%d}"
        .formatted(name, tensor.bytes().length);
  }

  /** This request with a deadline, as Envoy sends it. */
  public RestRequest withDeadline(long millis) {
    return new RestRequest(
        body, jsonLength, "x-envoy-expected-rq-timeout-ms: %d\r\n".formatted(millis));
  }

  /** Head and body of the request to {@code server}. */
  public byte[] to(URI server, String model) {
    var head =
        new StringBuilder("POST /v2/models/%s/infer HTTP/1.1\r\n".formatted(model))
            .append("Host: %s:%d\r\n".formatted(server.getHost(), server.getPort()))
            .append(fields);
    if (jsonLength == ALL_IS_JSON) {
      head.append("Content-Type: application/json\r\n");
    } else {
      head.append("Content-Type: application/octet-stream\r\n")
          .append("Inference-Header-Content-Length: %d\r\n".formatted(jsonLength));
    }
    head.append("Content-Length: %d\r\n\r\n".formatted(body.length));
    var bytes = new ByteArrayOutputStream();
    bytes.writeBytes(ascii(head.toString()));
    bytes.writeBytes(body);
    return bytes.toByteArray();
  }

  private static String head(RampTensor input) {
    return "\"name\":\"%s\",\"shape\":[%s],\"datatype\":\"%s\""
        .formatted(input.name(), input.dimensions(), input.type());
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
