package io.nereid.client.grpc;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.nereid.client.DataType;
import io.nereid.client.InferRequest;
import io.nereid.client.InferResponse;
import io.nereid.client.NereidException;
import io.nereid.client.RequestedOutput;
import io.nereid.client.SharedRegion;
import io.nereid.client.Tensor;
import io.nereid.protocol.inference.InferParameter;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.protocol.inference.ModelInferRequest.InferInputTensor;
import io.nereid.protocol.inference.ModelInferRequest.InferRequestedOutputTensor;
import io.nereid.protocol.inference.ModelInferResponse;
import io.nereid.protocol.inference.ModelInferResponse.InferOutputTensor;
import java.nio.ByteOrder;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Requests as messages, and messages as responses. The bytes of tensors are not copied. */
public final class InferMessages {
  private InferMessages() {}

  /** A request as the bytes of a {@code ModelInferRequest}. */
  public static byte[] bytes(InferRequest request) {
    return request(request).toByteArray();
  }

  static ModelInferRequest request(InferRequest request) {
    ModelInferRequest.Builder message =
        ModelInferRequest.newBuilder()
            .setModelName(request.model())
            .setModelVersion(request.version())
            .setId(request.id());
    request.parameters().forEach((name, value) -> message.putParameters(name, parameter(value)));
    for (Map.Entry<String, Tensor> input : request.inputs().entrySet()) {
      Tensor tensor = input.getValue();
      InferInputTensor.Builder meta =
          InferInputTensor.newBuilder()
              .setName(input.getKey())
              .setDatatype(tensor.dataType().name());
      for (long dimension : tensor.shape()) {
        meta.addShape(dimension);
      }
      if (tensor.region() == null) {
        message.addRawInputContents(UnsafeByteOperations.unsafeWrap(tensor.unsafeData()));
      } else {
        region(tensor.region(), meta::putParameters);
      }
      message.addInputs(meta);
    }
    for (RequestedOutput output : request.outputs()) {
      InferRequestedOutputTensor.Builder meta =
          InferRequestedOutputTensor.newBuilder().setName(output.name());
      if (output.classes() > 0) {
        meta.putParameters("classification", parameter((long) output.classes()));
      }
      if (output.region() != null) {
        region(output.region(), meta::putParameters);
      }
      message.addOutputs(meta);
    }
    return message.build();
  }

  /** {@code putParameters} of a builder. */
  private interface Parameters {
    Object put(String name, InferParameter value);
  }

  private static void region(SharedRegion region, Parameters parameters) {
    parameters.put("shared_memory_region", parameter(region.name()));
    if (region.offset() != 0) {
      parameters.put("shared_memory_offset", parameter(region.offset()));
    }
    parameters.put("shared_memory_byte_size", parameter(region.byteSize()));
  }

  private static InferParameter parameter(Object value) {
    InferParameter.Builder parameter = InferParameter.newBuilder();
    if (value instanceof Boolean flag) {
      parameter.setBoolParam(flag);
    } else if (value instanceof Long number) {
      parameter.setInt64Param(number);
    } else if (value instanceof Double number) {
      parameter.setDoubleParam(number);
    } else {
      parameter.setStringParam(value.toString());
    }
    return parameter.build();
  }

  /**
   * The response that a message tells.
   *
   * @throws NereidException if it is none
   */
  static InferResponse response(InferRequest request, ModelInferResponse message, String address) {
    Map<String, Tensor> outputs = new LinkedHashMap<>();
    try {
      String id = message.getId();
      if (!request.id().isEmpty() && !id.isEmpty() && !id.equals(request.id())) {
        throw new IllegalArgumentException("it answers the request '%s'".formatted(id));
      }
      for (int i = 0; i < message.getOutputsCount(); i++) {
        String name = message.getOutputs(i).getName();
        if (outputs.put(name, tensor(request, message, i)) != null) {
          throw new IllegalArgumentException("the output '%s' comes twice".formatted(name));
        }
      }
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw NereidException.badResponse(
          request + " at " + address, "the response cannot be read: " + e.getMessage(), e);
    }
    return new InferResponse(
        message.getModelName(),
        message.getModelVersion(),
        message.getId(),
        parameters(message),
        outputs);
  }

  private static Map<String, Object> parameters(ModelInferResponse message) {
    Map<String, Object> parameters = new LinkedHashMap<>();
    message
        .getParametersMap()
        .forEach((name, value) -> {
          Object read = value(value);
          if (read != null) {
            parameters.put(name, read);
          }
        });
    return parameters;
  }

  private static Tensor tensor(InferRequest request, ModelInferResponse message, int index) {
    InferOutputTensor output = message.getOutputs(index);
    DataType dataType = DataType.valueOf(output.getDatatype());
    long[] shape = new long[output.getShapeCount()];
    for (int i = 0; i < shape.length; i++) {
      shape[i] = output.getShape(i);
    }
    for (RequestedOutput requested : request.outputs()) {
      if (requested.region() != null && requested.name().equals(output.getName())) {
        return Tensor.ofRegion(requested.region(), dataType, shape);
      }
    }
    // first: beside them, some servers send contents that are empty
    if (index < message.getRawOutputContentsCount()) {
      ByteString data = message.getRawOutputContents(index);
      return Tensor.wrap(
          dataType, data.asReadOnlyByteBuffer().order(ByteOrder.LITTLE_ENDIAN), shape);
    }
    if (output.hasContents()) {
      return Tensor.wrap(dataType, Contents.data(dataType, output.getContents()), shape);
    }
    throw new IllegalArgumentException("the output '%s' has no data".formatted(output.getName()));
  }

  private static @Nullable Object value(InferParameter parameter) {
    return switch (parameter.getParameterChoiceCase()) {
      case BOOL_PARAM -> parameter.getBoolParam();
      case INT64_PARAM -> parameter.getInt64Param();
      case UINT64_PARAM -> parameter.getUint64Param();
      case DOUBLE_PARAM -> parameter.getDoubleParam();
      case STRING_PARAM -> parameter.getStringParam();
      case PARAMETERCHOICE_NOT_SET -> null;
    };
  }
}
