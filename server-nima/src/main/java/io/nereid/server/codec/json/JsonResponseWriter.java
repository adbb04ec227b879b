package io.nereid.server.codec.json;

import io.nereid.request.ModelKey;
import io.nereid.request.Parameter;
import io.nereid.server.codec.ByteSink;
import io.nereid.server.codec.json.document.JsonText;
import io.nereid.tensor.Tensor;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** A writer of the response to {@code POST .../infer}. */
public final class JsonResponseWriter {
  /**
   * An output of a response.
   *
   * @param tensor borrowed
   */
  public record Output(Tensor tensor, Form form) {}

  /** How a response gives the data of an output. */
  public enum Form {
    /** As text in the JSON. */
    TEXT,
    /** As bytes after the JSON. */
    BINARY,
    /** Not at all: its bytes are in a shared memory region. */
    REGION
  }

  private static final String DATA = ",\"data\":";
  private static final String END = "]}";

  private JsonResponseWriter() {}

  /** The body of a failure: {@code {"error":"<message>"}}. */
  public static byte[] error(String message) {
    var sink = new ByteSink(message.length() + 16);
    putError(sink, message);
    return sink.toByteArray();
  }

  /** Writes what {@link #error} returns. */
  static void putError(ByteSink sink, String message) {
    sink.putAscii("{\"error\":");
    JsonText.putString(sink, message);
    sink.put('}');
  }

  /**
   * Writes a response: JSON, then the bytes of the binary outputs in their order.
   *
   * @param id omitted if it is empty
   * @return the size of the JSON; if binary data follows, the header {@code
   *     Inference-Header-Content-Length} must state it
   * @throws io.nereid.error.InferenceException INVALID_ARGUMENT if an output's type has no JSON
   *     form, INTERNAL if its bytes do not fit its shape
   */
  public static int write(
      ByteSink sink,
      String id,
      ModelKey model,
      Map<String, Parameter> parameters,
      List<Output> outputs) {
    int start = sink.size();
    writeJson(sink, id, model, parameters, outputs);
    int jsonSize = sink.size() - start;
    for (Output output : outputs) {
      if (output.form() == Form.BINARY) {
        sink.put(output.tensor().data());
      }
    }
    return jsonSize;
  }

  /** Writes the JSON of a response, as {@link #write} does. */
  public static void writeJson(
      ByteSink sink,
      String id,
      ModelKey model,
      Map<String, Parameter> parameters,
      List<Output> outputs) {
    putHead(sink, id, model, parameters);
    for (int i = 0; i < outputs.size(); i++) {
      if (i > 0) {
        sink.put(',');
      }
      putOutput(sink, outputs.get(i));
    }
    sink.putAscii(END);
  }

  /**
   * A large response, to be written part by part.
   *
   * @param withBinary whether the bytes of binary outputs follow the JSON
   * @throws io.nereid.error.InferenceException as {@link #write} does
   */
  public static JsonParts parts(
      String id,
      ModelKey model,
      Map<String, Parameter> parameters,
      List<Output> outputs,
      boolean withBinary) {
    var parts = new JsonParts();
    parts.text(sink -> putHead(sink, id, model, parameters));
    String separator = "";
    for (Output output : outputs) {
      parts.text(writing(separator));
      separator = ",";
      if (output.form() == Form.TEXT) {
        parts.text(sink -> putSpec(sink, output.tensor())).text(writing(DATA + "["));
        parts.elements(output.tensor()).text(writing("]}"));
      } else {
        parts.text(sink -> putOutput(sink, output));
      }
    }
    parts.text(writing(END));
    for (Output output : outputs) {
      if (withBinary && output.form() == Form.BINARY) {
        parts.bytes(output.tensor().data());
      }
    }
    return parts;
  }

  private static Consumer<ByteSink> writing(String text) {
    return sink -> sink.putAscii(text);
  }

  private static void putHead(
      ByteSink sink, String id, ModelKey model, Map<String, Parameter> parameters) {
    sink.put('{');
    if (!id.isEmpty()) {
      sink.putAscii("\"id\":");
      JsonText.putString(sink, id);
      sink.put(',');
    }
    sink.putAscii("\"model_name\":");
    JsonText.putString(sink, model.name());
    sink.putAscii(",\"model_version\":\"");
    sink.putLong(model.version());
    sink.put('"');
    if (!parameters.isEmpty()) {
      putParameters(sink, parameters);
    }
    sink.putAscii(",\"outputs\":[");
  }

  private static void putParameters(ByteSink sink, Map<String, Parameter> parameters) {
    sink.putAscii(",\"parameters\":");
    char separator = '{';
    for (Map.Entry<String, Parameter> parameter : parameters.entrySet()) {
      sink.put(separator);
      separator = ',';
      JsonText.putString(sink, parameter.getKey());
      sink.put(':');
      putParameter(sink, parameter.getValue());
    }
    sink.put('}');
  }

  static void putParameter(ByteSink sink, Parameter parameter) {
    switch (parameter) {
      case Parameter.OfString(String value) -> JsonText.putString(sink, value);
      case Parameter.OfLong(long value) -> sink.putLong(value);
      case Parameter.OfBoolean(boolean value) -> sink.putAscii(value ? "true" : "false");
      case Parameter.OfDouble(double value) -> sink.putDouble(value);
    }
  }

  private static void putOutput(ByteSink sink, Output output) {
    Tensor tensor = output.tensor();
    putSpec(sink, tensor);
    switch (output.form()) {
      case BINARY -> {
        sink.putAscii(",\"parameters\":{\"binary_data_size\":");
        sink.putLong(tensor.byteSize());
        sink.put('}');
      }
      case TEXT -> {
        sink.putAscii(DATA);
        JsonDataWriter.put(sink, tensor);
      }
      case REGION -> {}
    }
    sink.put('}');
  }

  private static void putSpec(ByteSink sink, Tensor tensor) {
    sink.putAscii("{\"name\":");
    JsonText.putString(sink, tensor.name());
    sink.putAscii(",\"datatype\":\"");
    sink.putAscii(tensor.dataType().name());
    sink.putAscii("\",\"shape\":");
    sink.putAscii(tensor.shape().toString());
  }
}
