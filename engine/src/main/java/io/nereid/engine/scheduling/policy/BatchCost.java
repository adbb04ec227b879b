package io.nereid.engine.scheduling.policy;

import io.nereid.config.BatchCostSettings;
import io.nereid.config.BatchCostSettings.Kind;
import io.nereid.engine.request.Ticket;
import org.jspecify.annotations.Nullable;

/**
 * What a batch costs, request by request. The first request always joins: one that exceeds the
 * limit by itself is executed alone.
 */
public final class BatchCost {
  private static final double PERCENT = 100;

  private final BatchCostSettings settings;
  private long rows;
  private long longest;

  /** The sum of the weights of all rows. */
  private long sum;

  /** The cost of an empty batch. */
  public BatchCost(BatchCostSettings settings) {
    this.settings = settings;
  }

  public void clear() {
    rows = 0;
    longest = 0;
    sum = 0;
  }

  public void add(Ticket ticket) {
    add(ticket.rows(), ticket.weight());
  }

  /** Adds a request of so many rows, each of that weight. */
  public void add(long newRows, int weight) {
    rows += newRows;
    longest = Math.max(longest, weight);
    sum += newRows * weight;
  }

  public long cost() {
    return cost(rows, longest, sum);
  }

  /** The part of the cost that is padding. */
  public long padding() {
    return cost() - sum;
  }

  /** Why a request may not join the batch, which is not empty; null if it may. */
  @Nullable DispatchReason reasonToClose(Ticket next) {
    long all = sum + next.rows() * next.weight();
    long cost = cost(rows + next.rows(), Math.max(longest, next.weight()), all);
    if (cost > settings.maxCost()) {
      return DispatchReason.MAX_BATCH_COST;
    }
    double paddingPercent = (cost - all) * PERCENT / cost;
    return paddingPercent > settings.maxPaddingPercent() ? DispatchReason.MAX_PADDING : null;
  }

  /** Whether not even a row of the least weight could join. */
  boolean isFull() {
    return cost(rows + 1, Math.max(longest, 1), sum + 1) > settings.maxCost();
  }

  private long cost(long batchRows, long batchLongest, long batchSum) {
    return settings.kind() == Kind.PADDED ? batchRows * batchLongest : batchSum;
  }
}
