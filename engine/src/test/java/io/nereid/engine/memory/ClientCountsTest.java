package io.nereid.engine.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.memory.ClientCounts.Excess;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClientCountsTest {
  private static final ClientKey A = new ClientKey("a");
  private static final ClientKey B = new ClientKey("b");

  private final ClientCounts fixed = ClientCounts.fixed(3, 2);

  @Test
  void aClientHasNoMoreThanItsLimit() {
    assertThat(fixed.add(A)).isNull();
    assertThat(fixed.add(A)).isNull();
    assertThat(fixed.add(A)).isEqualTo(Excess.OF_CLIENT);
    assertThat(fixed.add(B)).isNull();
    assertThat(fixed.all()).isEqualTo(3);
  }

  @Test
  void allClientsHaveNoMoreThanTheLimitOfAll() {
    assertThat(fixed.add(A)).isNull();
    assertThat(fixed.add(A)).isNull();
    assertThat(fixed.add(B)).isNull();
    assertThat(fixed.add(B)).isEqualTo(Excess.OF_ALL);
  }

  @Test
  void noRoomIsToBeMadeForAClientThatHasItsShare() {
    fixed.add(A);
    fixed.add(A);
    fixed.add(B);

    assertThat(fixed.add(A)).isEqualTo(Excess.OF_CLIENT);
    assertThat(fixed.add(B)).isEqualTo(Excess.OF_ALL);
    assertThat(fixed.all()).isEqualTo(3);
  }

  @Test
  void oneThatEndsMakesRoom() {
    fixed.add(A);
    fixed.add(A);
    fixed.remove(A);

    assertThat(fixed.add(A)).isNull();
    fixed.remove(A);
    fixed.remove(A);
    assertThat(fixed.all()).isZero();
    assertThat(fixed.of(A)).isZero();
  }

  @Test
  void nothingIsLostWhereManyThreadsCount() throws InterruptedException {
    var counts = ClientCounts.fixed(1_000, 1_000);
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      threads.add(
          Thread.ofPlatform()
              .start(() -> {
                for (int round = 0; round < 20_000; round++) {
                  assertThat(counts.add(A)).isNull();
                  counts.remove(A);
                }
              }));
    }
    counts.add(A);
    for (Thread thread : threads) {
      thread.join();
    }

    assertThat(counts.of(A)).isEqualTo(1);
    assertThat(counts.all()).isEqualTo(1);
  }

  private static int fill(ClientCounts counts, ClientKey client) {
    Excess excess;
    do {
      excess = counts.add(client);
    } while (excess == null);
    return counts.of(client);
  }

  @Test
  void aClientMayHaveAsManyAsItLeavesFree() {
    var counts = ClientCounts.ofFree(100);

    assertThat(fill(counts, A)).isEqualTo(50);
    assertThat(fill(counts, B)).isEqualTo(25);
    assertThat(counts.add(A)).isEqualTo(Excess.OF_CLIENT);
    assertThat(counts.all()).isEqualTo(75);
  }

  @Test
  void aClientMayHaveOneWhileAnyIsFree() {
    var counts = ClientCounts.ofFree(2);

    assertThat(fill(counts, A)).isEqualTo(1);
    assertThat(fill(counts, B)).isEqualTo(1);
    assertThat(counts.add(new ClientKey("c"))).isEqualTo(Excess.OF_ALL);
  }

  @Test
  void aSingleOneIsNotKeptFree() {
    assertThat(fill(ClientCounts.ofFree(1), A)).isEqualTo(1);
  }
}
