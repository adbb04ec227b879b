package io.nereid.server.codec.json;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.engine.memory.Lease;
import io.nereid.engine.memory.LeaseSource;
import io.nereid.engine.request.DecodedRequest;
import io.nereid.engine.request.RequestErrors;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.request.Parameter;
import io.nereid.request.RequestOptions;
import io.nereid.request.SequenceId;
import io.nereid.server.codec.InputLeases;
import io.nereid.server.codec.RequestLimits;
import io.nereid.server.codec.json.document.JsonDocument;
import io.nereid.server.codec.json.document.JsonValue;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A reader of the body of {@code POST .../generate} and {@code .../generate_stream}: an object
 * whose members are inputs, if the model has an input of that name, else parameters. The members of
 * {@code parameters} count as if they were beside it. Checks in Triton's order and with its texts;
 * the engine checks the request against its model. Thread-safe.
 *
 * <p>A value is one element, or a flat array of them. Its shape follows from the model's: the
 * dimensions that are fixed divide the elements, the innermost that is open takes what is left, and
 * others that are open are 1.
 */
public final class GenerateRequestReader {
  private static final String ID = "id";
  private static final String PARAMETERS = "parameters";

  /** Members of an object: inputs and parameters. */
  private static final int MAX_MEMBERS = RequestLimits.MAX_TENSORS + RequestLimits.MAX_PARAMETERS;

  private final long maxInputSize;

  /**
   * @param maxInputSize the limit of the JSON, and of all tensors in it, in bytes
   */
  public GenerateRequestReader(long maxInputSize) {
    this.maxInputSize = maxInputSize;
  }

  /**
   * Reads a request.
   *
   * @param body the whole body; taken
   * @param model its inputs become tensors
   * @param takesNull whether null is a missing value of the model: NaN, or an empty string
   * @param inputs allocates them
   * @throws InferenceException INTERNAL for malformed JSON and JSON values of the wrong type, else
   *     INVALID_ARGUMENT
   */
  public DecodedRequest read(Lease body, ModelConfig model, boolean takesNull, LeaseSource inputs) {
    try (var leases = new InputLeases(body, inputs)) {
      long jsonSize = leases.body().byteSize();
      if (jsonSize > maxInputSize) {
        throw JsonRequestReader.tooLarge(jsonSize, maxInputSize);
      }
      return new Reading(leases, model, takesNull).read(JsonDocument.parse(leases.body()).root());
    }
  }

  /** One request. */
  private final class Reading {
    private final InputLeases leases;
    private final ModelConfig model;
    private final boolean takesNull;
    private final Map<String, Tensor> inputs = new LinkedHashMap<>();
    private final Map<String, Parameter> parameters = new HashMap<>();
    private final RequestParameters given = new RequestParameters();
    private String id = "";
    private long inputBytes;

    Reading(InputLeases leases, ModelConfig model, boolean takesNull) {
      this.leases = leases;
      this.model = model;
      this.takesNull = takesNull;
    }

    DecodedRequest read(JsonValue request) {
      id = JsonRequestReader.id(request.find(ID));
      for (JsonValue.Member member : members(request)) {
        if (member.name().equals(PARAMETERS)) {
          readNested(member.value());
        } else {
          read(member.name(), member.value());
        }
      }
      var options = new RequestOptions(SequenceId.NONE, false, false, 0, 0, parameters);
      return new DecodedRequest(
          id, List.copyOf(inputs.values()), List.of(), options, false, leases.take());
    }

    /** An object's members; those of a name that was given before have its first value. */
    private static List<JsonValue.Member> members(JsonValue object) {
      List<JsonValue.Member> members = new ArrayList<>();
      Map<String, JsonValue> first = new HashMap<>();
      for (JsonValue.Member member :
          object.members(MAX_MEMBERS, "inputs and parameters", RequestLimits.MAX_NAME)) {
        JsonValue before = first.putIfAbsent(member.name(), member.value());
        members.add(before == null ? member : new JsonValue.Member(member.name(), before));
      }
      return members;
    }

