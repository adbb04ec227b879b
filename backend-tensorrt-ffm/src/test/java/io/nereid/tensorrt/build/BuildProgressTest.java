package io.nereid.tensorrt.build;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class BuildProgressTest {
  private static final Logger LOGGER = Logger.getLogger(BuildProgress.class.getName());

  private final List<String> lines = new ArrayList<>();
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord line) {
          lines.add(new java.util.logging.SimpleFormatter().formatMessage(line));
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };
  private long now = 5_000_000_000L;
  private boolean cancelled;
  private final BuildProgress progress = new BuildProgress("m", () -> cancelled, () -> now);

  @BeforeEach
  void listen() {
    LOGGER.addHandler(handler);
    LOGGER.setUseParentHandlers(false);
  }

  @AfterEach
  void stopListening() {
    LOGGER.removeHandler(handler);
    LOGGER.setUseParentHandlers(true);
  }

  @Test
  void anOutermostPhaseIsALineAtItsStart() {
    progress.phaseStarted("Building Engine", null, 7);
    progress.phaseStarted("Tactic Selection", "Building Engine", 40);

    assertThat(lines)
        .containsExactly("building the plan of model 'm': Building Engine 0/7 (0.0 s)");
  }

  @Test
  void allThatRunsIsALineEveryTenSeconds() {
    progress.phaseStarted("Building Engine", null, 7);
    progress.stepDone("Building Engine", 0);
    progress.phaseStarted("Tactic Selection", "Building Engine", 40);
    lines.clear();
    for (int i = 0; i < 25; i++) {
      now += Duration.ofSeconds(1).toNanos();
      progress.stepDone("Tactic Selection", i);
    }

    assertThat(lines)
        .containsExactly(
            "building the plan of model 'm': Building Engine 1/7, Tactic Selection 10/40 (10.0 s)",
            "building the plan of model 'm': Building Engine 1/7, Tactic Selection 20/40 (20.0 s)");
  }

  @Test
  void aFinishedPhaseIsNotNamedAnyMore() {
    progress.phaseStarted("A", null, 1);
    progress.phaseStarted("B", "A", 3);
    progress.phaseFinished("B");
    progress.stepDone("B", 2);
    now += Duration.ofSeconds(10).toNanos();
    lines.clear();

    progress.stepDone("A", 0);

    assertThat(lines).containsExactly("building the plan of model 'm': A 1/1 (10.0 s)");
  }

  @Test
  void aStepTellsTensorRtToGoOnUntilTheBuildIsCancelled() {
    progress.phaseStarted("A", null, 2);
    assertThat(progress.stepDone("A", 0)).isTrue();

    cancelled = true;

    assertThat(progress.stepDone("A", 1)).isFalse();
  }
}
