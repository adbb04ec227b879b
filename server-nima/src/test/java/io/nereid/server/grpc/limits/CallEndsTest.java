package io.nereid.server.grpc.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.Status;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class CallEndsTest {
  private static final int MAX = CallEnds.MAX_ENDS;

  private final List<Integer> ended = new ArrayList<>();
  private final Deque<Runnable> turns = new ArrayDeque<>();
  private final CallEnds ends = new CallEnds((stream, _) -> ended.add(stream), turns::add);

  @Test
  void noCallEndsInTheTurnThatDecidesIt() {
    ends.add(1, Status.CANCELLED);

    assertThat(ended).isEmpty();
  }

  @Test
  void aTurnEndsAFewOfManyCalls() {
    IntStream.range(0, 3 * MAX).forEach(stream -> ends.add(stream, Status.CANCELLED));

    turns.remove().run();

    assertThat(ended).hasSize(MAX);
    assertThat(turns).hasSize(1);
  }

  @Test
  void allCallsEndInTheirOrder() {
    IntStream.range(0, 3 * MAX + 1).forEach(stream -> ends.add(stream, Status.CANCELLED));

    while (!turns.isEmpty()) {
      turns.remove().run();
    }

    assertThat(ended).isEqualTo(IntStream.range(0, 3 * MAX + 1).boxed().toList());
  }

  @Test
  void aCallThatIsAboutToEndIsNotEndedAgain() {
    assertThat(ends.add(1, Status.CANCELLED)).isTrue();
    assertThat(ends.add(1, Status.ABORTED)).isFalse();

    turns.remove().run();

    assertThat(ended).containsExactly(1);
    assertThat(turns).isEmpty();
  }

  @Test
  void theOthersEndIfTheEndOfACallFails() {
    var failing =
        new CallEnds(
            (stream, _) -> {
              if (stream == 1) {
                throw new IllegalStateException("broken");
              }
              ended.add(stream);
            },
            turns::add);
    failing.add(1, Status.CANCELLED);
    failing.add(2, Status.CANCELLED);

    assertThatThrownBy(turns.remove()::run).hasMessage("broken");
    turns.remove().run();

    assertThat(ended).containsExactly(2);
  }
}