    private void readNested(JsonValue nested) {
      if (model.input(PARAMETERS).isPresent()) {
        throw InferenceException.invalid(
            "Keyword 'parameters' for nested schema also given as input tensor name");
      }
      if (!nested.isObject()) {
        throw InferenceException.malformed(
            "Expected JSON object for keyword: 'parameters': attempt to access JSON non-object as"
                + " object");
      }
      for (JsonValue.Member member : members(nested)) {
        try {
          read(member.name(), member.value());
        } catch (InferenceException failure) {
          throw inParameters(failure);
        }
      }
    }

    /** A failure of the request with where it is; others are as they were. */
    private static InferenceException inParameters(InferenceException failure) {
      String message = "Converting keyword: 'parameters': " + failure.getMessage();
      if (failure.code() == StatusCode.INVALID_ARGUMENT) {
        return InferenceException.invalid(message);
      }
      return failure.code() == StatusCode.INTERNAL
          ? InferenceException.malformed(message)
          : failure;
    }

    private void read(String name, JsonValue value) {
      Optional<TensorConfig> input = model.input(name);
      if (input.isEmpty()) {
        if (value.isArray() || value.isObject()) {
          throw noInput(name);
        }
        parameters.put(name, given.parameter(name, value));
        return;
      }
      Tensor tensor = tensor(input.get(), value);
      if (inputs.putIfAbsent(name, tensor) != null) {
        throw RequestErrors.duplicateInput(id, name);
      }
    }

    /** A member that can be no parameter, and so perhaps is a misspelt input. */
    private InferenceException noInput(String name) {
      return InferenceException.invalid(
          "%s Nor is it an input of model '%s', which has %s."
              .formatted(
                  RequestParameters.wrongType(name),
                  model.name(),
                  model.inputs().stream().map(each -> "'" + each.name() + "'").toList()));
    }

    private Tensor tensor(TensorConfig input, JsonValue value) {
      String name = input.name();
      DataType type = input.dataType();
      long count = value.isArray() ? value.elementCount() : 1;
      var data = new JsonTensorData(name, type, value, takesNull);
      long byteSize = type == DataType.BYTES ? data.bytesSize() : count * type.byteSize();
      count(name, byteSize);
      Shape shape = shape(input, count);
      if (byteSize == 0) { // an empty array
        return new Tensor(name, type, shape, leases.lease(0));
      }
      JsonInputReader.requireText(name, type);
      MemorySegment target = leases.lease(byteSize);
      if (type == DataType.BYTES) {
        data.readBytes(target);
      } else if (data.read(count, target) != count) {
        throw noShape(input, "arrays in an array");
      }
      return new Tensor(name, type, shape, target);
    }

    private void count(String name, long byteSize) {
      if (byteSize > maxInputSize - inputBytes) {
        throw InferenceException.invalid(
            ("request size of %d bytes with input '%s' of size %d bytes exceeds the maximum allowed"
                    + " input size of %d. %s")
                .formatted(
                    inputBytes, name, byteSize, maxInputSize, JsonInputReader.RAISE_THE_LIMIT));
      }
      inputBytes += byteSize;
    }

    private Shape shape(TensorConfig input, long count) {
      long[] dims = input.clientSpec(model.maxBatchSize()).shape().dims();
      long left = count;
      for (long dim : dims) {
        if (dim != Shape.WILDCARD) {
          if (dim == 0 || left % dim != 0) {
            throw noShape(input, count + " elements");
          }
          left /= dim;
        }
      }
      for (int i = dims.length - 1; i >= 0; i--) {
        if (dims[i] == Shape.WILDCARD) {
          dims[i] = left;
          left = 1;
        }
      }
      if (left != 1) {
        throw noShape(input, count + " elements");
      }
      return Shape.of(dims);
    }

    private InferenceException noShape(TensorConfig input, String found) {
      return InferenceException.invalid(
          ("The schema can not convert input '%s' to tensor with proper shape: model '%s' expects a"
                  + " flat array for shape %s, got %s")
              .formatted(
                  input.name(),
                  model.name(),
                  input.clientSpec(model.maxBatchSize()).shape(),
                  found));
    }
  }
}
