package io.nereid.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.engine.testing.LogCapture;
import io.nereid.error.InferenceException;
import io.nereid.tck.TckModels;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a program learns of the models of its engine as they change. */
class ModelHealthTest {
  @TempDir Path repository;

  private Engine engine;

  @BeforeEach
  void open() throws IOException {
    TckModels.extractTo(repository);
    engine = Engine.builder().repository(repository).startWith("simple", "identity_bytes").open();
  }

  @AfterEach
  void close() {
    engine.close();
  }

  @Test
  void onlyVersionsThatServeAreCountedThoughTheRepositoryHasMore() {
    assertThat(engine.index()).hasSizeGreaterThan(2);
    assertThat(engine.health().serving()).isEqualTo(2);
    assertThat(engine.health().notReady()).isEmpty();
  }

  @Test
  void aModelThatWasUnloadedIsNotMissed() {
    engine.unload("simple");

    assertThat(engine.health().serving()).isEqualTo(1);
    assertThat(engine.health().notReady()).isEmpty();
  }

  @Test
  void aModelThatFailsToLoadIsNamedWithItsReason() {
    ModelOnDisk.of(repository, "broken", "backend: \"none_such\"");

    try (var _ = new LogCapture("io.nereid")) {
      assertThatExceptionOfType(InferenceException.class).isThrownBy(() -> engine.load("broken"));
    }

    assertThat(engine.health().serving()).isEqualTo(2);
    assertThat(engine.health().notReady())
        .singleElement()
        .asString()
        .startsWith("model 'broken' ")
        .contains("none_such");
  }

  @Test
  void aListenerIsToldOnceAChangeCanBeRead() {
    var serving = new AtomicInteger();
    Runnable listener = () -> serving.set(engine.health().serving());
    engine.addModelListener(listener);

    engine.load("repeat");
    assertThat(serving).hasValue(3);

    engine.removeModelListener(listener);
    engine.load("sequence_echo");
    assertThat(serving).hasValue(3);

    engine.addModelListener(listener);
    engine.unload("repeat");
    assertThat(serving).hasValue(3);
  }

  @Test
  void aListenerThatFailsChangesNothing() {
    engine.addModelListener(() -> {
      throw new IllegalStateException("of the listener");
    });

    try (var log = new LogCapture("io.nereid.engine.model.ModelRegistry")) {
      engine.load("repeat");
      assertThat(log.messages()).anyMatch(line -> line.contains("a listener to changes of models"));
    }
    assertThat(engine.isReady("repeat")).isTrue();
  }
}
