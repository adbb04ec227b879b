package io.nereid.server.http.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.memory.ClientKey;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ClientCountsTest {
  private static final ClientKey A = new ClientKey("a");
  private static final ClientKey B = new ClientKey("b");

  private final ClientCounts counts =
      new ClientCounts(
          new ConnectionLimits(3, 2, Duration.ZERO, Duration.ZERO, Duration.ZERO, Duration.ZERO));

  @Test
  void aClientHasNoMoreConnectionsThanItsLimit() {
    assertThat(counts.add(A)).isEmpty();
    assertThat(counts.add(A)).isEmpty();
    assertThat(counts.add(A)).contains(HttpRefusal.CLIENT_CONNECTIONS);
    assertThat(counts.add(B)).isEmpty();
    assertThat(counts.all()).isEqualTo(3);
  }

  @Test
  void allClientsHaveNoMoreThanTheLimitOfTheServer() {
    assertThat(counts.add(A)).isEmpty();
    assertThat(counts.add(A)).isEmpty();
    assertThat(counts.add(B)).isEmpty();
    assertThat(counts.add(B)).contains(HttpRefusal.CONNECTIONS);
  }

  @Test
  void noRoomIsToBeMadeForAClientThatHasItsShare() {
    counts.add(A);
    counts.add(A);
    counts.add(B);

    assertThat(counts.add(A)).contains(HttpRefusal.CLIENT_CONNECTIONS);
    assertThat(counts.add(B)).contains(HttpRefusal.CONNECTIONS);
    assertThat(counts.all()).isEqualTo(3);
  }

  @Test
  void aConnectionThatEndsMakesRoom() {
    counts.add(A);
    counts.add(A);
    counts.remove(A);

    assertThat(counts.add(A)).isEmpty();
    counts.remove(A);
    counts.remove(A);
    assertThat(counts.all()).isZero();
  }
}
