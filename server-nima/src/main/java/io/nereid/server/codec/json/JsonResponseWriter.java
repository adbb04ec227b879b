package io.nereid.server.codec.json;

import io.nereid.request.ModelKey;
import io.nereid.request.Parameter;
import io.nereid.server.codec.ByteSink;
import io.nereid.server.codec.json.document.JsonText;
import io.nereid.tensor.Tensor;
import java.util.List;
import java.util.Map;

/** Writes the answer to {@code POST .../infer}. */
public final class JsonResponseWriter {
  private JsonResponseWriter() {}

  /**
   * Writes a response: JSON, then the bytes of the binary outputs in their order.
   *
   * @param id left out if it is empty
   * @return the size of the JSON: that of all that was written, or less if binary data follows, in
   *     which case the response needs the header {@code Inference-Header-Content-Length}
   * @throws io.nereid.error.InferenceException INVALID_ARGUMENT if an output's type has no JSON
   *     form, INTERNAL if its bytes do not fit its shape
   */
  public static int write(
      ByteSink sink,
      String id,
      ModelKey model,
      Map<String, Parameter> parameters,
      List<ResponseOutput> outputs) {
    int start = sink.size();
    writeJson(sink, id, model, parameters, outputs);
    int jsonSize = sink.size() - start;
    for (ResponseOutput output : outputs) {
      if (output.binary()) {
        sink.put(output.tensor().data());
      }
    }
    return jsonSize;
  }

  /** Writes the JSON of a response alone; as {@link #write}. */
  public static void writeJson(
      ByteSink sink,
      String id,
      ModelKey model,
      Map<String, Parameter> parameters,
      List<ResponseOutput> outputs) {
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
    for (int i = 0; i < outputs.size(); i++) {
      if (i > 0) {
        sink.put(',');
      }
      putOutput(sink, outputs.get(i));
    }
    sink.putAscii("]}");
  }

  private static void putParameters(ByteSink sink, Map<String, Parameter> parameters) {
    sink.putAscii(",\"parameters\":");
    char separator = '{';
    for (Map.Entry<String, Parameter> parameter : parameters.entrySet()) {
      sink.put(separator);
      separator = ',';
      JsonText.putString(sink, parameter.getKey());
      sink.put(':');
      switch (parameter.getValue()) {
        case Parameter.OfString(String value) -> JsonText.putString(sink, value);
        case Parameter.OfLong(long value) -> sink.putLong(value);
        case Parameter.OfBoolean(boolean value) -> sink.putAscii(value ? "true" : "false");
        case Parameter.OfDouble(double value) -> sink.putDouble(value);
      }
    }
    sink.put('}');
  }

  private static void putOutput(ByteSink sink, ResponseOutput output) {
    Tensor tensor = output.tensor();
    sink.putAscii("{\"name\":");
    JsonText.putString(sink, tensor.name());
    sink.putAscii(",\"datatype\":\"");
    sink.putAscii(tensor.dataType().name());
    sink.putAscii("\",\"shape\":");
    sink.putAscii(tensor.shape().toString());
    if (output.binary()) {
      sink.putAscii(",\"parameters\":{\"binary_data_size\":");
      sink.putLong(tensor.byteSize());
      sink.putAscii("}}");
    } else {
      sink.putAscii(",\"data\":");
      JsonDataWriter.put(sink, tensor);
      sink.put('}');
    }
  }
}
