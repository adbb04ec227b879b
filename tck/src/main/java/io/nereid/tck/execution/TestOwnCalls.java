package io.nereid.tck.execution;

import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.spi.OwnCalls;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Calls of a model on its own behalf; others stand for the models that it calls. */
public final class TestOwnCalls implements OwnCalls, AutoCloseable {
  private final ModelConfig config;
  private final Map<String, StandInModel> models;
  private final List<TestCalls> open = new ArrayList<>();
  private boolean ended;

  public TestOwnCalls(ModelConfig config, Map<String, StandInModel> models) {
    this.config = config;
    this.models = models;
  }

  @Override
  public synchronized Session begin(Duration atMost) {
    if (atMost.isNegative() || atMost.isZero()) {
      throw new IllegalArgumentException("a session takes more than no time: " + atMost);
    }
    if (ended) {
      throw InferenceException.unavailable(
          "model '%s' cannot call others: it is being closed".formatted(config.name()));
    }
    var session = new TestCalls(config, models);
    open.add(session);
    return session;
  }

  @Override
  public ModelConfig loadPart(ModelConfig part) {
    ModelConfig named = part.toBuilder().name(config.name() + TestCalls.PART + part.name()).build();
    return TestCalls.standIn(models, named.name()).completed(named);
  }

  /** The model is about to close. */
  public synchronized void end() {
    ended = true;
  }

  /** Closes the sessions that are open. */
  @Override
  public void close() {
    List<TestCalls> left;
    synchronized (this) {
      ended = true;
      left = List.copyOf(open);
      open.clear();
    }
    left.forEach(TestCalls::close);
  }
}
