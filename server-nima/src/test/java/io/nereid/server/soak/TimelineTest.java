package io.nereid.server.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TimelineTest {
  private final Timeline timeline = new Timeline("r0");

  @BeforeEach
  void reloadUnloadAndLoad() {
    operation(Optional.of("r1"), 10, 20);
    operation(Optional.empty(), 30, 40);
    operation(Optional.of("r2"), 50, 60);
  }

  private void operation(Optional<String> release, long begin, long end) {
    timeline.begin(release, begin);
    timeline.end(end);
  }

  @ParameterizedTest
  @CsvSource({
    "r0,  1,  2, true",
    "r1,  1,  2, false",
    "r0, 12, 13, true",
    "r1, 12, 13, true",
    "r0, 19, 99, true",
    "r0, 21, 22, false",
    "r1, 21, 22, true",
    "'', 21, 22, false",
    "r1, 35, 36, true",
    "'', 35, 36, true",
    "'', 25, 31, true",
    "r1, 41, 42, false",
    "'', 41, 42, true",
    "r2, 41, 42, false",
    "r2, 41, 55, true",
    "'', 59, 70, true",
    "'', 61, 70, false",
    "r2, 61, 70, true",
    "r9, 61, 70, false",
  })
  void aReleaseAnswersFromTheBeginOfItsLoadToTheEndOfTheNextOperation(
      String release, long sent, long received, boolean allowed) {
    Optional<String> answer = Optional.of(release).filter(text -> !text.isEmpty());

    assertThat(timeline.allows(answer, sent, received)).isEqualTo(allowed);
  }

  @Test
  void theReleaseBeforeAnswersUntilTheEndOfAnOperationIsKnown() {
    timeline.begin(Optional.of("r3"), 70);

    assertThat(timeline.allows(Optional.of("r2"), 80, 90)).isTrue();
    assertThat(timeline.allows(Optional.of("r3"), 80, 90)).isTrue();

    timeline.end(85);

    assertThat(timeline.allows(Optional.of("r2"), 84, 90)).isTrue();
    assertThat(timeline.allows(Optional.of("r2"), 86, 90)).isFalse();
  }
}
