package io.nereid.engine.scheduling.journal.replay;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.BatchCostSettings;
import io.nereid.config.BatchingSettings;
import io.nereid.config.ModelConfig;
import io.nereid.engine.model.config.conversion.SchedulingMessages;
import io.nereid.engine.model.config.conversion.SchedulingRecords;
import io.nereid.engine.request.Ticket;
import io.nereid.engine.scheduling.journal.JournalFile;
import io.nereid.engine.scheduling.journal.SchedulerJournal;
import io.nereid.engine.scheduling.policy.BatchingRule;
import io.nereid.engine.scheduling.policy.NamedTicket;
import io.nereid.engine.scheduling.policy.QueueLimits;
import io.nereid.engine.scheduling.policy.SchedulingPolicy;
import io.nereid.request.ModelKey;
import io.nereid.request.RequestOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The output of a replay, word for word. */
class DecisionTextTest {
  private final ReplayedTickets actions = new ReplayedTickets();

  private static Ticket ticket(String id, int rows, long arrival) {
    return new NamedTicket(id, rows, arrival, Ticket.NEVER, "key", RequestOptions.NONE);
  }

  @Test
  void printsWeightsAndWhatBatchesCost(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("journal");
    try (var journal =
        SchedulerJournal.open(
            new JournalFile(file, Long.MAX_VALUE), () -> 0, SchedulingMessages::message)) {
      ModelConfig config =
          ModelConfig.of("texts", "b")
              .withSignature(8, List.of(), List.of())
              .withScheduling(BatchingSettings.of(List.of(8), 0))
              .toBuilder()
              .parameter(BatchCostSettings.MAX_COST, "640")
              .parameter(BatchCostSettings.WEIGHT_INPUT, "ids")
              .parameter(BatchCostSettings.MAX_PADDING, "10")
              .parameter(BatchCostSettings.MAX_REORDERING, "500")
              .build();
      SchedulingPolicy policy =
          journal.policy(new ModelKey("texts", 1), config, 1, QueueLimits.of(8), BatchingRule.ALL);
      policy.arrived(weighing("a", 10), 0, actions);
      policy.arrived(weighing("b", 60), 0, actions);
      policy.arrived(weighing("c", 9), 0, actions);
      policy.decide(0, actions);
      policy.instanceAdded(0, 0, 0, actions);
      policy.decide(0, actions);
      policy.ready(0, 1_000, actions);
      policy.decide(1_000, actions);
      policy.executed(0, 5_000, 5_000, actions);
      policy.ready(0, 5_000, actions);
      policy.decide(5_000, actions);
    }
    var out = new StringWriter();
    assertThat(
            new Replay(new PrintWriter(out), SchedulingRecords::record, Optional.empty(), false)
                .run(file))
        .isTrue();

    assertThat(out.toString())
        .contains(
            "request 1 'a' arrived of weight 10; request 2 'b' arrived of weight 60;",
            "batch of 2 requests, 2 rows, cost 20 with 1 of padding, to instance 0 once it was ready:"
                + " until then 3 requests waited, and with the next request too much of it would be"
                + " padding. The oldest waited 0.001 ms; 1 is left in the queue. [1 'a', 3 'c']",
            "batch of 1 request, 1 row, cost 60 with 0 of padding, to instance 0 once it had"
                + " executed its batch: until then 1 request waited, and no delay is",
            "maximum batch size 8, maximum cost 640 (padded, by 'ids'), at most 10 % of it padding,"
                + " reordered within 500 us");
  }

  private static Ticket weighing(String id, int weight) {
    Ticket ticket = ticket(id, 1, 0);
    ticket.setWeight(weight);
    return ticket;
  }

  @Test
  void printsTheEventsOfADecisionItsActionsAndTheirReasons(@TempDir Path directory)
      throws IOException {
    Path file = directory.resolve("journal");
    var clock = new AtomicLong(-1_000_000_000);
    LongSupplier seconds = () -> clock.addAndGet(1_000_000_000);
    try (var journal =
        SchedulerJournal.open(
            new JournalFile(file, Long.MAX_VALUE), seconds, SchedulingMessages::message)) {
      ModelConfig config =
          ModelConfig.of("digits", "b")
              .withSignature(4, List.of(), List.of())
              .withScheduling(BatchingSettings.of(List.of(4), 1_000));
      SchedulingPolicy policy =
          journal.policy(new ModelKey("digits", 2), config, 1, QueueLimits.of(2), BatchingRule.ALL);
      policy.instanceAdded(0, 0, 0, actions);
      policy.decide(0, actions);
      policy.arrived(ticket("a\n", 1, 4_000), 5_000, actions);
      policy.decide(5_000, actions);
      policy.arrived(ticket("", 2, 6_000), 6_000, actions);
      policy.arrived(ticket("c", 1, 6_000), 6_000, actions);
      policy.decide(6_000, actions);
      policy.decide(1_004_000, actions);
      policy.ready(0, 1_005_000, actions);
      policy.decide(1_005_000, actions);
      policy.stopped();
      policy.executed(0, 2_000_000_000L, 2_000_000_017L, actions);
      policy.ready(0, 2_000_000_017L, actions);
      policy.decide(2_000_000_017L, actions);
      journal.ended(policy);
    }
    var out = new StringWriter();
    assertThat(
            new Replay(new PrintWriter(out), SchedulingRecords::record, Optional.empty(), false)
                .run(file))
        .isTrue();

    assertThat(out.toString())
        .isEqualToNormalizingNewlines(
            """
            0.000000000 s  digits version 2: loaded with 1 instance
            0.000000000 s  #1 digits version 2: instance 0 was added
            0.000005000 s  #2 digits version 2: request 1 'a?' arrived
                -> 1 request in the queue, the oldest for 0.001 ms; next due at 0.001004000 s
            0.000006000 s  #3 digits version 2: request 2 arrived with 2 rows; request 3 'c' arrived
                -> request 3 'c' is rejected: the queue is full
            0.001004000 s  #4 digits version 2: the timer expired
                -> instance 0 is woken
            0.001005000 s  #5 digits version 2: instance 0 is ready
                -> batch of 2 requests, 3 rows, to instance 0 once it was ready: until then 2 requests waited, and the oldest request has waited for the maximum delay. The oldest waited 1.001 ms; none is left in the queue. [1 'a?', 2]
            2.000000017 s  #6 digits version 2: the scheduler was stopped; instance 0 has executed its batch
                -> instance 0 becomes idle
            1.000000000 s  digits version 2: unloaded

            digits version 2 (dynamic batching, preferred sizes [4], maximum delay 1000 us, maximum batch size 4, 1 instance): agrees
              6 decisions, 3 requests, 1 batch
              mean batch: 2.00 requests, 3.00 rows
                     1 x the oldest request has waited for the maximum delay
                     1 x rejected: the queue is full
            """);
  }
}
