package io.nereid.engine.scheduling.policy.dynamic;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.BatchCostSettings;
import io.nereid.config.BatchCostSettings.Kind;
import io.nereid.config.BatchingSettings;
import io.nereid.engine.request.Ticket;
import io.nereid.engine.scheduling.policy.BatchCost;
import io.nereid.engine.scheduling.policy.BatchingRule;
import io.nereid.engine.scheduling.policy.DispatchReason;
import io.nereid.engine.scheduling.policy.NamedTicket;
import io.nereid.engine.scheduling.policy.PredictedWait;
import io.nereid.engine.scheduling.policy.QueueLimits;
import io.nereid.engine.scheduling.policy.Rejection;
import io.nereid.engine.scheduling.policy.SchedulingActions;
import io.nereid.request.RequestOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What limits of cost and padding are worth for texts of mixed lengths: a simulated model pads each
 * batch and takes 1 us for each token of it, and 100 us beside. Its clients send the next text when
 * the one before was answered. The same on every machine.
 */
class MixedLengthsTest {
  private static final int MAX_BATCH_SIZE = 32;
  private static final long MAX_COST = 8_192;
  private static final int REQUESTS = 20_000;
  private static final long BATCH_NANOS = 100_000;
  private static final long TOKEN_NANOS = 1_000;

  /** A run with so many clients. */
  private static final class Run implements SchedulingActions {
    private final DynamicBatchingPolicy policy;
    private final BatchCost cost;
    private final Random random = new Random(7);
    private final List<Ticket> executing = new ArrayList<>();
    private final List<Long> latencies = new ArrayList<>();
    private long now;
    private long costs;
    private long padding;
    private long batches;
    private boolean woken;
    private int arrived;

    Run(int clients, BatchCostSettings settings) {
      cost = new BatchCost(settings);
      policy =
          new DynamicBatchingPolicy(
              BatchingSettings.of(List.of(MAX_BATCH_SIZE), 0),
              MAX_BATCH_SIZE,
              settings,
              QueueLimits.of(4_096),
              BatchingRule.ALL);
      policy.instanceAdded(0, 0, 0, this);
      for (int i = 0; i < clients; i++) {
        arrive();
      }
      while (latencies.size() < REQUESTS) {
        step();
      }
    }

    /** A text of 4 to 512 tokens, half of them below 40. */
    private void arrive() {
      double tokens = StrictMath.exp(3.7 + 0.9 * random.nextGaussian());
      var ticket = new NamedTicket(arrived++, 1, now, Ticket.NEVER, "key", RequestOptions.NONE);
      ticket.setWeight((int) Math.clamp(tokens, 4, 512));
      policy.arrived(ticket, now, this);
    }

    private void step() {
      policy.decide(now, this);
      if (woken) {
        woken = false;
        policy.ready(0, now, this);
        policy.decide(now, this);
      }
      cost.clear();
      executing.forEach(cost::add);
      costs += cost.cost();
      padding += cost.padding();
      batches++;
      now += BATCH_NANOS + TOKEN_NANOS * cost.cost();
      executing.forEach(each -> latencies.add(now - each.arrivalNanos()));
      int answered = executing.size();
      executing.clear();
      policy.executed(0, now, now, this);
      for (int i = 0; i < answered; i++) {
        arrive();
      }
      policy.ready(0, now, this);
    }

    long paddingPercent() {
      return Math.round(100.0 * padding / costs);
    }

    long requestsPerSecond() {
      return Math.round(latencies.size() * 1e9 / now);
    }

    long requestsPerBatch() {
      return Math.round((double) latencies.size() / batches);
    }

    long millis(double quantile) {
      List<Long> sorted = latencies.stream().sorted().toList();
      return Math.round(sorted.get((int) (quantile * (sorted.size() - 1))) / 1e6);
    }

    @Override
    public String toString() {
      return "%d%% padding, %d requests/s, %d a batch, p50 %d ms, p99 %d ms"
          .formatted(
              paddingPercent(), requestsPerSecond(), requestsPerBatch(), millis(0.5), millis(0.99));
    }

    @Override
    public void wake(int instance) {
      woken = true;
    }

    @Override
    public void idle(int instance) {}

    @Override
    public void dispatch(int instance, @Nullable Ticket[] batch, int size, DispatchReason reason) {
      for (int i = 0; i < size; i++) {
        executing.add(Objects.requireNonNull(batch[i]));
      }
    }

    @Override
    public void reject(Ticket ticket, Rejection rejection) {
      throw new AssertionError(rejection);
    }

    @Override
    public void refuse(Ticket ticket, PredictedWait wait) {
      throw new AssertionError(wait);
    }
  }

  /** The table of docs/measurements/batch-cost.md. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          4 | 100 | 0 | 52% padding, 6682 requests/s, 4 a batch, p50 1 ms, p99 2 ms
          4 | 10 | 50000 | 3% padding, 7557 requests/s, 1 a batch, p50 1 ms, p99 1 ms
          16 | 100 | 0 | 72% padding, 4472 requests/s, 16 a batch, p50 3 ms, p99 8 ms
          16 | 10 | 50000 | 6% padding, 10083 requests/s, 3 a batch, p50 2 ms, p99 3 ms
          64 | 100 | 0 | 76% padding, 3985 requests/s, 28 a batch, p50 15 ms, p99 25 ms
          64 | 10 | 0 | 1% padding, 6785 requests/s, 1 a batch, p50 9 ms, p99 11 ms
          64 | 100 | 50000 | 51% padding, 7949 requests/s, 30 a batch, p50 8 ms, p99 22 ms
          64 | 20 | 50000 | 18% padding, 12335 requests/s, 13 a batch, p50 5 ms, p99 12 ms
          64 | 10 | 50000 | 8% padding, 12629 requests/s, 7 a batch, p50 5 ms, p99 11 ms
          64 | 10 | 5000 | 7% padding, 11694 requests/s, 5 a batch, p50 6 ms, p99 9 ms
          256 | 100 | 0 | 76% padding, 3985 requests/s, 28 a batch, p50 64 ms, p99 82 ms
          256 | 10 | 50000 | 8% padding, 13577 requests/s, 12 a batch, p50 18 ms, p99 31 ms
          """)
  void groupingSavesPadding(
      int clients, int maxPaddingPercent, long maxReorderingMicros, String outcome) {
    var settings =
        new BatchCostSettings("ids", Kind.PADDED, MAX_COST, maxPaddingPercent, maxReorderingMicros);

    assertThat(new Run(clients, settings)).hasToString(outcome);
  }
}
