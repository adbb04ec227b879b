package io.nereid.engine.scheduling.policy.simulation;

import io.nereid.engine.request.Ticket;
import io.nereid.engine.scheduling.policy.PredictedWait;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The reference model of predicted waits: a list of all executions, from which each prediction is
 * computed anew.
 */
final class ReferenceWaits {
  /** A batch that is executed, or was. */
  private record Execution(long rows, long nanos) {}

  /** The batch of an instance. */
  private record Running(long rows, long start) {}

  private final List<Execution> executions = new ArrayList<>();
  private final Set<Integer> active = new TreeSet<>();
  private final Map<Integer, Running> running = new HashMap<>();

  /** The instances whose batch was not executed to its end. */
  private final Set<Integer> cutShort = new HashSet<>();

  /** The rows of the batches that left requests in the queue, after the largest possible one. */
  private final List<Long> fullBatches = new ArrayList<>();

  ReferenceWaits(long maxRows) {
    fullBatches.add(maxRows);
  }

  void added(int instance) {
    active.add(instance);
  }

  void removed(int instance) {
    active.remove(instance);
  }

  void dispatched(int instance, List<Ticket> batch, boolean leftRequests, long now) {
    running.put(instance, new Running(rows(batch), now));
    if (leftRequests) {
      fullBatches.add(rows(batch));
    }
  }

  void cutShort(int instance) {
    cutShort.add(instance);
  }

  void executed(int instance, long now) {
    Running batch = running.remove(instance);
    if (batch != null) {
      long nanos = now - batch.start;
      if (!cutShort.remove(instance) || nanos > executionNanos(batch.rows)) {
        executions.add(new Execution(batch.rows, nanos));
      }
    }
  }

  private static long rows(List<Ticket> tickets) {
    return tickets.stream().mapToLong(Ticket::rows).sum();
  }

  /** The prediction for a request; it is refused if the wait reaches the limit. */
  PredictedWait prediction(Ticket ticket, List<Ticket> ahead, long latestStart, long now) {
    if (active.isEmpty() || executions.isEmpty()) {
      return new PredictedWait(0, 0, 0);
    }
    long full = fullRows();
    long batches = rows(ahead) / full;
    List<Long> free = active.stream().map(instance -> freeIn(instance, now)).sorted().toList();
    long wait =
        free.get((int) (batches % free.size())) + batches / free.size() * executionNanos(full);
    long own = Math.max(ticket.rows(), Math.min(full, rows(ahead) % full + ticket.rows()));
    long left = ticket.deadlineNanos() - executionNanos(own) - now;
    long limit = Math.min(left - left / 3, latestStart - now);
    return new PredictedWait(wait, Math.max(0, limit), ahead.size());
  }

  private long freeIn(int instance, long now) {
    Running batch = running.get(instance);
    return batch == null ? 0 : Math.abs(batch.start + executionNanos(batch.rows) - now);
  }

  private long fullRows() {
    double mean = fullBatches.getFirst();
    for (long rows : fullBatches.subList(1, fullBatches.size())) {
      mean += (rows - mean) / 8;
    }
    return Math.max(1, Math.round(mean));
  }

  /** The number of halvings to a single row: groups are 1, 2 to 3, 4 to 7. */
  private static int group(long rows) {
    int group = 0;
    for (long left = rows; left > 1; left /= 2) {
      group++;
    }
    return group;
  }

  /** A point of the curve of times: the means of a group. */
  private record Point(double rows, double nanos) {}

  /** The points of the groups of which a batch was executed, in ascending order. */
  private List<Point> points() {
    Map<Integer, Point> points = new TreeMap<>();
    for (Execution each : executions) {
      double nanos = Math.max(1, each.nanos);
      points.merge(
          group(each.rows), new Point(each.rows, nanos), (mean, latest) -> next(mean, latest));
    }
    return List.copyOf(points.values());
  }

  private static Point next(Point mean, Point latest) {
    double before = Math.min(mean.nanos, 4 * latest.nanos);
    double sample = Math.min(latest.nanos, 8 * before);
    return new Point(mean.rows + (latest.rows - mean.rows) / 8, before + (sample - before) / 8);
  }

  /** The expected duration of a batch; 0 if none was executed. */
  long executionNanos(long rows) {
    List<Point> points = points();
    if (points.isEmpty()) {
      return 0;
    }
    List<Point> smaller = points.stream().filter(point -> point.rows <= rows).toList();
    double separately =
        smaller.stream()
            .mapToDouble(point -> point.nanos / point.rows * rows)
            .min()
            .orElse(Double.MAX_VALUE);
    return (long) Math.min(separately, onCurve(points, smaller.size(), rows));
  }

  private static double onCurve(List<Point> points, int smaller, long rows) {
    if (smaller == 0 || points.size() == 1) {
      return points.getFirst().nanos;
    }
    if (smaller < points.size()) {
      return onLine(points.get(smaller - 1), points.get(smaller), rows);
    }
    double further = onLine(points.get(smaller - 2), points.getLast(), rows);
    return Math.max(points.getLast().nanos, further);
  }

  private static double onLine(Point from, Point to, long rows) {
    double slope = (to.nanos - from.nanos) / (to.rows - from.rows);
    return from.nanos + slope * (rows - from.rows);
  }
}
