package io.nereid.tck.scheduler;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A plain default scheduler and dynamic batcher: one lock around everything, and one {@link
 * Defect}.
 */
final class PlainScheduler implements SchedulerUnderTest {
  private final Defect defect;
  private final List<PlainModel> models = new ArrayList<>();
  private long now;

  PlainScheduler(Defect defect) {
    this.defect = defect;
  }

  long now() {
    return now;
  }

  /** Loads a model, which reads no files. */
  @Override
  public SchedulerModel load(String configPbtxt, Map<String, byte[]> files) {
    var model = new PlainModel(this, PlainConfig.parse(configPbtxt), defect);
    synchronized (this) {
      models.add(model);
    }
    return model;
  }

  @Override
  public synchronized void advance(Duration time) {
    long end = now + time.toNanos();
    for (long due = due(); due <= end; due = due()) {
      now = due;
      models.forEach(PlainModel::decide);
    }
    now = end;
  }

  private long due() {
    return models.stream().mapToLong(PlainModel::due).min().orElse(Long.MAX_VALUE);
  }

  @Override
  public void settle() {
    long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    while (!isSettled()) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("it never comes to rest");
      }
      Thread.onSpinWait();
    }
  }

  private synchronized boolean isSettled() {
    return models.stream().allMatch(PlainModel::isSettled);
  }

  @Override
  public void close() {
    models.forEach(PlainModel::close);
  }
}
