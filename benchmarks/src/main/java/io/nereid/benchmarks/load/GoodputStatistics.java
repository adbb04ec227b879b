package io.nereid.benchmarks.load;

import io.nereid.tools.load.arrival.ArrivalProcess;
import io.nereid.tools.load.transport.Outcomes;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * What becomes of the requests of a run, by the step of the load in which they are due. The load's
 * thread writes it; other threads may read it after the load has ended.
 */
final class GoodputStatistics implements Outcomes {
  private static final int SIGNIFICANT_DIGITS = 3;

  /** The requests that are due in one step. */
  static final class Counts {
    private final Histogram answers = new Histogram(SIGNIFICANT_DIGITS);

    /** Answered within the deadline. */
    long inTime;

    /** Answered after the deadline, or not at all. */
    long late;

    long refused;
    long unsent;

    long all() {
      return inTime + late + refused + unsent;
    }

    /** The latency that {@code percent} of the answers did not exceed; 0 if there are none. */
    double percentileMillis(double percent) {
      return answers.getValueAtPercentile(percent) / 1e6;
    }
  }

  private final ArrivalProcess.Steps steps;
  private final long startNanos;
  private final long deadlineNanos;
  private final List<Counts> counts = new ArrayList<>();
  private long errors;
  private String firstError = "";

  /**
   * @param startNanos of the first step
   * @param deadlineNanos within which a request is to be answered after it was due
   */
  GoodputStatistics(ArrivalProcess.Steps steps, long startNanos, long deadlineNanos) {
    this.steps = steps;
    this.startNanos = startNanos;
    this.deadlineNanos = deadlineNanos;
    steps.steps().forEach(_ -> counts.add(new Counts()));
  }

  /** What became of the requests of a step. */
  Counts counts(int step) {
    return counts.get(step);
  }

  private Counts countsAt(long dueNanos) {
    return counts.get(steps.stepAt(dueNanos - startNanos));
  }

  @Override
  public void succeeded(long dueNanos, long nowNanos, long length, long bytes) {
    Counts step = countsAt(dueNanos);
    long latency = Math.max(0, nowNanos - dueNanos);
    step.answers.recordValue(latency);
    if (latency <= deadlineNanos) {
      step.inTime++;
    } else {
      step.late++;
    }
  }

  @Override
  public void refused(long dueNanos) {
    countsAt(dueNanos).refused++;
  }

  @Override
  public void late(long dueNanos) {
    countsAt(dueNanos).late++;
  }

  @Override
  public void unsent(long dueNanos) {
    countsAt(dueNanos).unsent++;
  }

  @Override
  public void failed(long dueNanos, String reason) {
    if (errors++ == 0) {
      firstError = reason;
    }
  }

  long errors() {
    return errors;
  }

  /** The reason of the first error; empty if there is none. */
  String firstError() {
    return firstError;
  }
}
