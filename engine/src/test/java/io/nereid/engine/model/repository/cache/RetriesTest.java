package io.nereid.engine.model.repository.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.spi.repository.ObjectStoreException;
import io.nereid.spi.repository.ObjectStoreException.Reason;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RetriesTest {
  private final List<Duration> pauses = new ArrayList<>();
  private final TestStore store = new TestStore();

  private Retries retries(int attempts) {
    return new Retries(attempts, Duration.ofSeconds(1), pauses::add);
  }

  @Test
  void aRequestIsRepeatedWithDoubledDelaysWhileTheStoreIsUnavailable() throws IOException {
    store.put("m/config.pbtxt", new byte[3]);
    store.failAsUnavailable(3);

    assertThat(retries(4).call(() -> store.list(""))).hasSize(1);
    assertThat(pauses)
        .containsExactly(Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofSeconds(4));
  }

  @Test
  void noDelayIsLongerThanTenSeconds() throws IOException {
    store.failAsUnavailable(6);

    retries(7).call(() -> store.list(""));

    assertThat(pauses)
        .endsWith(Duration.ofSeconds(8), Duration.ofSeconds(10), Duration.ofSeconds(10));
  }

  @Test
  void theLastFailureIsThrownOnceAllAttemptsHaveFailed() {
    store.failAsUnavailable(9);

    assertThatThrownBy(() -> retries(3).call(() -> store.list("")))
        .isInstanceOf(ObjectStoreException.class)
        .hasMessage("slow down");
    assertThat(store.requests).hasSize(3);
  }

  @Test
  void aLostConnectionIsARepeatableFailure() throws IOException {
    store.fail(new IOException("Connection reset"));

    assertThat(retries(2).call(() -> store.list(""))).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "UNAVAILABLE")
  void otherFailuresAreNotRepeated(Reason reason) {
    store.fail(new ObjectStoreException(reason, "no"));

    assertThatThrownBy(() -> retries(9).call(() -> store.list(""))).hasMessage("no");
    assertThat(store.requests).hasSize(1);
  }

  @Test
  void anInterruptEndsTheWait() {
    store.failAsUnavailable(1);
    var retries =
        new Retries(
            3,
            Duration.ofDays(1),
            _ -> {
              throw new InterruptedException();
            });

    assertThatThrownBy(() -> retries.call(() -> store.list("")))
        .isInstanceOf(InterruptedIOException.class);
    assertThat(Thread.interrupted()).isTrue();
  }
}
