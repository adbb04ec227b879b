package io.nereid.engine.cache;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.nereid.engine.memory.Lease;
import io.nereid.engine.request.InferenceResponse;
import io.nereid.engine.testing.FuzzedMemory;
import io.nereid.request.InferenceRequest;
import io.nereid.request.ModelKey;
import io.nereid.request.RequestOptions;
import io.nereid.spi.cache.CacheEntry;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;

/** Any bytes as an entry, which a cache of another's making may return. */
class CachedResponseFuzzTest {
  private static final InferenceRequest REQUEST =
      new InferenceRequest(
          new ModelKey("m", 1),
          "",
          List.of(
              new Tensor("i", DataType.INT8, Shape.of(1), MemorySegment.ofArray(new byte[] {7}))),
          List.of(),
          RequestOptions.NONE);

  private static final RequestContent CONTENT = RequestContent.of(REQUEST);

  @FuzzTest
  void isReadOrRejected(byte[] input) {
    FuzzedMemory.run(input, memory -> readOrReject(memory.copyOf(input)));
  }

  /**
   * What stands behind the content of the request; the first byte is the size of the description.
   */
  @FuzzTest
  void isReadOrRejectedForItsRequest(byte[] input) {
    if (input.length == 0) {
      return;
    }
    int description = Math.min(input[0] & 0xff, input.length - 1);
    byte[] head = CONTENT.head();
    var entry = new byte[3 * Long.BYTES + head.length + 1 + input.length - 1];
    MemorySegment bytes = MemorySegment.ofArray(entry);
    bytes.set(Elements.LONG, 0, head.length);
    bytes.set(Elements.LONG, Long.BYTES, description);
    bytes.set(Elements.LONG, 2L * Long.BYTES, 1);
    int at = 3 * Long.BYTES;
    System.arraycopy(head, 0, entry, at, head.length);
    at += head.length;
    System.arraycopy(input, 1, entry, at, description);
    at += description;
    entry[at] = 7; // the input
    System.arraycopy(input, 1 + description, entry, at + 1, input.length - 1 - description);
    FuzzedMemory.run(input, memory -> readOrReject(memory.copyOf(entry)));
  }

  private static void readOrReject(Lease bytes) {
    var entry =
        new CacheEntry() {
          @Override
          public MemorySegment data() {
            return bytes.segment();
          }

          @Override
          public void close() {
            bytes.close();
          }
        };
    Optional<InferenceResponse> response = Optional.empty();
    try {
      response = CachedResponse.read(entry, CONTENT, REQUEST);
      for (Tensor output : response.map(InferenceResponse::outputs).orElse(List.of())) {
        if (output.dataType().hasFixedSize()) {
          assertThat(output.byteSize())
              .isEqualTo(output.shape().elementCount() * output.dataType().byteSize());
        }
      }
    } catch (IllegalStateException damaged) {
      assertThat(damaged.getMessage()).contains("an entry");
    } finally {
      response.ifPresentOrElse(InferenceResponse::close, entry::close);
    }
  }
}
