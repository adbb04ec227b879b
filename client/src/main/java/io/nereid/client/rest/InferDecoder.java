package io.nereid.client.rest;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.nereid.client.DataType;
import io.nereid.client.InferRequest;
import io.nereid.client.InferResponse;
import io.nereid.client.RequestedOutput;
import io.nereid.client.SharedRegion;
import io.nereid.client.Tensor;
import java.io.IOException;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads a response of an inference: JSON, then the bytes of tensors, which are not copied. */
final class InferDecoder {
  private static final String LENGTH = "inference-header-content-length";

  private final InferRequest request;
  private final HttpBody body;
  private String model = "";
  private String version = "";
  private String id = "";
  private Map<String, Object> parameters = Map.of();
  private final List<Output> outputs = new ArrayList<>(1);
  private int binaryAt;

  private static final class Output {
    private @Nullable String name;
    private @Nullable DataType dataType;
    private long @Nullable [] shape;
    private @Nullable ByteBuffer data;
    private int dataFrom = -1;
    private int dataTo;
    private long binarySize = -1;
  }

  InferDecoder(InferRequest request, HttpBody body) {
    this.request = request;
    this.body = body;
  }

  /**
   * Reads it.
   *
   * @throws IOException if it is not an inference's
   */
  InferResponse decode() throws IOException {
    int jsonLength = jsonLength();
    try (JsonParser json = JsonTree.FACTORY.createParser(body.bytes(), 0, jsonLength)) {
      expect(json.nextToken(), JsonToken.START_OBJECT, "the response");
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        readMember(json, json.currentName());
      }
      expect(json.currentToken(), JsonToken.END_OBJECT, "the response's end");
    }
    if (!request.id().isEmpty() && !id.isEmpty() && !id.equals(request.id())) {
      throw new ProtocolException("it answers the request '%s'".formatted(id));
    }
    binaryAt = jsonLength;
    Map<String, Tensor> tensors = tensors();
    if (binaryAt != body.length()) {
      throw new ProtocolException(
          "%d bytes follow the last output".formatted(body.length() - binaryAt));
    }
    return new InferResponse(model, version, id, parameters, tensors);
  }

  private Map<String, Tensor> tensors() throws IOException {
    Map<String, Tensor> tensors = new LinkedHashMap<>();
    for (Output output : outputs) {
      Tensor tensor = tensor(output);
      if (tensors.put(String.valueOf(output.name), tensor) != null) {
        throw new ProtocolException("the output '%s' comes twice".formatted(output.name));
      }
    }
    return tensors;
  }

  private int jsonLength() throws ProtocolException {
    String stated = body.header(LENGTH);
    if (stated == null) {
      return body.length();
    }
    try {
      int length = Integer.parseInt(stated.strip());
      if (length >= 0 && length <= body.length()) {
        return length;
      }
    } catch (NumberFormatException notANumber) {
      // as one out of range
    }
    throw new ProtocolException(
        "the header %s is '%s', and the body has %d bytes"
            .formatted(LENGTH, stated, body.length()));
  }

  private void readMember(JsonParser json, String name) throws IOException {
    if (json.nextToken() == JsonToken.VALUE_NULL) {
      return; // as some servers write what they leave out
    }
    switch (name) {
      case "id" -> id = text(json, "id");
      case "model_name" -> model = text(json, "model_name");
      case "model_version" -> version = text(json, "model_version");
      case "parameters" -> parameters = parameters(json);
      case "outputs" -> {
        expect(json.currentToken(), JsonToken.START_ARRAY, "'outputs'");
        while (json.nextToken() == JsonToken.START_OBJECT) {
          outputs.add(readOutput(json));
        }
        expect(json.currentToken(), JsonToken.END_ARRAY, "the end of 'outputs'");
      }
      default -> json.skipChildren();
    }
  }

  private Output readOutput(JsonParser json) throws IOException {
    Output output = new Output();
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      String name = json.currentName();
      if (json.nextToken() == JsonToken.VALUE_NULL) {
        continue;
      }
      switch (name) {
        case "name" -> output.name = text(json, "name");
        case "datatype" -> output.dataType = dataType(text(json, "datatype"));
        case "shape" -> output.shape = shape(json);
        case "parameters" -> {
          expect(json.currentToken(), JsonToken.START_OBJECT, "'parameters'");
          while (json.nextToken() == JsonToken.FIELD_NAME) {
            boolean isSize = json.currentName().equals("binary_data_size");
            json.nextToken();
            if (isSize) {
              output.binarySize = size(json);
            } else {
              json.skipChildren();
            }
          }
        }
        case "data" -> readData(json, output);
        default -> json.skipChildren();
      }
    }
    return output;
  }

  /** The bytes of a binary output; what is no size is more than any response has. */
  private static long size(JsonParser json) throws IOException {
    Object size = JsonTree.value(json);
    if (size == null) {
      return -1;
    }
    return size instanceof Long bytes && bytes >= 0 ? bytes : Long.MAX_VALUE;
  }

  /** Reads elements at once if their type is known, which most servers state before. */
  private static void readData(JsonParser json, Output output) throws IOException {
    if (output.dataType != null) {
      output.data = JsonData.read(json, output.dataType);
    } else {
      output.dataFrom = (int) json.currentTokenLocation().getByteOffset();
      json.skipChildren();
      output.dataTo = (int) json.currentLocation().getByteOffset();
    }
  }

  private Tensor tensor(Output output) throws IOException {
    if (output.name == null || output.dataType == null || output.shape == null) {
      throw new ProtocolException("an output has no 'name', 'datatype' or 'shape'");
    }
    ByteBuffer data = output.data;
    if (output.dataFrom >= 0) {
      int length = output.dataTo - output.dataFrom;
      try (JsonParser json = JsonTree.FACTORY.createParser(body.bytes(), output.dataFrom, length)) {
        json.nextToken();
        data = JsonData.read(json, output.dataType);
      }
    }
    if (output.binarySize >= 0) {
      if (output.binarySize > body.length() - binaryAt) {
        throw new ProtocolException(
            "the output '%s' has %d bytes, and %d are left"
                .formatted(output.name, output.binarySize, body.length() - binaryAt));
      }
      data =
          ByteBuffer.wrap(body.bytes(), binaryAt, (int) output.binarySize)
              .order(ByteOrder.LITTLE_ENDIAN);
      binaryAt += (int) output.binarySize;
    }
    try {
      if (data != null) {
        return Tensor.wrap(output.dataType, data, output.shape);
      }
      return Tensor.ofRegion(region(output.name), output.dataType, output.shape);
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw mistake("the output '%s': %s".formatted(output.name, e.getMessage()), e);
    }
  }

  private SharedRegion region(String output) throws ProtocolException {
    for (RequestedOutput requested : request.outputs()) {
      if (requested.name().equals(output) && requested.region() != null) {
        return requested.region();
      }
    }
    throw new ProtocolException("the output '%s' has no data".formatted(output));
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> parameters(JsonParser json) throws IOException {
    if (JsonTree.value(json) instanceof Map<?, ?> members) {
      members.values().removeIf(value -> value == null);
      return (Map<String, Object>) members;
    }
    throw new ProtocolException("'parameters' is no object");
  }

  private static DataType dataType(String name) throws ProtocolException {
    try {
      return DataType.valueOf(name);
    } catch (IllegalArgumentException e) {
      throw mistake("'%s' is no data type".formatted(name), e);
    }
  }

  private static long[] shape(JsonParser json) throws IOException {
    if (json.currentToken() != JsonToken.START_ARRAY) {
      throw new ProtocolException("'shape' is no array");
    }
    long[] dimensions = new long[4];
    int count = 0;
    while (json.nextToken() != JsonToken.END_ARRAY) {
      if (count == dimensions.length) {
        dimensions = Arrays.copyOf(dimensions, 2 * count);
      }
      dimensions[count++] = json.getLongValue();
    }
    return Arrays.copyOf(dimensions, count);
  }

  private static String text(JsonParser json, String name) throws IOException {
    if (json.currentToken() != JsonToken.VALUE_STRING) {
      expect(json.currentToken(), JsonToken.VALUE_STRING, "'" + name + "'");
    }
    return json.getText();
  }

  private static void expect(@Nullable JsonToken actual, JsonToken expected, String what)
      throws ProtocolException {
    if (actual != expected) {
      throw new ProtocolException("%s is %s, not %s".formatted(what, actual, expected));
    }
  }

  private static ProtocolException mistake(String sentence, Throwable cause) {
    ProtocolException mistake = new ProtocolException(sentence);
    mistake.initCause(cause);
    return mistake;
  }
}
