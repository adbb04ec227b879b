package io.nereid.engine.scheduling.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.config.BatchingSettings;
import io.nereid.config.ModelConfig;
import io.nereid.config.SchedulingSettings;
import io.nereid.engine.request.Ticket;
import io.nereid.engine.scheduling.DecisionJournal;
import io.nereid.engine.scheduling.journal.JournalRecord.Decision;
import io.nereid.engine.scheduling.journal.WatchedDecisions.Watched;
import io.nereid.engine.scheduling.journal.replay.ExplainedDecision;
import io.nereid.engine.scheduling.journal.replay.ExplainedDecision.ExplainedAction;
import io.nereid.engine.scheduling.journal.replay.ReplayedTickets;
import io.nereid.engine.scheduling.policy.BatchingRule;
import io.nereid.engine.scheduling.policy.NamedTicket;
import io.nereid.engine.scheduling.policy.QueueLimits;
import io.nereid.engine.scheduling.policy.SchedulingPolicy;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.request.ModelKey;
import io.nereid.request.RequestOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Decisions that are watched in memory, by a clock of the test. */
class WatchedDecisionsTest {
  private static final ModelKey MODEL = new ModelKey("m", 1);
  private static final long MINUTE = WatchedDecisions.TIME.toNanos();

  private final AtomicLong clock = new AtomicLong();
  private final ReplayedTickets actions = new ReplayedTickets();
  private final WatchedDecisions watched = new WatchedDecisions(DecisionJournal.NONE, clock::get);

  private SchedulingPolicy policy(WatchedDecisions decisions, ModelKey model) {
    return policy(decisions, model, BatchingSettings.of(List.of(4), 0));
  }

  private SchedulingPolicy policy(
      WatchedDecisions decisions, ModelKey model, SchedulingSettings settings) {
    ModelConfig config =
        ModelConfig.of(model.name(), "b")
            .withSignature(4, List.of(), List.of())
            .withScheduling(settings);
    SchedulingPolicy policy =
        decisions.policy(model, config, 1, QueueLimits.of(8), BatchingRule.ALL);
    policy.instanceAdded(0, 0, 0, actions);
    policy.decide(0, actions);
    return policy;
  }

  private void arrive(SchedulingPolicy policy, String id) {
    long now = clock.get();
    policy.arrived(
        new NamedTicket(id, 1, now, Ticket.NEVER, "key", RequestOptions.NONE), now, actions);
    policy.decide(now, actions);
  }

  /** The instance is ready, and executes the batch that it gets. */
  private void execute(SchedulingPolicy policy) {
    policy.ready(0, clock.get(), actions);
    policy.decide(clock.get(), actions);
    policy.executed(0, clock.get(), clock.get(), actions);
    policy.decide(clock.get(), actions);
  }

  private List<String> sentences() {
    Watched known = watched.decisions(MODEL);
    return ExplainedDecision.of(known.decisions(), known.isBatching(), known.costs()).stream()
        .flatMap(decision -> decision.actions().stream())
        .map(ExplainedAction::text)
        .toList();
  }

  @Test
  void nothingIsRecordedUntilTheModelIsWatched() {
    SchedulingPolicy policy = policy(watched, MODEL);
    arrive(policy, "a");

    assertThat(watched.decisions(MODEL)).isEqualTo(new Watched(0, true, null, List.of()));
  }

  @Test
  void theFirstDecisionAfterTheWatchBeganIsRecorded() {
    SchedulingPolicy policy = policy(watched, MODEL);
    watched.watch(MODEL);
    arrive(policy, "a");
    execute(policy);

    assertThat(sentences())
        .contains(
            "instance 0 is woken",
            "batch of 1 request, 1 row, to instance 0 once it was ready: until then 1 request"
                + " waited, and no delay is configured. The oldest waited 0.000 ms; none is left in"
                + " the queue. [1 'a']");
  }

  @Test
  void eachRequestOfAModelWithoutBatchingIsABatchOfItsOwn() {
    SchedulingPolicy policy = policy(watched, MODEL, new SchedulingSettings.Direct());
    watched.watch(MODEL);
    arrive(policy, "a");
    arrive(policy, "b");
    execute(policy);

    assertThat(sentences())
        .contains(
            "batch of 1 request, 1 row, to instance 0 once it was ready: until then 2 requests"
                + " waited, and each request is a batch of its own. The oldest waited 0.000 ms;"
                + " 1 is left in the queue. [1 'a']");
  }

