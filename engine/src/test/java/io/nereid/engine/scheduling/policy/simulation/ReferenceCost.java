package io.nereid.engine.scheduling.policy.simulation;

import io.nereid.config.BatchCostSettings;
import io.nereid.config.BatchCostSettings.Kind;
import io.nereid.engine.request.Ticket;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The reference model of what a batch costs.
 *
 * @param cost of the batch
 * @param padding the part of it that no row needs
 */
record ReferenceCost(long cost, long padding, BatchCostSettings settings) {
  /** The weight of a request's rows, 1 to 20. */
  static int weight(int name) {
    return 1 + name * 7 % 20;
  }

  static ReferenceCost of(List<Ticket> batch, BatchCostSettings settings) {
    long rows = batch.stream().mapToLong(Ticket::rows).sum();
    long longest = batch.stream().mapToLong(Ticket::weight).max().orElse(0);
    long sum = batch.stream().mapToLong(each -> each.rows() * each.weight()).sum();
    return of(rows, longest, sum, settings);
  }

  /** That of a batch of named requests. */
  static ReferenceCost of(
      List<Integer> batch, Map<Integer, Event.Arrive> requests, BatchCostSettings settings) {
    long rows = 0;
    long longest = 0;
    long sum = 0;
    for (int name : batch) {
      long own = Objects.requireNonNull(requests.get(name)).rows();
      rows += own;
      longest = Math.max(longest, weight(name));
      sum += own * weight(name);
    }
    return of(rows, longest, sum, settings);
  }

  private static ReferenceCost of(long rows, long longest, long sum, BatchCostSettings settings) {
    return settings.kind() == Kind.SUM
        ? new ReferenceCost(sum, 0, settings)
        : new ReferenceCost(rows * longest, rows * longest - sum, settings);
  }

  boolean isAllowed() {
    BigInteger allowed =
        BigInteger.valueOf(cost).multiply(BigInteger.valueOf(settings.maxPaddingPercent()));
    return cost <= settings.maxCost()
        && BigInteger.valueOf(padding).multiply(BigInteger.valueOf(100)).compareTo(allowed) <= 0;
  }

  /** Whether no request at all could join: one of a single row with the weight 1 would not. */
  static boolean isFull(List<Ticket> batch, BatchCostSettings settings) {
    long rows = batch.stream().mapToLong(Ticket::rows).sum() + 1;
    long longest = batch.stream().mapToLong(Ticket::weight).max().orElse(1);
    long sum = batch.stream().mapToLong(each -> each.rows() * each.weight()).sum() + 1;
    return of(rows, longest, sum, settings).cost > settings.maxCost();
  }
}
