package io.nereid.benchmarks.torture.wire;

import com.google.protobuf.ByteString;
import io.nereid.protocol.inference.ModelInferRequest;
import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Valid requests, most of them for the models of a campaign. */
public final class Requests {
  private static final int COUNT = 16;

  private Requests() {}

  /** A request for {@code model}, which has the inputs of {@code simple}. */
  public static byte[] simple(String model) {
    return post(model, simpleBody(""));
  }

  /**
   * The body of {@link #simple}.
   *
   * @param more further members, each with a comma behind it
   */
  public static String simpleBody(String more) {
    String data =
        IntStream.range(0, COUNT).mapToObj(Integer::toString).collect(Collectors.joining(","));
    return IntStream.range(0, 2)
        .mapToObj(i ->
            "{\"name\":\"INPUT%d\",\"shape\":[1,%d],\"datatype\":\"INT32\",\"data\":[%s]}"
                .formatted(i, COUNT, data))
        .collect(Collectors.joining(",", "{" + more + "\"inputs\":[", "]}"));
  }

  /** A POST request with a body of single-byte characters. */
  public static byte[] postTo(String path, String body) {
    return bytes(postHead(path, "Content-Length: " + body.length()) + body);
  }

  public static byte[] get(String path) {
    return bytes("GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n".formatted(path));
  }

  /** An inference request with that body. */
  public static byte[] post(String model, String body) {
    return bytes(inferHead(model, "Content-Length: " + body.length()) + body);
  }

  /** The head of an inference request, with its empty line. */
  public static String inferHead(String model, String framing, String... headers) {
    return postHead("/v2/models/%s/infer".formatted(model), framing, headers);
  }

  /** The head of a POST request, with its empty line. */
  public static String postHead(String path, String framing, String... headers) {
    var head = new StringBuilder("POST %s HTTP/1.1\r\nHost: localhost\r\n".formatted(path));
    for (String header : headers) {
      head.append(header).append("\r\n");
    }
    return head.append(framing).append("\r\n\r\n").toString();
  }

  /**
   * A request for {@code identity_fp32} with {@code floats} elements in binary, and a response in
   * binary.
   */
  public static byte[] identity(int floats) {
    return binary(
        "identity_fp32",
        binaryJson("FP32", floats, "\"binary_data\":true"),
        new byte[floats * Float.BYTES]);
  }

  /**
   * The JSON of a request with a tensor in binary, of elements that take four bytes each.
   *
   * @param output the parameters of the output; empty if the request names none
   */
  public static String binaryJson(String type, int count, String output) {
    String outputs =
        output.isEmpty()
            ? ""
            : ",\"outputs\":[{\"name\":\"OUTPUT0\",\"parameters\":{%s}}]".formatted(output);
    return "{\"inputs\":[{\"name\":\"INPUT0\",\"shape\":[%d],\"datatype\":\"%s\",\"parameters\":{\"binary_data_size\":%d}}]%s}"
        .formatted(count, type, count * Float.BYTES, outputs);
  }

  /** A request of {@code json} and as many zeros behind it, four bytes each, as a gzip file. */
  public static byte[] gzipZeros(String model, String json, int count) {
    return gzip(
        model,
        RepeatedBytes.of(json, "\0\0\0\0", count, "").gzip(),
        "Inference-Header-Content-Length: " + json.length());
  }

  /** A request with a tensor in JSON that has the same element again and again. */
  public static byte[] repeated(String model, String type, int count, String element) {
    return post(
        model,
        "{\"inputs\":[{\"name\":\"INPUT0\",\"shape\":[%d],\"datatype\":\"%s\",\"data\":[%s%s]}]}"
            .formatted(count, type, (element + ",").repeat(count - 1), element));
  }

  /** An inference request of {@code json} with tensors in binary behind it. */
  public static byte[] binary(String model, String json, byte[] data) {
    String head =
        inferHead(
            model,
            "Content-Length: " + (json.length() + data.length),
            "Inference-Header-Content-Length: " + json.length());
    return Frames.concatenated(bytes(head + json), data);
  }

  /** An inference request whose body is a gzip file, with further header lines. */
  public static byte[] gzip(String model, byte[] body, String... headers) {
    String framing = "Content-Encoding: gzip\r\nContent-Length: " + body.length;
    return Frames.concatenated(bytes(inferHead(model, framing, headers)), body);
  }

  public static ModelInferRequest grpcSimple(String model) {
    var request = ModelInferRequest.newBuilder().setModelName(model);
    for (int i = 0; i < 2; i++) {
      request
          .addInputs(
              ModelInferRequest.InferInputTensor.newBuilder()
                  .setName("INPUT" + i)
                  .setDatatype("INT32")
                  .addShape(1)
                  .addShape(COUNT))
          .addRawInputContents(ByteString.copyFrom(new byte[COUNT * Integer.BYTES]));
    }
    return request.build();
  }

  public static ModelInferRequest grpcIdentity(int floats) {
    return ModelInferRequest.newBuilder()
        .setModelName("identity_fp32")
        .addInputs(
            ModelInferRequest.InferInputTensor.newBuilder()
                .setName("INPUT0")
                .setDatatype("FP32")
                .addShape(floats))
        .addRawInputContents(ByteString.copyFrom(new byte[floats * Float.BYTES]))
        .build();
  }

  public static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }
}
