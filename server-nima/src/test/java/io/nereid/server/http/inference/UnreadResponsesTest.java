package io.nereid.server.http.inference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.engine.memory.ClientKey;
import io.nereid.engine.memory.RequestMemory;
import io.nereid.engine.request.InferenceResponse;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.request.ModelKey;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class UnreadResponsesTest {
  private static final long MEGABYTE = 1 << 20;

  private final RequestMemory memory = new RequestMemory(Long.MAX_VALUE / 4, Long.MAX_VALUE);
  private final UnreadResponses unread = new UnreadResponses(memory, ClientKey.LOCAL);

  /** A response of that size in all; nothing reads its memory. */
  private static InferenceResponse response(long byteSize) {
    long data = byteSize - UnreadResponses.OVERHEAD;
    var output =
        new Tensor(
            "X", DataType.UINT8, Shape.of(data), MemorySegment.ofAddress(64).reinterpret(data));
    return new InferenceResponse(new ModelKey("m", 1), "7", Map.of(), List.of(output), List.of());
  }

  @Test
  void aSingleResponseHasNoLimit() {
    unread.add(response(4 * UnreadResponses.MAX_BYTES));

    assertThat(memory.usedBytes()).isZero();
    unread.remove(response(4 * UnreadResponses.MAX_BYTES));
    assertThat(memory.usedBytes()).isZero();
  }

  @Test
  void manySmallResponsesReachTheLimitOfBytes() {
    unread.add(response(MEGABYTE));
    for (long bytes = 0; bytes < UnreadResponses.MAX_BYTES; bytes += MEGABYTE) {
      unread.add(response(MEGABYTE));
    }

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> unread.add(response(MEGABYTE)))
        .withMessage(
            "[request id: 7] the client reads its stream too slowly: more than 134217728 bytes wait"
                + " to be read")
        .satisfies(failure -> assertThat(failure.code()).isEqualTo(StatusCode.UNAVAILABLE));
    unread.remove(response(MEGABYTE)); // the one that is not counted
    unread.remove(response(MEGABYTE));
    unread.add(response(MEGABYTE));
  }

  @Test
  void whatWaitsIsCountedForTheClientUntilItIsRead() {
    unread.add(response(MEGABYTE));
    for (int i = 0; i < 10; i++) {
      unread.add(response(MEGABYTE));
    }
    assertThat(memory.usedBytes()).isEqualTo(10 * MEGABYTE);

    for (int i = 0; i < 6; i++) {
      unread.remove(response(MEGABYTE));
    }
    assertThat(memory.usedBytes()).isBetween(5 * MEGABYTE, 6 * MEGABYTE);
    for (int i = 0; i < 5; i++) {
      unread.remove(response(MEGABYTE));
    }
    assertThat(memory.usedBytes()).isZero();
  }

  @Test
  void aClientWithoutMemoryIsTooSlow() {
    var small = new RequestMemory(4 * MEGABYTE, Long.MAX_VALUE);
    var slow = new UnreadResponses(small, ClientKey.LOCAL);
    slow.add(response(MEGABYTE));
    slow.add(response(MEGABYTE));
    slow.add(response(MEGABYTE));

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> slow.add(response(2 * MEGABYTE)))
        .withMessageStartingWith("[request id: 7] the client reads its stream too slowly: ")
        .satisfies(failure -> assertThat(failure.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED));
    for (int i = 0; i < 3; i++) {
      slow.remove(response(MEGABYTE));
    }
    assertThat(small.usedBytes()).isZero();
  }
}
