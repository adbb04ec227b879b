package io.nereid.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.server.request.AwaitedResponse;
import io.nereid.server.request.ResponsePromise;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ReadAheadTest {
  /** The results of reads from the socket; empty is the end of the stream. */
  private final BlockingQueue<Optional<byte[]>> incoming = new LinkedBlockingQueue<>();

  private final CountDownLatch cancelled = new CountDownLatch(1);
  private final ReadAhead ahead = new ReadAhead(this::next);

  private byte @Nullable [] next() {
    try {
      return incoming.take().orElse(null);
    } catch (InterruptedException stopped) {
      throw new AssertionError(stopped);
    }
  }

  private static ResponsePromise promise() {
    return new ResponsePromise(new AwaitedResponse());
  }

  private ResponsePromise watched() {
    var promise = promise();
    promise.onCancel(cancelled::countDown);
    return promise;
  }

  private void checksTwice() {
    ahead.check();
    ahead.check();
  }

  private void awaitCancelled() throws InterruptedException {
    assertThat(cancelled.await(30, TimeUnit.SECONDS)).as("cancelled").isTrue();
  }

  @Test
  void cancelsARequestThatWaitsOverTwoChecksWhenTheClientDisconnects() throws Exception {
    ahead.begin(watched());
    checksTwice();
    incoming.add(Optional.empty());

    awaitCancelled();
    assertThat(ahead.isDisconnected()).isTrue();
    assertThat(ahead.take()).isNull();
    assertThat(ahead.isPending()).isFalse();
  }

  @Test
  void doesNotReadIfNoRequestWaitsOverTwoChecks() {
    ahead.check();
    for (int i = 0; i < 3; i++) {
      ahead.begin(promise());
      ahead.check();
      ahead.end();
    }
    ahead.check();

    assertThat(ahead.isPending()).isFalse();
  }

  @Test
  void keepsTheBytesOfTheNextRequest() {
    var promise = promise();
    ahead.begin(promise);
    checksTwice();
    incoming.add(Optional.of(new byte[] {1, 2}));

    assertThat(ahead.take()).containsExactly(1, 2);
    assertThat(promise.isDecided()).isFalse();
    assertThat(ahead.isPending()).isFalse();
  }

  @Test
  void readsAtMostOneArrayAhead() {
    ahead.begin(promise());
    checksTwice();
    incoming.add(Optional.of(new byte[1]));
    incoming.add(Optional.of(new byte[2]));
    assertThat(ahead.take()).hasSize(1);
    ahead.end();
    ahead.check();

    assertThat(incoming).hasSize(1);
    assertThat(ahead.isPending()).isFalse();
  }

  @Test
  void cancelsTheNextRequestIfTheClientDisconnectsDuringIt() throws Exception {
    ahead.begin(promise());
    checksTwice();
    ahead.end();
    ahead.begin(watched()); // it arrived with the first: the read is still running
    incoming.add(Optional.empty());

    awaitCancelled();
  }

  @Test
  void cancelsARequestAtOnceIfTheClientHasDisconnected() throws Exception {
    ahead.begin(watched());
    checksTwice();
    incoming.add(Optional.empty());
    awaitCancelled();
    ahead.end();

    var next = promise();
    ahead.begin(next);
    assertThat(next.isDecided()).isTrue();
  }

  @Test
  void cancelsAtAResetAndThrowsItToTheNextReader() throws Exception {
    var reset = new UncheckedIOException(new IOException("Connection reset"));
    var broken =
        new ReadAhead(() -> {
          throw reset;
        });
    broken.begin(watched());
    broken.check();
    broken.check();

    awaitCancelled();
    assertThatThrownBy(broken::take).isSameAs(reset);
  }

  @Test
  void endsTheWaitForTheReadAtAnInterrupt() {
    ahead.begin(promise());
    checksTwice();
    Thread.currentThread().interrupt();

    assertThatThrownBy(ahead::take).isInstanceOf(UncheckedIOException.class);
    assertThat(Thread.interrupted()).isTrue();
    incoming.add(Optional.empty());
  }
}
