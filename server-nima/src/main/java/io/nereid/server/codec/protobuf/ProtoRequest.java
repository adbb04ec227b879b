package io.nereid.server.codec.protobuf;

import io.nereid.server.memory.Lease;
import io.nereid.server.protobuf.InferParameter;
import io.nereid.server.protobuf.ModelInferRequest.InferInputTensor;
import io.nereid.server.protobuf.ModelInferRequest.InferRequestedOutputTensor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A {@code ModelInferRequest} as it came: parsed, not yet judged. Its raw tensors are in pooled
 * memory, which it owns until {@link ProtoRequestReader} takes it over.
 */
public final class ProtoRequest implements AutoCloseable {
  String modelName = "";
  String modelVersion = "";
  String id = "";
  final Map<String, InferParameter> parameters = new LinkedHashMap<>(0);
  final List<InferInputTensor> inputs = new ArrayList<>(2);
  final List<InferRequestedOutputTensor> outputs = new ArrayList<>(2);
  List<Lease> rawContents = new ArrayList<>(2);

  ProtoRequest() {}

  public String modelName() {
    return modelName;
  }

  public String modelVersion() {
    return modelVersion;
  }

  public String id() {
    return id;
  }

  /** Whether a stream's client wants to hear of the end of a request that has no last response. */
  public boolean wantsEmptyFinalResponse() {
    InferParameter wanted = parameters.get(ProtoParameters.EMPTY_FINAL_RESPONSE);
    return wanted != null && wanted.getBoolParam();
  }

  /** Gives the raw tensors back, if nobody has taken them over. */
  @Override
  public void close() {
    rawContents.forEach(Lease::close);
    rawContents = List.of();
  }
}
