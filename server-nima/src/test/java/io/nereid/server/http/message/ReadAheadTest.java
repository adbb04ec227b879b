package io.nereid.server.http.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ReadAheadTest {
  /** The results of reads from the connection; empty is the end of the input. */
  private final BlockingQueue<byte[]> incoming = new LinkedBlockingQueue<>();

  private final CountDownLatch cancelled = new CountDownLatch(1);
  private final ReadAhead ahead = new ReadAhead(InputOnly.of(this::next));

  private byte[] next() throws IOException {
    try {
      return incoming.take();
    } catch (InterruptedException stopped) {
      throw new InterruptedIOException();
    }
  }

  /** What becomes of the probes: each takes one, false if nothing can be written. */
  private final BlockingQueue<Boolean> probes = new LinkedBlockingQueue<>();

  private final CountDownLatch probing = new CountDownLatch(1);

  private static void ignored() {}

  private boolean probe() throws IOException {
    probing.countDown();
    try {
      return probes.take();
    } catch (InterruptedException stopped) {
      throw new InterruptedIOException();
    }
  }

  private void awaitProbes() throws InterruptedException {
    while (!probes.isEmpty()) {
      ahead.check();
      Thread.onSpinWait();
    }
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
    ahead.begin(this::probe, cancelled::countDown);
    checksTwice();
    incoming.add(new byte[0]);
    probes.add(false);

    awaitCancelled();
    assertThat(ahead.isDisconnected()).isTrue();
    assertThat(ahead.take()).isEmpty();
    assertThat(ahead.isPending()).isFalse();
  }

  @Test
  void cancelsNothingWhileProbesReachTheClientBehindTheEndOfItsInput() throws Exception {
    ahead.begin(this::probe, cancelled::countDown);
    checksTwice();
    incoming.add(new byte[0]);
    for (int i = 0; i < 10; i++) {
      probes.add(true);
      awaitProbes();
    }
    assertThat(ahead.isDisconnected()).isFalse();
    probes.add(false); // it has closed its connection meanwhile
    awaitProbes();

    awaitCancelled();
  }

  @Test
  void aRequestEndsOnceTheProbeIsWritten() throws Exception {
    ahead.begin(this::probe, cancelled::countDown);
    checksTwice();
    incoming.add(new byte[0]);
    assertThat(probing.await(30, TimeUnit.SECONDS)).isTrue();
    Thread ending = Thread.ofPlatform().start(ahead::end);
    while (ending.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }

    probes.add(false);

    assertThat(ending.join(Duration.ofSeconds(30))).isTrue();
    assertThat(cancelled.getCount()).as("no request waits").isEqualTo(1);
  }

  @Test
  void doesNotReadIfNoRequestWaitsOverTwoChecks() {
    ahead.check();
    for (int i = 0; i < 3; i++) {
      ahead.begin(() -> true, ReadAheadTest::ignored);
      ahead.check();
      ahead.end();
    }
    ahead.check();

    assertThat(ahead.isPending()).isFalse();
  }

  @Test
  void keepsTheBytesOfTheNextRequest() throws Exception {
    ahead.begin(this::probe, cancelled::countDown);
    checksTwice();
    incoming.add(new byte[] {1, 2});

    assertThat(ahead.take()).containsExactly(1, 2);
    assertThat(cancelled.getCount()).isEqualTo(1);
    assertThat(ahead.isPending()).isFalse();
  }

  @Test
  void readsAtMostOneArrayAhead() throws Exception {
    ahead.begin(() -> true, ReadAheadTest::ignored);
    checksTwice();
    incoming.add(new byte[1]);
    incoming.add(new byte[2]);
    assertThat(ahead.take()).hasSize(1);
    ahead.end();
    ahead.check();

    assertThat(incoming).hasSize(1);
    assertThat(ahead.isPending()).isFalse();
  }

  @Test
  void cancelsTheNextRequestIfTheClientDisconnectsDuringIt() throws Exception {
    ahead.begin(() -> true, ReadAheadTest::ignored);
    checksTwice();
    ahead.end();
    ahead.begin(this::probe, cancelled::countDown); // it arrived with the first
    incoming.add(new byte[0]);
    probes.add(false);

    awaitCancelled();
  }

  @Test
  void cancelsARequestAtOnceIfTheClientHasDisconnected() throws Exception {
    ahead.begin(this::probe, cancelled::countDown);
    checksTwice();
    incoming.add(new byte[0]);
    probes.add(false);
    awaitCancelled();
    ahead.end();

    var next = new CountDownLatch(1);
    ahead.begin(() -> true, next::countDown);
    assertThat(next.getCount()).isZero();
  }

  @Test
  void cancelsAtAResetAndThrowsItToTheNextReader() throws Exception {
    var reset = new IOException("Connection reset");
    var broken =
        new ReadAhead(
            InputOnly.of(() -> {
              throw reset;
            }));
    broken.begin(() -> true, cancelled::countDown);
    broken.check();
    broken.check();

    awaitCancelled();
    assertThatThrownBy(broken::take).isSameAs(reset);
  }

  @Test
  void endsTheWaitForTheReadAtAnInterrupt() {
    ahead.begin(() -> true, ReadAheadTest::ignored);
    checksTwice();
    Thread.currentThread().interrupt();

    assertThatThrownBy(ahead::take).isInstanceOf(IOException.class);
    assertThat(Thread.interrupted()).isTrue();
    incoming.add(new byte[0]);
  }

  @Test
  void takesTheEndOfTheInputByTheServerForNoDisconnect() throws Exception {
    ahead.begin(this::probe, cancelled::countDown);
    checksTwice();
    ahead.inputEnds();
    incoming.add(new byte[0]);

    assertThat(ahead.take()).isEmpty();
    assertThat(cancelled.getCount()).isEqualTo(1);
  }

  @Test
  void aReadThatThrowsAnErrorCancelsTheRequest() throws Exception {
    var broken =
        new ReadAhead(
            InputOnly.of(() -> {
              throw new OutOfMemoryError("of a test");
            }));
    broken.begin(() -> true, cancelled::countDown);
    broken.check();
    broken.check();

    awaitCancelled();
    assertThat(broken.take()).isEmpty();
  }
}
