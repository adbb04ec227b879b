package io.nereid.server.codec.json;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.engine.memory.Lease;
import io.nereid.engine.memory.LeaseSource;
import io.nereid.engine.request.DecodedRequest;
import io.nereid.engine.request.RequestErrors;
import io.nereid.error.InferenceException;
import io.nereid.request.RequestOptions;
import io.nereid.server.codec.InputLeases;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** A reader of raw requests: the body is the model's only input, in a batch of 1. */
public final class RawRequestReader {
  /** What the prefix of a string can tell. */
  private static final long MAX_LENGTH = 0xFFFF_FFFFL;

  /** A raw request has no id. */
  private static final String NO_ID = RequestErrors.prefix("");

  private RawRequestReader() {}

  /**
   * Reads a request.
   *
   * @param body taken
   * @param inputs allocates the input if it is not used in place
   */
  public static DecodedRequest read(Lease body, ModelConfig model, LeaseSource inputs) {
    try (var leases = new InputLeases(body, inputs)) {
      Tensor input = input(leases, model);
      return new DecodedRequest(
          "", List.of(input), List.of(), RequestOptions.NONE, true, leases.take());
    }
  }

  /** The failure of a body beyond the limit. */
  public static InferenceException tooLarge(long byteSize, long maxInputSize) {
    return InferenceException.invalid(
        ("Raw input has a byte_size (%d bytes) that exceeds the maximum allowed value of %d"
                + " bytes. %s")
            .formatted(byteSize, maxInputSize, JsonInputReader.RAISE_THE_LIMIT));
  }

  private static Tensor input(InputLeases leases, ModelConfig model) {
    if (model.inputs().size() != 1) {
      throw InferenceException.invalid(
          NO_ID
              + ("Raw request must only have 1 input (found 1) to be deduced but got %d inputs in"
                      + " '%s' model configuration")
                  .formatted(model.inputs().size(), model.name()));
    }
    TensorConfig input = model.inputs().getFirst();
    DataType dataType = input.dataType();
    MemorySegment body = leases.body();
    Shape shape = shape(input, body.byteSize());
    if (model.batches() && !input.shapeTensor()) {
      shape = shape.withLeading(1);
    }
    if (dataType != DataType.BYTES) {
      MemorySegment data = leases.slice(0, body.byteSize(), dataType);
      return new Tensor(input.name(), dataType, shape, data);
    }
    int length = length(body.byteSize());
    MemorySegment element = leases.lease(Integer.BYTES + body.byteSize());
    element.set(Elements.INT, 0, length);
    Elements.copy(body, element.asSlice(Integer.BYTES));
    return new Tensor(input.name(), dataType, shape, element);
  }

  /**
   * The length of a string, as its prefix has it: unsigned.
   *
   * @throws InferenceException INVALID_ARGUMENT if the prefix cannot tell it
   */
  static int length(long byteSize) {
    if (byteSize > MAX_LENGTH) {
      throw InferenceException.invalid(
          NO_ID
              + "a raw input of type BYTES has at most %d bytes, got %d"
                  .formatted(MAX_LENGTH, byteSize));
    }
    return (int) byteSize;
  }

  /** The input's shape; a variable dimension is deduced from the byte size. */
  private static Shape shape(TensorConfig input, long byteSize) {
    long[] dims = input.dims().dims();
    int open = -1;
    long known = 1;
    for (int i = 0; i < dims.length; i++) {
      if (dims[i] != Shape.WILDCARD) {
        known = Math.multiplyExact(known, dims[i]);
      } else if (open < 0) {
        open = i;
      } else {
        throw InferenceException.invalid(
            NO_ID
                + ("The shape of the raw input '%s' can not be deduced because there are more than"
                        + " one variable-sized dimension")
                    .formatted(input.name()));
      }
    }
    if (input.dataType() == DataType.BYTES) {
      if (known != 1 || open >= 0) {
        throw InferenceException.invalid(
            NO_ID
                + "For BYTE datatype raw input '%s', the model must have input shape [1]"
                    .formatted(input.name()));
      }
    } else if (open >= 0) {
      long rowSize = known * input.dataType().byteSize();
      dims[open] = rowSize == 0 ? 0 : byteSize / rowSize;
    }
    return Shape.of(dims);
  }
}
