package io.nereid.tck.scheduler;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.spi.Model;
import io.nereid.tck.execution.TestBatch;
import io.nereid.tck.execution.TestResults;
import io.nereid.tck.support.Outcome;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An instance of a {@link PlainModel} and its thread. Its fields are guarded by the scheduler. */
final class PlainInstance {
  private final PlainModel model;
  private final ModelConfig config;
  private final InstanceSettings settings;
  private final Thread thread;
  private @Nullable List<Waiting> batch;
  private boolean idle;
  private boolean closed;

  /** Returns once the instance is idle. */
  PlainInstance(PlainModel model, Model loaded, ModelConfig config, InstanceSettings settings) {
    this.model = model;
    this.config = config;
    this.settings = settings;
    this.thread = Thread.ofPlatform().unstarted(() -> work(loaded));
    thread.start();
    synchronized (model.scheduler()) {
      while (!idle) {
        await();
      }
    }
  }

  boolean passive() {
    return settings.passive();
  }

  boolean isIdle() {
    return idle;
  }

  /** Passes a batch to the thread, which must be idle. */
  void run(List<Waiting> chosen) {
    idle = false;
    batch = chosen;
    model.scheduler().notifyAll();
  }

  /** Waits for the thread; not with the scheduler locked. */
  void close() {
    synchronized (model.scheduler()) {
      closed = true;
      model.scheduler().notifyAll();
    }
    try {
      thread.join();
    } catch (InterruptedException stopped) {
      throw new AssertionError(stopped);
    }
  }

  private void work(Model loaded) {
    try (var instance = loaded.open(settings)) {
      for (var next = next(); next != null; next = next()) {
        try (var input = new TestBatch(config)) {
          next.forEach(each -> input.add(each.request.id(), each.request.inputs(), each.outputs));
          List<List<Outcome>> answers;
          try (var results = new TestResults(config, input)) {
            instance.execute(input, results);
            answers = results.answers();
          }
          synchronized (model.scheduler()) {
            model.executed(next, answers);
          }
        }
      }
    }
  }

  /** Becomes idle, and waits for a batch; null once the instance is closed. */
  private @Nullable List<Waiting> next() {
    synchronized (model.scheduler()) {
      idle = true;
      model.scheduler().notifyAll();
      if (model.isOpen()) {
        model.decide();
      }
      while (batch == null && !closed) {
        await();
      }
      var next = batch;
      batch = null;
      return next;
    }
  }

  private void await() {
    try {
      model.scheduler().wait();
    } catch (InterruptedException stopped) {
      throw new AssertionError(stopped);
    }
  }
}
