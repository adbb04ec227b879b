package io.nereid.engine.admission;

import io.nereid.engine.memory.RequestMemory;
import io.nereid.engine.request.PendingRequest;
import io.nereid.engine.request.RequestErrors;
import io.nereid.error.InferenceException;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Tensor;

/**
 * The limit of inputs of strings. On the wire an element may have four bytes; a library such as
 * ONNX Runtime makes an object of each, of {@value #OBJECT_BYTES} bytes, beside a copy of its
 * content.
 *
 * @param maxElements of an input
 */
record StringInputs(int maxElements) {
  /** The size of a string of C++ without its content. */
  private static final int OBJECT_BYTES = 32;

  /**
   * Refuses a request by what its shapes say, before its elements are looked at.
   *
   * @throws InferenceException INVALID_ARGUMENT if an input has too many elements
   */
  void requireFew(PendingRequest request) {
    for (Tensor input : request.request().inputs()) {
      if (input.dataType() == DataType.BYTES && input.shape().elementCount() > maxElements) {
        throw InferenceException.invalid(
            "%sinput '%s' for model '%s' has %d strings, more than --max-string-elements=%d"
                .formatted(
                    RequestErrors.prefix(request.id()),
                    input.name(),
                    request.request().model().name(),
                    input.shape().elementCount(),
                    maxElements));
      }
    }
  }

  /**
   * Counts the objects and copies for the request's client.
   *
   * @param request validated
   * @throws InferenceException RESOURCE_EXHAUSTED if there is no memory left now
   */
  void count(PendingRequest request) {
    long bytes = 0;
    for (Tensor input : request.request().inputs()) {
      if (input.dataType() == DataType.BYTES) {
        bytes += input.shape().elementCount() * OBJECT_BYTES + input.byteSize();
      }
    }
    if (bytes > RequestMemory.UNCOUNTED) {
      request.countMore(bytes);
    }
  }
}
