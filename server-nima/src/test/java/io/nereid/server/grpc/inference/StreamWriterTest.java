package io.nereid.server.grpc.inference;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.memory.ClientKey;
import io.nereid.engine.memory.RequestMemory;
import io.nereid.error.InferenceException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Phaser;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the writer with requests that are rejected, so that no model is needed. */
@Timeout(120)
class StreamWriterTest {
  private final RecordedCall call = new RecordedCall();
  private final RequestMemory memory = new RequestMemory(16 << 20, Long.MAX_VALUE);
  private final StreamWriter writer =
      new StreamWriter(call, bytes -> memory.reserve(ClientKey.LOCAL, bytes), (_, _) -> null);

  private StreamRequest enter() {
    var request = new StreamRequest(writer, new CheckedBufferPool(), false);
    assertThat(writer.enter(request)).isTrue();
    return request;
  }

  private static void reject(StreamRequest request, String text) {
    request.promise().reject(InferenceException.invalid(text));
  }

  private List<String> closings() {
    return call.closed.stream().map(status -> status.getCode().toString()).toList();
  }

  @Test
  void writesWhileTheClientReads() {
    StreamRequest first = enter();
    StreamRequest second = enter();
    reject(first, "1");
    call.ready = false;
    reject(second, "2");
    assertThat(call.errors()).containsExactly("1");

    call.ready = true;
    writer.write();
    assertThat(call.errors()).containsExactly("1", "2");
  }

  @Test
  void endsAStreamWhoseUnreadMessagesHaveNoMemoryAndReleasesThem() {
    call.ready = false;
    String text = "x".repeat(1 << 20);
    for (int i = 0; i < 20 && call.closed.isEmpty(); i++) {
      var request = new StreamRequest(writer, new CheckedBufferPool(), false);
      if (writer.enter(request)) {
        reject(request, text);
      }
    }

    assertThat(closings()).containsExactly("RESOURCE_EXHAUSTED");
    assertThat(call.closed.getFirst().getDescription())
        .startsWith("the client reads its streams too slowly: ");
    assertThat(memory.usedBytes()).isZero();
  }

  @Test
  void countsUnreadMessagesUntilTheyAreRead() {
    call.ready = false;
    for (int i = 0; i < 3; i++) {
      reject(enter(), "x".repeat(1 << 20));
    }
    assertThat(memory.usedBytes()).isBetween(3L << 20, 4L << 20);

    call.ready = true;
    writer.write();
    writer.endWhenIdle(Status.OK);
    assertThat(closings()).containsExactly("OK");
    assertThat(memory.usedBytes()).isZero();
  }

  @Test
  void readsARequestPerCall() {
    writer.readNext();
    assertThat(call.requested).hasValue(1);
    enter();
    assertThat(call.requested).hasValue(1);
    writer.readNext();
    assertThat(call.requested).hasValue(2);
  }

  @Test
  void readsNoRequestWhileTheWindowIsClosed() {
    List<StreamRequest> requests = new ArrayList<>();
    for (int i = 0; i < StreamWindow.MAX_MESSAGES; i++) {
      writer.readNext();
      requests.add(enter());
    }
    writer.readNext();
    assertThat(call.requested).hasValue(StreamWindow.MAX_MESSAGES);

    call.ready = false;
    reject(requests.getFirst(), "unread");
    assertThat(call.requested).hasValue(StreamWindow.MAX_MESSAGES);
    call.ready = true;
    writer.write();
    assertThat(call.requested).hasValue(StreamWindow.MAX_MESSAGES + 1);
  }

  @Test
  void endsWhenIdleAfterTheLastMessageIsWritten() {
    StreamRequest first = enter();
    StreamRequest second = enter();
    writer.endWhenIdle(Status.OK);
    writer.endWhenIdle(Status.UNAVAILABLE);
    reject(second, "2");
    assertThat(call.closed).isEmpty();
    call.ready = false;
    reject(first, "1");
    assertThat(call.closed).isEmpty();

    call.ready = true;
    writer.write();
    assertThat(call.errors()).containsExactly("1", "2");
    assertThat(closings()).containsExactly("OK");
  }

  @Test
  void aFailureWritesReadyMessagesAndDropsTheRest() {
    StreamRequest first = enter();
    StreamRequest second = enter();
    StreamRequest third = enter();
    call.ready = false;
    reject(first, "1");
    reject(third, "3");
    writer.fail(InferenceException.notFound("none"));
    reject(second, "2");
    assertThat(call.closed).isEmpty();
    assertThat(writer.enter(new StreamRequest(writer, new CheckedBufferPool(), false))).isFalse();

    call.ready = true;
    writer.write();
    assertThat(call.errors()).containsExactly("1");
    assertThat(closings()).containsExactly("NOT_FOUND");
  }

  @Test
  void anAbortDropsAllMessages() {
    StreamRequest first = enter();
    enter();
    call.ready = false;
    reject(first, "1");
    writer.abort();

    call.ready = true;
    writer.write();
    writer.abort();
    assertThat(call.sent).isEmpty();
    assertThat(closings()).containsExactly("CANCELLED");
    writer.readNext();
    assertThat(call.requested).hasValue(0);
  }

  @Test
  void aFailedWriteEndsTheStream() {
    StreamRequest first = enter();
    StreamRequest second = enter();
    call.broken = true;
    reject(first, "1");

    assertThat(closings()).containsExactly("CANCELLED");
    reject(second, "2");
    assertThat(call.sent).isEmpty();
    assertThat(closings()).hasSize(1);
  }

  @Test
  void oneThreadAtATimeWritesTheMessagesOfMany() throws InterruptedException {
    int threads = 4;
    int rounds = 2_000;
    List<StreamRequest> requests =
        IntStream.range(0, threads * rounds).mapToObj(_ -> enter()).toList();
    var start = new Phaser(threads);
    List<Thread> senders =
        IntStream.range(0, threads)
            .mapToObj(thread ->
                Thread.ofPlatform()
                    .start(() -> {
                      start.arriveAndAwaitAdvance();
                      for (int i = thread; i < requests.size(); i += threads) {
                        call.ready = i % 7 != 0;
                        reject(requests.get(i), Integer.toString(i));
                      }
                    }))
            .toList();
    for (Thread thread : senders) {
      thread.join();
    }
    call.ready = true;
    writer.endWhenIdle(Status.OK);

    assertThat(call.errors())
        .containsExactlyElementsOf(
            IntStream.range(0, requests.size()).mapToObj(Integer::toString).toList());
    assertThat(closings()).containsExactly("OK");
  }
}
