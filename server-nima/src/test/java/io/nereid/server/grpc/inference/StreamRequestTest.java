package io.nereid.server.grpc.inference;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Metadata;
import io.grpc.Status;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.memory.ClientKey;
import io.nereid.engine.memory.RequestMemory;
import io.nereid.error.InferenceException;
import io.nereid.server.telemetry.access.AccessLog;
import io.nereid.server.telemetry.access.Protocol;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rejections and failures on a stream whose client has asked for {@code triton_grpc_error}. */
class StreamRequestTest {
  private static final Metadata.Key<String> PUSHBACK =
      Metadata.Key.of("grpc-retry-pushback-ms", Metadata.ASCII_STRING_MARSHALLER);

  private final RecordedCall call = new RecordedCall();
  private final RequestMemory memory = new RequestMemory(16 << 20, Long.MAX_VALUE);
  private final StreamWriter writer =
      new StreamWriter(call, bytes -> memory.reserve(ClientKey.LOCAL, bytes), (_, _) -> null);
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
  void aRequestThatIsAbandonedHasALineInTheAccessLog(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("access.log");
    try (AccessLog log = AccessLog.start(file.toString(), false)) {
      request.logged(log, log.begin(Protocol.GRPC, "127.0.0.1"));
      request.abandon();
    }

    assertThat(Files.readAllLines(file)).singleElement().asString().contains("CANCELLED");
  }

  @Test
  void aFailureEndsTheStreamAlsoOnTheSubmittingThread() {
    writer.enter(request);

    request.promise().fail(InferenceException.unavailable("failed"));

    assertThat(call.errors()).isEmpty();
    assertThat(call.closed).extracting(Status::getDescription).containsExactly("failed");
    assertThat(call.trailers).extracting(trailers -> trailers.get(PUSHBACK)).containsOnlyNulls();
  }

  @Test
  void aFailureThatPassesTellsWhenToTryAgain() {
    writer.enter(request);

    request.promise().fail(InferenceException.exhausted("full", Duration.ofMillis(250)));

    assertThat(call.closed).extracting(Status::getDescription).containsExactly("full");
    assertThat(call.trailers).extracting(trailers -> trailers.get(PUSHBACK)).containsExactly("250");
  }

  @Test
  void aFailureThatPassesIsNoTimeToComeAgainWhileAnotherRequestIsUnderWay() {
    writer.enter(new StreamRequest(writer, new CheckedBufferPool(), true));
    writer.enter(request);

    request.promise().fail(InferenceException.exhausted("full", Duration.ofMillis(250)));

    assertThat(call.closed).extracting(Status::getDescription).containsExactly("full");
    assertThat(call.trailers).extracting(trailers -> trailers.get(PUSHBACK)).containsOnlyNulls();
  }
}
