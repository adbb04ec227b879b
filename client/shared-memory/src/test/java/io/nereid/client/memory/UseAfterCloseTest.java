package io.nereid.client.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.client.DataType;
import io.nereid.client.InferRequest;
import io.nereid.client.NereidClient;
import io.nereid.client.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** All that {@link SharedMemory} lends, used after its close: twice, and from another thread. */
@Timeout(60)
@EnabledOnOs(OS.LINUX)
class UseAfterCloseTest {
  /** What a program may still hold, and what it may do with that. */
  private static Map<String, ThrowingCallable> uses(SharedMemory memory) {
    SharedSlice slice = memory.slice(64);
    MemorySegment segment = slice.segment();
    ByteBuffer buffer = slice.buffer();
    Tensor input = slice.tensor(DataType.INT32, 2);
    Tensor written = slice.write(Tensor.of(new int[] {1, 2}));
    Tensor read = slice.read(Tensor.ofRegion(slice.region(), DataType.INT32, 2));
    Tensor text =
        slice.read(
            Tensor.ofRegion(slice.region(), DataType.INT8, 8)); // the same bytes, of another type
    assertThat(read.ints()).containsExactly(1, 2);
    assertThat(input.shape()).isEqualTo(written.shape());

    Map<String, ThrowingCallable> uses = new LinkedHashMap<>();
    uses.put("SharedMemory.slice", () -> memory.slice(1));
    uses.put("SharedSlice.segment", slice::segment);
    uses.put("SharedSlice.buffer", slice::buffer);
    uses.put("SharedSlice.tensor", () -> slice.tensor(DataType.INT32, 2));
    uses.put("SharedSlice.write", () -> slice.write(Tensor.of(new int[] {3})));
    uses.put("SharedSlice.output", () -> slice.output("OUT"));
    uses.put(
        "SharedSlice.read", () -> slice.read(Tensor.ofRegion(slice.region(), DataType.INT32, 2)));
    uses.put(
        "SharedSlice.read of strings",
        () -> slice.read(Tensor.ofRegion(slice.region(), DataType.BYTES, 1)));
    uses.put("a segment, read", () -> segment.get(ValueLayout.JAVA_BYTE, 0));
    uses.put("a segment, written", () -> segment.set(ValueLayout.JAVA_BYTE, 0, (byte) 1));
    uses.put("a buffer, read", () -> buffer.getInt(0));
    uses.put("a buffer, written", () -> buffer.putInt(0, 1));
    uses.put("a tensor's array", read::ints);
    uses.put("a tensor's bytes", text::byteValues);
    uses.put("a tensor's data", () -> read.data().get(0));
    return uses;
  }

  private static void assertAllThrow(Map<String, ThrowingCallable> uses) {
    uses.forEach((name, use) ->
        assertThatThrownBy(use)
            .as(name)
            .isInstanceOf(IllegalStateException.class)
            .message()
            .containsIgnoringCase("closed"));
  }

  @Test
  void throwsWhateverIsUsed() throws Exception {
    try (var server = new StubServer(_ -> 200);
        var client = NereidClient.connect(server.address())) {
      SharedMemory memory = SharedMemory.create(client, 4096);
      Map<String, ThrowingCallable> uses = uses(memory);

      memory.close();
      assertAllThrow(uses);
      memory.close();
      assertAllThrow(uses);

      var elsewhere = new CompletableFuture<Void>();
      Thread.ofPlatform()
          .start(() -> {
            try {
              memory.close();
              assertAllThrow(uses);
              elsewhere.complete(null);
            } catch (Throwable thrown) {
              elsewhere.completeExceptionally(thrown);
            }
          });
      elsewhere.join();
      assertThat(memory.byteSize()).as("a number, no memory").isEqualTo(4096);
    }
  }

  @Test
  void namesTheMemoryThatIsClosed() throws Exception {
    try (var server = new StubServer(_ -> 200);
        var client = NereidClient.connect(server.address())) {
      SharedMemory memory = SharedMemory.create(client, 4096);
      SharedSlice slice = memory.slice(1);

      memory.close();

      assertThatThrownBy(slice::buffer)
          .hasMessage("the shared memory '%s' is closed".formatted(memory.name()));
    }
  }

  /** A request that was made before the close, and is sent behind it. */
  @Test
  void aMessageWithItsBytesIsNotSent() throws Exception {
    try (var server = new StubServer(_ -> 200);
        var client = NereidClient.connect(server.address())) {
      SharedMemory memory = SharedMemory.create(client, 4096);
      SharedSlice slice = memory.slice(8);
      var read = slice.read(Tensor.ofRegion(slice.region(), DataType.INT32, 2));
      var request = InferRequest.to("m").input("IN", read).build();

      memory.close();

      assertThatThrownBy(() -> client.infer(request)).hasStackTraceContaining("closed");
      assertThat(client.inferAsync(request))
          .failsWithin(Duration.ofSeconds(30))
          .withThrowableThat()
          .withStackTraceContaining("losed");
    }
  }
}