  @Test
  void requestsThatArrivedBeforeAreNumberedAndNotExplained() {
    SchedulingPolicy policy = policy(watched, MODEL);
    arrive(policy, "a");
    watched.watch(MODEL);
    arrive(policy, "b");
    execute(policy);
    arrive(policy, "c");
    execute(policy);

    assertThat(sentences())
        .contains(
            "a batch of requests of which some had arrived before the decisions were recorded",
            "batch of 1 request, 1 row, to instance 0 once it was ready: until then 1 request"
                + " waited, and no delay is configured. The oldest waited 0.000 ms; none is left in"
                + " the queue. [3 'c']");
  }

  @Test
  void aWatchEndsAfterAMinute() {
    SchedulingPolicy policy = policy(watched, MODEL);
    watched.watch(MODEL);
    clock.set(MINUTE - 1);
    arrive(policy, "a");
    assertThat(watched.decisions(MODEL).leftNanos()).isEqualTo(1);
    assertThat(watched.decisions(MODEL).decisions()).hasSize(1);

    clock.set(MINUTE);
    arrive(policy, "b");
    arrive(policy, "c");
    assertThat(watched.decisions(MODEL).leftNanos()).isZero();
    assertThat(watched.decisions(MODEL).decisions()).hasSize(1);
  }

  @Test
  void aWatchThatIsAskedForAgainGoesOn() {
    SchedulingPolicy policy = policy(watched, MODEL);
    watched.watch(MODEL);
    arrive(policy, "a");
    clock.set(MINUTE - 1);
    watched.watch(MODEL);
    clock.set(2 * MINUTE - 2);
    arrive(policy, "b");

    assertThat(watched.decisions(MODEL).decisions()).hasSize(2);
  }

  @Test
  void theLastDecisionsAreKept() {
    SchedulingPolicy policy = policy(watched, MODEL);
    watched.watch(MODEL);
    for (int i = 0; i < WatchedDecisions.KEPT + 1; i++) {
      clock.set(i);
      policy.cutShort(0, i, actions);
      policy.decide(i, actions);
    }

    List<Decision> kept = watched.decisions(MODEL).decisions();
    assertThat(kept).hasSize(WatchedDecisions.KEPT);
    assertThat(kept.getFirst().entries()).contains(new Entry.At(1));
    assertThat(kept.getLast().entries()).contains(new Entry.At(WatchedDecisions.KEPT));
  }

  @Test
  void asManyModelsAreWatchedAsMayBe() {
    for (int i = 0; i <= WatchedDecisions.MAX_MODELS; i++) {
      policy(watched, new ModelKey("m" + i, 1));
    }
    for (int i = 0; i < WatchedDecisions.MAX_MODELS; i++) {
      watched.watch(new ModelKey("m" + i, 1));
    }
    var next = new ModelKey("m" + WatchedDecisions.MAX_MODELS, 1);

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> watched.watch(next))
        .withMessageContaining("the decisions on 8 models are watched")
        .satisfies(failure -> assertThat(failure.code()).isEqualTo(StatusCode.UNAVAILABLE));

    clock.set(MINUTE);
    watched.watch(next);
    assertThat(watched.decisions(next).leftNanos()).isEqualTo(MINUTE);
  }

  @Test
  void aModelThatEndedIsNotKnown() {
    SchedulingPolicy policy = policy(watched, MODEL);
    watched.ended(policy);

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> watched.decisions(MODEL))
        .satisfies(failure -> assertThat(failure.code()).isEqualTo(StatusCode.NOT_FOUND));
  }

  /** The journal in a file has the policy that it made itself. */
  @Test
  void theOtherJournalHearsOfTheEnd() {
    List<SchedulingPolicy> made = new ArrayList<>();
    List<SchedulingPolicy> over = new ArrayList<>();
    DecisionJournal other =
        new DecisionJournal() {
          @Override
          public SchedulingPolicy policy(
              ModelKey model,
              ModelConfig config,
              int instances,
              QueueLimits limits,
              BatchingRule rule) {
            made.add(DecisionJournal.NONE.policy(model, config, instances, limits, rule));
            return made.getLast();
          }

          @Override
          public void ended(SchedulingPolicy policy) {
            over.add(policy);
          }
        };
    var decisions = new WatchedDecisions(other, clock::get);
    decisions.ended(policy(decisions, MODEL));

    assertThat(over).isEqualTo(made).hasSize(1);
  }
}
