package io.nereid.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.memory.ClientKey;
import io.nereid.error.InferenceException;
import io.nereid.server.grpc.connection.TransportMemory;
import org.junit.jupiter.api.Test;

/** Rejections and failures on a stream whose client has asked for {@code triton_grpc_error}. */
class StreamRequestTest {
  private final RecordedCall call = new RecordedCall();
  private final TransportMemory memory = new TransportMemory(16 << 20);
  private final StreamWriter writer =
      new StreamWriter(call, bytes -> memory.reserve(ClientKey.LOCAL, bytes));
  private final StreamRequest request = new StreamRequest(writer, new CheckedBufferPool(), true);

  @Test
  void aRejectionIsAMessageOnWhicheverThread() throws InterruptedException {
    writer.enter(request);

    Thread.ofVirtual()
        .start(() -> request.promise().reject(InferenceException.unavailable("full")))
        .join();

    assertThat(call.errors()).containsExactly("full");
    assertThat(call.closed).isEmpty();
  }

  @Test
  void aFailureEndsTheStreamAlsoOnTheSubmittingThread() {
    writer.enter(request);

    request.promise().fail(InferenceException.unavailable("failed"));

    assertThat(call.errors()).isEmpty();
    assertThat(call.closed).extracting(Status::getDescription).containsExactly("failed");
  }
}
