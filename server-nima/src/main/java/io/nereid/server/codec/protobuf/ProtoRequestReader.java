package io.nereid.server.codec.protobuf;

import static io.nereid.server.protobuf.InferParameter.ParameterChoiceCase.BOOL_PARAM;
import static io.nereid.server.protobuf.InferParameter.ParameterChoiceCase.INT64_PARAM;

import io.nereid.error.InferenceException;
import io.nereid.server.codec.DecodedRequest;
import io.nereid.server.codec.OutputRequest;
import io.nereid.server.memory.Lease;
import io.nereid.server.memory.LeaseSource;
import io.nereid.server.protobuf.InferParameter;
import io.nereid.server.protobuf.ModelInferRequest.InferInputTensor;
import io.nereid.server.protobuf.ModelInferRequest.InferRequestedOutputTensor;
import io.nereid.server.request.RequestErrors;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A reader that checks a parsed {@code ModelInferRequest} and makes it a {@link DecodedRequest};
 * the error texts are those of Triton's gRPC front end.
 */
public final class ProtoRequestReader {
  private ProtoRequestReader() {}

  /**
   * Decodes a request. Takes it: its memory passes to the result, or is released.
   *
   * @param memory allocates inputs with typed contents
   * @throws InferenceException with the first error
   */
  public static DecodedRequest read(ProtoRequest request, LeaseSource memory) {
    List<Lease> leases = new ArrayList<>(request.inputs.size());
    try (request) {
      var options = ProtoParameters.read(request.parameters);
      List<Tensor> inputs = readInputs(request, leases, memory);
      List<OutputRequest> outputs = readOutputs(request);
      return new DecodedRequest(request.id, inputs, outputs, options, true, leases);
    } catch (RuntimeException failure) {
      leases.forEach(Lease::close);
      throw failure;
    }
  }

  private static List<Tensor> readInputs(
      ProtoRequest request, List<Lease> leases, LeaseSource memory) {
    List<Lease> raw = request.rawContents;
    int used = 0;
    List<Tensor> tensors = new ArrayList<>(request.inputs.size());
    Set<String> names = HashSet.newHashSet(request.inputs.size());
    for (InferInputTensor input : request.inputs) {
      String name = input.getName();
      if (!names.add(name)) {
        throw RequestErrors.duplicateInput(request.id, name);
      }
      rejectSharedMemory(name, input.getParametersMap().get("shared_memory_region"));
      Lease lease;
      DataType type = dataType(input);
      if (!raw.isEmpty()) {
        if (input.hasContents()) {
          throw invalid(
              "contents field must not be specified when using raw_input_contents for '%s' for"
                  + " model '%s'",
              name, request.modelName);
        }
        if (used == raw.size()) {
          throw noData(request, name);
        }
        lease = raw.get(used++);
        request.rawContents = raw.subList(used, raw.size()); // without this one
      } else if (input.hasContents()) {
        lease = TypedContents.read(input, type, request.modelName, memory);
      } else {
        throw noData(request, name);
      }
      leases.add(lease);
      tensors.add(new Tensor(name, type, shape(input), lease.segment()));
    }
    return tensors;
  }

  private static Shape shape(InferInputTensor input) {
    long[] dims = new long[input.getShapeCount()];
    for (int i = 0; i < dims.length; i++) {
      dims[i] = input.getShape(i);
    }
    return Shape.of(dims);
  }

  private static DataType dataType(InferInputTensor input) {
    return DataType.parse(input.getDatatype())
        .orElseThrow(() ->
            invalid(
                "inference input '%s' data-type is '%s', which is not one of the protocol's",
                input.getName(), input.getDatatype()));
  }

  private static List<OutputRequest> readOutputs(ProtoRequest request) {
    List<OutputRequest> outputs = new ArrayList<>(request.outputs.size());
    Set<String> names = HashSet.newHashSet(request.outputs.size());
    for (InferRequestedOutputTensor output : request.outputs) {
      String name = output.getName();
      if (!names.add(name)) {
        throw RequestErrors.duplicateOutput(request.id, name);
      }
      rejectSharedMemory(name, output.getParametersMap().get("shared_memory_region"));
      outputs.add(new OutputRequest(name, true, classification(output)));
    }
    return outputs;
  }

  private static long classification(InferRequestedOutputTensor output) {
    InferParameter count = output.getParametersMap().get("classification");
    if (count == null) {
      return 0;
    }
    if (count.getParameterChoiceCase() != INT64_PARAM) {
      throw invalid("invalid value type for 'classification' parameter, expected int64_param");
    }
    if (count.getInt64Param() <= 0) {
      throw invalid("invalid value for 'classification' parameter, expected >= 0");
    }
    return count.getInt64Param();
  }

  private static void rejectSharedMemory(String tensor, @Nullable InferParameter region) {
    if (region == null) {
      return;
    }
    if (region.getParameterChoiceCase() == BOOL_PARAM
        || region.getParameterChoiceCase() == INT64_PARAM) {
      throw invalid(
          "invalid value type for 'shared_memory_region' parameter for tensor '%s', expected"
              + " string_param.",
          tensor);
    }
    throw RequestErrors.unknownRegion(region.getStringParam());
  }

  private static InferenceException noData(ProtoRequest request, String input) {
    return invalid(
        "unable to find data for input tensor '%s' for model '%s' in request.",
        input, request.modelName);
  }

  private static InferenceException invalid(String format, Object... arguments) {
    return InferenceException.invalid(format.formatted(arguments));
  }
}
