package io.nereid.server.codec.protobuf;

import io.nereid.engine.memory.LeaseSource;
import io.nereid.error.InferenceException;
import io.nereid.protocol.inference.InferParameter;
import io.nereid.server.codec.RequestLimits;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A parser of {@code ModelInferRequest}. The data of tensors, nearly all of the bytes, is copied
 * from the transport's buffers into pooled memory: raw tensors (field 7) as they are, typed
 * contents in wire form. The rest lies on the heap, within {@link RequestLimits}; unknown fields
 * are skipped.
 */
public final class ProtoRequestParser {
  /** The most of an input's typed contents: to count and convert them takes a second. */
  private static final long MAX_CONTENTS = 64 << 20;

  /** The pools that models prefer for their inputs. */
  @FunctionalInterface
  public interface InputPools {
    /**
     * The pool for the inputs of a model, which may not exist.
     *
     * @param version as sent; empty if absent
     */
    LeaseSource of(String model, String version);
  }

  private final InputPools pools;

  /**
   * @param pools asked at a request's first tensor; clients send the model's name before it
   */
  public ProtoRequestParser(InputPools pools) {
    this.pools = pools;
  }

  /**
   * Parses one message.
   *
   * @return owned by the caller
   * @throws InferenceException INVALID_ARGUMENT if the message is malformed or has too much of
   *     something; RESOURCE_EXHAUSTED if there is no memory
   */
  public ProtoRequest parse(ProtoInput input) {
    var request = new ProtoRequest();
    try {
      for (int tag = input.readTag(); tag != 0; tag = input.readTag()) {
        readField(request, input, tag);
      }
      return request;
    } catch (RuntimeException | Error failure) {
      request.close();
      throw failure;
    }
  }

  private void readField(ProtoRequest request, ProtoInput input, int tag) {
    switch (tag) {
      case 7 << 3 | ProtoInput.LENGTH_DELIMITED -> {
        requireRoom(request.rawContents.size(), "raw_input_contents");
        request.rawContents.add(input.readLease(pool(request)));
      }
      case 5 << 3 | ProtoInput.LENGTH_DELIMITED -> {
        requireRoom(request.inputs.size(), "inputs");
        var tensor = new ProtoTensor();
        request.inputs.add(tensor);
        readInput(request, tensor, input);
      }
      case 6 << 3 | ProtoInput.LENGTH_DELIMITED -> {
        requireRoom(request.outputs.size(), "outputs");
        var tensor = new ProtoTensor();
        request.outputs.add(tensor);
        readOutput(request, tensor, input);
      }
      case 4 << 3 | ProtoInput.LENGTH_DELIMITED ->
          readParameter(request, request.parameters, input);
      case 1 << 3 | ProtoInput.LENGTH_DELIMITED ->
          request.modelName = input.readString("the name of the model", RequestLimits.MAX_NAME);
      case 2 << 3 | ProtoInput.LENGTH_DELIMITED ->
          request.modelVersion =
              input.readString("the version of the model", RequestLimits.MAX_NAME);
      case 3 << 3 | ProtoInput.LENGTH_DELIMITED ->
          request.id = input.readString("the id of the request", RequestLimits.MAX_ID);
      default -> input.skipField(tag);
    }
  }

  private LeaseSource pool(ProtoRequest request) {
    return pools.of(request.modelName, request.modelVersion);
  }

  private static void requireRoom(int count, String what) {
    if (count == RequestLimits.MAX_TENSORS) {
      throw RequestLimits.tooMany(what, RequestLimits.MAX_TENSORS);
    }
  }

