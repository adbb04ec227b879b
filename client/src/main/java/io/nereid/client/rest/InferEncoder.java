package io.nereid.client.rest;

import com.fasterxml.jackson.core.JsonGenerator;
import io.nereid.client.DataType;
import io.nereid.client.InferRequest;
import io.nereid.client.RequestedOutput;
import io.nereid.client.SharedRegion;
import io.nereid.client.Tensor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The body of an inference request: JSON, then the bytes of tensors. Immutable. */
public final class InferEncoder {
  private final InferRequest request;
  private final boolean jsonTensors;

  /**
   * The body of a request.
   *
   * @param jsonTensors whether tensors are in the JSON; otherwise they follow it, by the extension
   *     for binary tensor data
   */
  public InferEncoder(InferRequest request, boolean jsonTensors) {
    this.request = request;
    this.jsonTensors = jsonTensors;
  }

  /** The JSON first, then the tensors that are not in it, without a copy. */
  public List<ByteBuffer> parts() {
    List<ByteBuffer> parts = new ArrayList<>(1 + request.inputs().size());
    parts.add(JsonTree.buffer(this::write));
    if (!jsonTensors) {
      for (Tensor tensor : request.inputs().values()) {
        if (tensor.region() == null) {
          parts.add(tensor.data());
        }
      }
    }
    return parts;
  }

  private void write(JsonGenerator json) throws IOException {
    json.writeStartObject();
    if (!request.id().isEmpty()) {
      json.writeStringField("id", request.id());
    }
    boolean allBinary = request.outputs().isEmpty() && !jsonTensors;
    if (allBinary || !request.parameters().isEmpty()) {
      json.writeObjectFieldStart("parameters");
      for (Map.Entry<String, Object> parameter : request.parameters().entrySet()) {
        json.writeFieldName(parameter.getKey());
        JsonTree.write(json, parameter.getValue());
      }
      if (allBinary) {
        json.writeBooleanField("binary_data_output", true);
      }
      json.writeEndObject();
    }
    json.writeArrayFieldStart("inputs");
    for (Map.Entry<String, Tensor> input : request.inputs().entrySet()) {
      write(json, input.getKey(), input.getValue());
    }
    json.writeEndArray();
    if (!request.outputs().isEmpty()) {
      json.writeArrayFieldStart("outputs");
      for (RequestedOutput output : request.outputs()) {
        write(json, output);
      }
      json.writeEndArray();
    }
    json.writeEndObject();
  }

  private void write(JsonGenerator json, String name, Tensor tensor) throws IOException {
    json.writeStartObject();
    json.writeStringField("name", name);
    json.writeStringField("datatype", tensor.dataType().name());
    json.writeFieldName("shape");
    long[] shape = tensor.shape();
    json.writeArray(shape, 0, shape.length);
    if (tensor.region() != null) {
      json.writeObjectFieldStart("parameters");
      write(json, tensor.region());
      json.writeEndObject();
    } else if (jsonTensors) {
      json.writeFieldName("data");
      JsonData.write(json, tensor);
    } else {
      json.writeObjectFieldStart("parameters");
      json.writeNumberField("binary_data_size", tensor.byteSize());
      json.writeEndObject();
    }
    json.writeEndObject();
  }

  private void write(JsonGenerator json, RequestedOutput output) throws IOException {
    json.writeStartObject();
    json.writeStringField("name", output.name());
    json.writeObjectFieldStart("parameters");
    if (output.classes() > 0) {
      json.writeNumberField("classification", output.classes());
    }
    if (output.region() != null) {
      write(json, output.region());
    } else if (!jsonTensors) {
      json.writeBooleanField("binary_data", true);
    }
    json.writeEndObject();
    json.writeEndObject();
  }

  private static void write(JsonGenerator json, SharedRegion region) throws IOException {
    json.writeStringField("shared_memory_region", region.name());
    if (region.offset() != 0) {
      json.writeNumberField("shared_memory_offset", region.offset());
    }
    json.writeNumberField("shared_memory_byte_size", region.byteSize());
  }

  /** The input that cannot travel as it should, in a sentence; null if all can. */
  @Nullable String mistake() {
    if (jsonTensors) {
      for (Map.Entry<String, Tensor> input : request.inputs().entrySet()) {
        DataType dataType = input.getValue().dataType();
        if (dataType == DataType.FP16 || dataType == DataType.BF16) {
          return "the input '%s' is %s, which JSON cannot carry"
              .formatted(input.getKey(), dataType);
        }
      }
    }
    return null;
  }
}
