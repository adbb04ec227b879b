package io.nereid.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A stream that is used after its close. */
@Timeout(60)
class ResponseStreamTest {
  private final AtomicInteger cancelled = new AtomicInteger();

  /** A stream with one response, whose end does not come. */
  private ResponseStream<String> open() {
    Flow.Publisher<String> publisher =
        subscriber -> {
          subscriber.onSubscribe(
              new Flow.Subscription() {
                @Override
                public void request(long count) {}

                @Override
                public void cancel() {
                  cancelled.incrementAndGet();
                }
              });
          subscriber.onNext("first");
        };
    return new ResponseStream<>(publisher, "asked");
  }

  private static void assertEnded(ResponseStream<String> stream) {
    assertThat(stream.hasNext()).isFalse();
    assertThatThrownBy(stream::next).isInstanceOf(NoSuchElementException.class);
    assertThat(stream.hasNext()).isFalse();
  }

  @Test
  void hasNoMoreResponses() {
    ResponseStream<String> stream = open();
    assertThat(stream.hasNext()).isTrue();

    stream.close();
    assertEnded(stream);
    stream.close();
    assertEnded(stream);

    CompletableFuture.runAsync(() -> assertEnded(stream)).join();
    assertThat(cancelled).hasPositiveValue();
  }

  @Test
  void isIterated() {
    List<String> taken = new ArrayList<>();
    ResponseStream<String> stream = open();
    for (String response : stream) {
      taken.add(response);
      stream.close();
    }
    assertThat(taken).containsExactly("first");
  }

  @Test
  void endsForAThreadThatWaits() throws InterruptedException {
    ResponseStream<String> stream = open();
    assertThat(stream.next()).isEqualTo("first");
    var hasNext = new CompletableFuture<Boolean>();
    Thread reader = Thread.ofPlatform().start(() -> hasNext.complete(stream.hasNext()));
    while (reader.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }

    stream.close();

    assertThat(hasNext.join()).isFalse();
    reader.join();
    assertEnded(stream);
  }
}
