package io.nereid.engine.telemetry.trace.file;

import io.nereid.engine.telemetry.trace.RequestTrace;
import io.nereid.engine.telemetry.trace.RequestTrace.Timestamp;
import io.nereid.engine.telemetry.trace.RequestTrace.TracedTensor;
import io.nereid.request.ModelKey;
import java.util.HexFormat;
import java.util.List;

/**
 * Traces in Triton's JSON format: an object with the model of a trace, one for each timestamp, and
 * one for each tensor, related by {@code id}.
 *
 * @param originNanos what is added to times
 */
record TraceJson(long originNanos) {
  private static final HexFormat HEX = HexFormat.of();

  /** Adds the objects of traces, behind a comma unless they are the first. */
  void write(StringBuilder json, List<RequestTrace> traces) {
    for (RequestTrace trace : traces) {
      model(json, trace);
      for (Timestamp timestamp : trace.timestamps()) {
        begin(json, trace);
        json.append(",\"timestamps\":[{\"name\":");
        string(json, timestamp.activity().label());
        json.append(",\"ns\":").append(timestamp.nanos() + originNanos).append("}]}");
      }
      for (TracedTensor tensor : trace.tensors()) {
        begin(json, trace);
        tensor(json, tensor);
      }
    }
  }

  private static void begin(StringBuilder json, RequestTrace trace) {
    json.append(json.isEmpty() ? "{\"id\":" : ",{\"id\":").append(trace.id());
  }

  private static void model(StringBuilder json, RequestTrace trace) {
    ModelKey model = trace.model();
    if (model == null) {
      return;
    }
    begin(json, trace);
    json.append(",\"model_name\":");
    string(json, model.name());
    json.append(",\"model_version\":").append(model.version());
    if (!trace.requestId().isEmpty()) {
      json.append(",\"request_id\":");
      string(json, trace.requestId());
    }
    if (trace.parentId() != 0) {
      json.append(",\"parent_id\":").append(trace.parentId());
    }
    json.append('}');
  }

  private static void tensor(StringBuilder json, TracedTensor tensor) {
    json.append(",\"activity\":\"").append(tensor.activity());
    json.append("\",\"tensor\":{\"name\":");
    string(json, tensor.name());
    json.append(",\"data\":");
    string(json, tensor.data());
    json.append(",\"shape\":\"").append(tensor.shape());
    json.append("\",\"dtype\":\"").append(tensor.dataType()).append("\"}}");
  }

  private static void string(StringBuilder json, String text) {
    json.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        json.append('\\').append(c);
      } else if (c < ' ') {
        json.append("\\u00").append(HEX.toHexDigits((byte) c));
      } else {
        json.append(c);
      }
    }
    json.append('"');
  }
}
