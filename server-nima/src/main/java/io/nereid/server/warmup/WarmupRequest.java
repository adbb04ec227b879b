package io.nereid.server.warmup;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.stream.Collectors.joining;

import com.google.protobuf.ByteString;
import io.nereid.protocol.inference.ModelInferRequest;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * An inference request, in the forms in which clients send it.
 *
 * @param model its name
 */
record WarmupRequest(String model, List<Input> inputs) {
  /** INT32 and FP32 have that size. */
  private static final int ELEMENT_SIZE = 4;

  WarmupRequest {
    inputs = List.copyOf(inputs);
  }

  /**
   * An input.
   *
   * @param dataType INT32 or FP32
   */
  record Input(String name, String dataType, List<Long> shape) {
    Input {
      shape = List.copyOf(shape);
    }

    private int elements() {
      return Math.toIntExact(shape.stream().reduce(1L, Math::multiplyExact));
    }

    private int byteSize() {
      return elements() * ELEMENT_SIZE;
    }

    private String json(String data) {
      return "{\"name\":\"%s\",\"datatype\":\"%s\",\"shape\":%s,%s}"
          .formatted(name, dataType, shape, data);
    }

    private String numbers() {
      String number = dataType.equals("FP32") ? "0.123456" : "7";
      return json("\"data\":" + Collections.nCopies(elements(), number));
    }

    private String size() {
      return json("\"parameters\":{\"binary_data_size\":%d}".formatted(byteSize()));
    }
  }

  /** A request of HTTP/1.1 with numbers in JSON. */
  byte[] json() {
    String inputsJson = inputs.stream().map(Input::numbers).collect(joining(","));
    return http("Content-Type: application/json", "{\"inputs\":[%s]}".formatted(inputsJson), 0);
  }

  /** A request of HTTP/1.1 with binary tensors, all zeros, which asks for binary outputs. */
  byte[] binary() {
    String inputsJson = inputs.stream().map(Input::size).collect(joining(","));
    String json =
        "{\"parameters\":{\"binary_data_output\":true},\"inputs\":[%s]}".formatted(inputsJson);
    int dataSize = inputs.stream().mapToInt(Input::byteSize).sum();
    return http("Inference-Header-Content-Length: " + json.length(), json, dataSize);
  }

  private byte[] http(String header, String json, int dataSize) {
    String text =
        """
        POST /v2/models/%s/infer HTTP/1.1\r
        Host: localhost\r
        %s\r
        Content-Length: %d\r
        \r
        %s\
        """
            .formatted(model, header, json.length() + dataSize, json);
    return Arrays.copyOf(text.getBytes(US_ASCII), text.length() + dataSize);
  }

  /** A message of gRPC, all zeros. */
  ModelInferRequest message() {
    var message = ModelInferRequest.newBuilder().setModelName(model);
    for (Input input : inputs) {
      message
          .addInputsBuilder()
          .setName(input.name)
          .setDatatype(input.dataType)
          .addAllShape(input.shape);
      message.addRawInputContents(ByteString.copyFrom(new byte[input.byteSize()]));
    }
    return message.build();
  }
}
