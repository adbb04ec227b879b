package io.nereid.server.scheduling.policy.simulation;

import io.nereid.server.request.Ticket;
import io.nereid.server.scheduling.policy.PredictedWait;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
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

  void executed(int instance, long now) {
    Running batch = running.remove(instance);
    if (batch != null) {
      executions.add(new Execution(batch.rows, now - batch.start));
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
    long limit = Math.min(left - left / 4, latestStart - now);
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

  /** The group of a number of rows: 0 for 1, 1 for 2 and 3, 2 for 4 to 7. */
  private static int group(long rows) {
    int group = 0;
    for (long left = rows; left > 1; left /= 2) {
      group++;
    }
    return group;
  }

  /** The mean of a group; 0 if no such batch was executed. */
  private long mean(int group) {
    long mean = 0;
    for (Execution each : executions) {
      if (group(each.rows) == group) {
        long nanos = Math.max(1, each.nanos);
        if (mean == 0) {
          mean = nanos;
        } else {
          long before = Math.min(mean, 4 * nanos);
          mean = Math.max(1, before + (Math.min(nanos, 8 * before) - before) / 8);
        }
      }
    }
    return mean;
  }

  private long executionNanos(long rows) {
    int group = group(rows);
    List<Long> candidates = new ArrayList<>();
    for (int smaller = 0; smaller < group; smaller++) {
      if (mean(smaller) != 0) {
        candidates.add(mean(smaller) << (group - smaller));
      }
    }
    if (mean(group) != 0) {
      candidates.add(mean(group));
      return candidates.stream().min(Long::compare).orElseThrow();
    }
    for (int nearest = group - 1; nearest >= 0; nearest--) {
      if (mean(nearest) != 0) {
        return mean(nearest);
      }
    }
    for (int larger = group + 1; larger < Long.SIZE; larger++) {
      if (mean(larger) != 0) {
        return mean(larger);
      }
    }
    throw new IllegalStateException("nothing was executed");
  }
}
