package io.nereid.engine.request.validation;

import io.nereid.config.TensorConfig;
import io.nereid.tck.support.Samples;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** The number and the lengths of strings. The texts are Triton's. */
class InputStringsTest extends ValidatedRequests {
  @Test
  void checksTheNumberAndTheLengthsOfStrings() {
    RequestValidator texts = validator(0, TensorConfig.of("S", DataType.BYTES, Shape.of(2)));

    assertAccepted(texts, strings(0, "one", ""));
    assertRejected(
        texts,
        "[request id: r1] expected 2 string elements for inference input 'S' for model 'm', got 1",
        strings(0, "one"));
    assertRejected(
        texts,
        "[request id: r1] unexpected number of string elements 3 for inference input 'S' for model"
            + " 'm', expecting 2",
        strings(0, "one", "two", "three"));
    assertRejected(
        texts,
        "[request id: r1] incomplete string length indicator for inference input 'S' for model 'm',"
            + " expecting 4 bytes but only 2 bytes available. Please make sure the string length"
            + " indicator is in one buffer.",
        strings(2, "one"));
    assertRejected(
        texts,
        "[request id: r1] incomplete string data for inference input 'S' for model 'm', expecting"
            + " string of length 3 but only 1 bytes available",
        strings(-2, "one", "two"));
  }

  @Test
  void readsALengthOfFourGigabytesAsUnsigned() {
    RequestValidator texts = validator(0, TensorConfig.of("S", DataType.BYTES, Shape.of(1)));
    byte[] data = {-1, -1, -1, -1, 'a'};
    assertRejected(
        texts,
        "[request id: r1] incomplete string data for inference input 'S' for model 'm', expecting"
            + " string of length 4294967295 but only 1 bytes available",
        new Tensor("S", DataType.BYTES, Shape.of(1), MemorySegment.ofArray(data)));
  }

  /** Elements in their packed form, lengthened or shortened by some bytes. */
  private static Tensor strings(int more, String... values) {
    byte[] packed = Samples.strings(values);
    byte[] data = Arrays.copyOf(packed, packed.length + more);
    return new Tensor("S", DataType.BYTES, Shape.of(2), MemorySegment.ofArray(data));
  }
}
