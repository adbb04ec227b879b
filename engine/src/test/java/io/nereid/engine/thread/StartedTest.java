package io.nereid.engine.thread;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StartedTest {
  private final List<String> ended = new ArrayList<>();
  private final Started started = new Started();

  @Test
  void endsInTheOppositeOrderAndOnce() {
    assertThat(started.add("a", () -> ended.add("a"))).isEqualTo("a");
    started.add("b", () -> ended.add("b"));

    started.close();
    started.close();

    assertThat(ended).containsExactly("b", "a");
  }

  @Test
  void endsWhatIsStartedBehindTheEndAtOnce() {
    started.close();

    started.add("late", () -> ended.add("late"));

    assertThat(ended).containsExactly("late");
  }

  @Test
  void anEndThatThrowsKeepsNoOtherFromEnding() {
    started.add("a", () -> ended.add("a"));
    started.add(
        "b",
        () -> {
          throw new IllegalStateException("second");
        });
    started.add(
        "c",
        () -> {
          throw new OutOfMemoryError("first");
        });

    assertThatThrownBy(started::close)
        .isInstanceOf(OutOfMemoryError.class)
        .hasMessage("first")
        .satisfies(thrown -> assertThat(thrown.getSuppressed()).hasSize(1));
    assertThat(ended).containsExactly("a");
  }
}
