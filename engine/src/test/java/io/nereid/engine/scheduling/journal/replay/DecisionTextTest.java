package io.nereid.engine.scheduling.journal.replay;

import static org.assertj.core.api.Assertions.assertThat;

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
                -> batch of 2 requests, 3 rows, to instance 0: the oldest request has waited for the maximum delay. The oldest waited 1.001 ms; no more wait. [1 'a?', 2]
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
