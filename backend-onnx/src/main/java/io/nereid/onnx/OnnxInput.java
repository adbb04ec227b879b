package io.nereid.onnx;

import io.nereid.config.TensorConfig;
import io.nereid.error.InferenceException;
import io.nereid.onnx.ort.OrtRun;
import io.nereid.onnx.ort.OrtTensorInfo;
import io.nereid.tensor.BytesElements;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;

/**
 * An input of the model.
 *
 * @param index its position in a run
 */
record OnnxInput(int index, TensorConfig config, OrtTensorInfo info) {
  String name() {
    return config.name();
  }

  /** Passes the tensor to the run: in place, or copied if it contains strings. */
  void give(Tensor tensor, OrtRun run) {
    // Configurations have no scalars: they declare one element.
    boolean scalar = info.hasRank() && info.dims().rank() == 0;
    Shape shape = scalar ? info.dims() : tensor.shape();
    if (tensor.dataType() == DataType.BYTES) {
      checkStrings(tensor.data(), shape.elementCount());
      run.strings(index, tensor.data(), shape);
    } else {
      run.input(index, tensor.data(), info.elementType(), shape);
    }
  }

  /** Rejects data that has not exactly {@code expected} elements, with Triton's messages. */
  private void checkStrings(MemorySegment data, long expected) {
    long count = 0;
    long offset = 0;
    while (offset < data.byteSize()) {
      long left = data.byteSize() - offset;
      if (left < BytesElements.PREFIX) {
        throw InferenceException.invalid(
            ("incomplete string length indicator for inference input '%s', expecting 4 bytes but"
                    + " only %d bytes available")
                .formatted(name(), left));
      }
      long length = BytesElements.lengthAt(data, offset);
      left -= BytesElements.PREFIX;
      if (length > left) {
        throw InferenceException.invalid(
            ("incomplete string data for inference input '%s', expecting string of length %d but"
                    + " only %d bytes available")
                .formatted(name(), length, left));
      }
      offset += BytesElements.PREFIX + length;
      count++;
    }
    if (count != expected) {
      throw InferenceException.invalid(
          "expected %d strings for inference input '%s', got %d"
              .formatted(expected, name(), count));
    }
  }
}
