package io.nereid.engine.scheduling;

import io.nereid.request.InferenceRequest;
import io.nereid.tensor.BytesElements;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Tensor;
import java.util.Optional;

/**
 * What the rows of a model's requests weigh: how many elements a row of one input has, or how many
 * bytes the elements of a row of type BYTES have without the prefixes with their lengths.
 *
 * @param input its name; every request has it
 */
record RequestWeights(String input) {
  /** The weight of each row, at least 1; the mean of them, rounded up, if they differ. */
  int of(InferenceRequest request) {
    Optional<Tensor> tensor = request.input(input);
    return tensor.isEmpty() ? 1 : of(tensor.get());
  }

  private static int of(Tensor tensor) {
    long elements = tensor.shape().elementCount();
    long all =
        tensor.dataType() == DataType.BYTES
            ? tensor.byteSize() - elements * BytesElements.PREFIX
            : elements;
    long rows = Math.max(1, tensor.shape().dim(0));
    return Math.clamp(Math.ceilDiv(all, rows), 1, Integer.MAX_VALUE);
  }
}