  private void readInput(ProtoRequest request, ProtoTensor tensor, ProtoInput input) {
    long outer = input.beginMessage();
    for (int tag = input.readTag(); tag != 0; tag = input.readTag()) {
      switch (tag) {
        case 1 << 3 | ProtoInput.LENGTH_DELIMITED ->
            tensor.name = input.readString("the name of an input", RequestLimits.MAX_NAME);
        case 2 << 3 | ProtoInput.LENGTH_DELIMITED ->
            tensor.dataType = input.readString("the datatype of an input", RequestLimits.MAX_NAME);
        case 3 << 3 | ProtoInput.VARINT -> tensor.addDim(input.readVarint());
        case 3 << 3 | ProtoInput.LENGTH_DELIMITED -> {
          long list = input.beginMessage();
          while (input.hasMoreOfMessage()) {
            tensor.addDim(input.readVarint());
          }
          input.endMessage(list);
        }
        case 4 << 3 | ProtoInput.LENGTH_DELIMITED ->
            readParameter(request, tensor.ownParameters(), input);
        case 5 << 3 | ProtoInput.LENGTH_DELIMITED -> readContents(tensor, input, pool(request));
        default -> input.skipField(tag);
      }
    }
    input.endMessage(outer);
  }

  /** Reads contents, which may come in parts. */
  private static void readContents(ProtoTensor tensor, ProtoInput input, LeaseSource pool) {
    long length = input.readLength();
    TypedContents contents = tensor.contents;
    if (contents == null) {
      contents = new TypedContents(pool, MAX_CONTENTS, length);
      tensor.contents = contents;
    }
    contents.add(input, length);
  }

  private static void readOutput(ProtoRequest request, ProtoTensor tensor, ProtoInput input) {
    long outer = input.beginMessage();
    for (int tag = input.readTag(); tag != 0; tag = input.readTag()) {
      switch (tag) {
        case 1 << 3 | ProtoInput.LENGTH_DELIMITED ->
            tensor.name = input.readString("the name of an output", RequestLimits.MAX_NAME);
        case 2 << 3 | ProtoInput.LENGTH_DELIMITED ->
            readParameter(request, tensor.ownParameters(), input);
        default -> input.skipField(tag);
      }
    }
    input.endMessage(outer);
  }

  /** An entry of the map: key 1, value 2. */
  private static void readParameter(
      ProtoRequest request, Map<String, InferParameter> parameters, ProtoInput input) {
    long before = input.left();
    long outer = input.beginMessage();
    String key = "";
    InferParameter value = InferParameter.getDefaultInstance();
    for (int tag = input.readTag(); tag != 0; tag = input.readTag()) {
      switch (tag) {
        case 1 << 3 | ProtoInput.LENGTH_DELIMITED ->
            key = input.readString("the name of a parameter", RequestLimits.MAX_NAME);
        case 2 << 3 | ProtoInput.LENGTH_DELIMITED -> value = readValue(value, input);
        default -> input.skipField(tag);
      }
    }
    input.endMessage(outer);
    request.countParameter(before - input.left());
    parameters.put(key, value);
    if (parameters.size() > RequestLimits.MAX_PARAMETERS) {
      throw RequestLimits.tooMany("parameters", RequestLimits.MAX_PARAMETERS);
    }
  }

  /** The last choice wins; without one, what was before stays, as a value may come in parts. */
  private static InferParameter readValue(InferParameter before, ProtoInput input) {
    long outer = input.beginMessage();
    InferParameter.@Nullable Builder value = null;
    for (int tag = input.readTag(); tag != 0; tag = input.readTag()) {
      InferParameter.Builder set = value == null ? InferParameter.newBuilder() : value;
      switch (tag) {
        case 1 << 3 | ProtoInput.VARINT -> value = set.setBoolParam(input.readVarint() != 0);
        case 2 << 3 | ProtoInput.VARINT -> value = set.setInt64Param(input.readVarint());
        case 3 << 3 | ProtoInput.LENGTH_DELIMITED ->
            value =
                set.setStringParam(
                    input.readString("the text of a parameter", RequestLimits.MAX_PARAMETER_BYTES));
        case 4 << 3 | ProtoInput.FIXED64 ->
            value = set.setDoubleParam(Double.longBitsToDouble(input.readFixed64()));
        case 5 << 3 | ProtoInput.VARINT -> value = set.setUint64Param(input.readVarint());
        default -> input.skipField(tag);
      }
    }
    input.endMessage(outer);
    return value == null ? before : value.build();
  }
}
