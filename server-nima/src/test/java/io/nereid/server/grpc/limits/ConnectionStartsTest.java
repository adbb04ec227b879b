package io.nereid.server.grpc.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ConnectionStartsTest {
  private static final int MAX = ConnectionStarts.MAX_STARTING;

  private final ConnectionStarts starts = new ConnectionStarts();
  private final List<Integer> begun = new ArrayList<>();

  @Test
  void onlyAFewOfManyConnectionsStartAtATime() {
    add(10 * MAX);

    assertThat(begun).hasSize(MAX);
  }

  @Test
  void theNextConnectionStartsOnceOneHasStarted() {
    add(10 * MAX);

    starts.started();
    starts.started();

    assertThat(begun).hasSize(MAX + 2);
  }

  @Test
  void connectionsStartInTheOrderInWhichTheyCome() {
    add(3 * MAX);

    IntStream.range(0, 3 * MAX).forEach(_ -> starts.started());

    assertThat(begun).isEqualTo(IntStream.range(0, 3 * MAX).boxed().toList());
  }

  @Test
  void aConnectionStartsAtOnceIfNoOtherDoes() {
    add(MAX);
    IntStream.range(0, MAX).forEach(_ -> starts.started());

    add(1);

    assertThat(begun).hasSize(MAX + 1);
  }

  private void add(int count) {
    IntStream.range(0, count).forEach(i -> starts.add(() -> begun.add(i)));
  }
}
