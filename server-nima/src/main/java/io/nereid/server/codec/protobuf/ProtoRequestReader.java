package io.nereid.server.codec.protobuf;

import static io.nereid.protocol.inference.InferParameter.ParameterChoiceCase.INT64_PARAM;

import io.nereid.engine.memory.Lease;
import io.nereid.engine.memory.LeaseSource;
import io.nereid.engine.memory.region.RegionSlice;
import io.nereid.engine.memory.region.SharedRegions;
import io.nereid.engine.request.DecodedRequest;
import io.nereid.engine.request.OutputRequest;
import io.nereid.engine.request.RequestErrors;
import io.nereid.error.InferenceException;
import io.nereid.protocol.inference.InferParameter;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A reader that checks a parsed {@code ModelInferRequest} and makes it a {@link DecodedRequest};
 * the error texts are those of Triton's gRPC front end.
 */
public final class ProtoRequestReader {
  private ProtoRequestReader() {}

  /**
   * Decodes a request. Takes it: its memory passes to the result, or is released.
   *
   * @param memory allocates inputs with typed contents, and those in regions
   * @param regions where inputs may be, and outputs may go
   * @throws InferenceException with the first error
   */
  public static DecodedRequest read(
      ProtoRequest request, LeaseSource memory, SharedRegions regions) {
    List<Lease> leases = new ArrayList<>(request.inputs.size());
    List<OutputRequest> outputs = new ArrayList<>(request.outputs.size());
    try (request) {
      var options = ProtoParameters.read(request.parameters);
      List<Tensor> inputs = readInputs(request, leases, memory, regions);
      readOutputs(request, regions, outputs);
      return new DecodedRequest(request.id, inputs, outputs, options, true, leases);
    } catch (RuntimeException | Error failure) {
      leases.forEach(Lease::close);
      OutputRequest.closeTargets(outputs);
      throw failure;
    }
  }

  /** The bytes that are to be copied from regions, as far as the request is right. */
  public static long regionBytes(ProtoRequest request) {
    long sum = 0;
    for (ProtoTensor input : request.inputs) {
      if (!input.parameters.isEmpty()) {
        sum += Math.clamp(RegionParameters.byteSize(input.parameters), 0, 1L << 40);
      }
    }
    return sum;
  }

  /** The bytes of typed contents that are to be converted. */
  public static long contentsBytes(ProtoRequest request) {
    long sum = 0;
    for (ProtoTensor input : request.inputs) {
      sum += input.contents == null ? 0 : input.contents.byteSize();
    }
    return sum;
  }

  private static List<Tensor> readInputs(
      ProtoRequest request, List<Lease> leases, LeaseSource memory, SharedRegions regions) {
    List<Lease> raw = request.rawContents;
    int used = 0;
    List<Tensor> tensors = new ArrayList<>(request.inputs.size());
    Set<String> names = HashSet.newHashSet(request.inputs.size());
    for (ProtoTensor input : request.inputs) {
      String name = input.name;
      if (!names.add(name)) {
        throw RequestErrors.duplicateInput(request.id, name);
      }
      Lease lease;
      DataType type = dataType(input);
      RegionSlice source =
          input.parameters.isEmpty()
              ? null
              : RegionParameters.slice(name, input.parameters, regions);
      if (source != null) {
        lease = readRegion(source, input, request.modelName, memory);
      } else if (!raw.isEmpty()) {
        if (input.contents != null) {
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
      } else if (input.contents != null) {
        lease = input.contents.read(name, type, request.modelName, memory);
      } else {
        throw noData(request, name);
      }
      leases.add(lease);
      tensors.add(new Tensor(name, type, Shape.of(input.shape()), lease.segment()));
    }
    return tensors;
  }

  private static Lease readRegion(
      RegionSlice source, ProtoTensor input, String model, LeaseSource memory) {
    if (input.contents != null) {
      source.close();
      throw invalid(
          "unexpected 'content' provided when using shared memory for input tensor '%s' for model"
              + " '%s'",
          input.name, model);
    }
    return source.read(memory);
  }

  private static DataType dataType(ProtoTensor input) {
    return DataType.parse(input.dataType)
        .orElseThrow(() ->
            invalid(
                "inference input '%s' data-type is '%s', which is not one of the protocol's",
                input.name, input.dataType));
  }

  private static void readOutputs(
      ProtoRequest request, SharedRegions regions, List<OutputRequest> outputs) {
    Set<String> names = HashSet.newHashSet(request.outputs.size());
    for (ProtoTensor output : request.outputs) {
      String name = output.name;
      if (!names.add(name)) {
        throw RequestErrors.duplicateOutput(request.id, name);
      }
      outputs.add(
          output.parameters.isEmpty()
              ? new OutputRequest(name, true, 0)
              : readOutput(name, output, regions));
    }
  }

  private static OutputRequest readOutput(String name, ProtoTensor output, SharedRegions regions) {
    long classes = classification(output);
    if (classes > 0 && RegionParameters.name(output.parameters)) {
      throw invalid("output can't set both 'shared_memory_region' and 'classification'");
    }
    RegionSlice target = RegionParameters.slice(name, output.parameters, regions);
    return new OutputRequest(name, true, classes, target);
  }

  private static long classification(ProtoTensor output) {
    InferParameter count = output.parameters.get("classification");
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

  private static InferenceException noData(ProtoRequest request, String input) {
    return invalid(
        "unable to find data for input tensor '%s' for model '%s' in request.",
        input, request.modelName);
  }

  private static InferenceException invalid(String format, Object... arguments) {
    return InferenceException.invalid(format.formatted(arguments));
  }
}
