package io.nereid.engine.scheduling.policy.dynamic;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.BatchCostSettings;
import io.nereid.config.BatchCostSettings.Kind;
import io.nereid.config.BatchingSettings;
import io.nereid.config.QueuePolicy;
import io.nereid.engine.request.Ticket;
import io.nereid.engine.scheduling.policy.BatchingRule;
import io.nereid.engine.scheduling.policy.DispatchReason;
import io.nereid.engine.scheduling.policy.NamedTicket;
import io.nereid.engine.scheduling.policy.QueueLimits;
import io.nereid.request.RequestOptions;
import io.nereid.request.SequenceId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Batches whose cost has a limit. The number of a request's name is its weight: {@code a10}. */
class BatchCostTest extends BatchingDriver {
  private static final long ANY_ORDER = 1_000_000;

  private void limit(BatchCostSettings costs, long delay) {
    policy =
        new DynamicBatchingPolicy(
            BatchingSettings.of(List.of(8), delay),
            8,
            costs,
            QueueLimits.of(100),
            BatchingRule.ALL);
  }

  private void limit(Kind kind, long maxCost) {
    limit(BatchCostSettings.of("ids", kind, maxCost), 0);
  }

  private void group(long maxCost, int maxPaddingPercent, long maxReorderingMicros) {
    limit(
        new BatchCostSettings("ids", Kind.PADDED, maxCost, maxPaddingPercent, maxReorderingMicros),
        0);
  }

  private Ticket come(String name) {
    return come(name, 1, "key", "");
  }

  private Ticket come(String name, long rows, String key, String client) {
    var ticket =
        new NamedTicket(name, rows, micros * 1_000, Ticket.NEVER, key, RequestOptions.NONE);
    ticket.setWeight(Integer.parseInt(name.replaceAll("\\D", "")));
    ticket.setClient(client);
    policy.arrived(ticket, micros * 1_000, actions);
    return ticket;
  }

  private void comeAll(String... names) {
    List.of(names).forEach(this::come);
  }

  /** The batches of one instance until no request waits. */
  private List<String> batches() {
    List<String> batches = new ArrayList<>(release());
    List<String> next = executedReady();
    while (!next.isEmpty()) {
      batches.addAll(next);
      next = executedReady();
    }
    return batches;
  }

  private List<String> executedReady() {
    return policy.waiting() == 0 ? List.of() : executed();
  }

  @Test
  void aPaddedBatchCostsItsLongestRowTimesItsRows() {
    limit(Kind.PADDED, 30);
    comeAll("a10", "b9", "c10", "d9", "e11", "f8", "g1");

    assertThat(batches()).containsExactly("0: a10 b9 c10", "0: d9 e11", "0: f8 g1");
    assertThat(actions.reasons())
        .containsExactly(
            DispatchReason.MAX_BATCH_COST, DispatchReason.MAX_BATCH_COST, DispatchReason.NO_DELAY);
  }

  @Test
  void aSumIsTheWeightOfAllRows() {
    limit(Kind.SUM, 30);
    comeAll("a10", "b20", "c1", "d29", "e1");

    assertThat(batches()).containsExactly("0: a10 b20", "0: c1 d29", "0: e1");
  }

  @Test
  void countsEachRowOfARequest() {
    limit(Kind.PADDED, 30);
    come("a10", 2, "key", "");
    come("b10", 2, "key", "");
    come("c10");

    assertThat(batches()).containsExactly("0: a10", "0: b10 c10");
  }

  @Test
  void aRequestAboveTheLimitIsExecutedAlone() {
    limit(Kind.PADDED, 30);
    comeAll("a31", "b1", "c500", "d30");

    assertThat(batches()).containsExactly("0: a31", "0: b1", "0: c500", "0: d30");
  }

  @Test
  void aBatchThatNoRequestCanJoinDoesNotWaitForOne() {
    limit(BatchCostSettings.of("ids", Kind.PADDED, 30), DELAY);
    comeAll("a10", "b10", "c9");
    assertThat(release()).containsExactly("0: a10 b10 c9");

    comeAll("d10", "e10");
    assertThat(executed()).as("a third of 10 could join").isEmpty();
    micros = DELAY;
    assertThat(decide()).containsExactly("0: d10 e10");
    assertThat(actions.reasons())
        .containsExactly(DispatchReason.MAX_BATCH_COST, DispatchReason.DELAY_PASSED);
  }

  @Test
  void endsABatchBeforeARequestThatWouldCauseTooMuchPadding() {
    group(1_000, 25, 0);
    comeAll("a10", "b5", "c10", "d4", "e4");

    assertThat(batches()).containsExactly("0: a10 b5 c10", "0: d4 e4");
    assertThat(actions.reasons())
        .containsExactly(DispatchReason.MAX_PADDING, DispatchReason.NO_DELAY);
  }

  @Test
  void groupsTheNeighboursOfTheFirstRequest() {
    group(1_000, 10, ANY_ORDER);
    comeAll("a10", "b500", "c11", "d490", "e9", "f100");

    assertThat(batches()).containsExactly("0: a10 c11 e9", "0: b500 d490", "0: f100");
  }

  @Test
  void considersNearerNeighboursFirstAndOfEquallyNearOnesTheEarlier() {
    group(40, 100, ANY_ORDER);
    comeAll("a10", "b13", "c9", "d8", "e12", "f10");

    assertThat(batches()).containsExactly("0: a10 f10 c9 d8", "0: b13 e12");
  }

  @Test
  void keepsTheOrderOfRequestsThatArriveAsMuchLaterAsTheLimit() {
    group(20, 100, 100);
    come("a10");
    micros = 50;
    come("b20");
    micros = 99;
    come("c10");
    micros = 100;
    come("d10");

    assertThat(batches()).containsExactly("0: a10 c10", "0: b20", "0: d10");

    micros = 200;
    come("e10");
    come("f20");
    micros = 300;
    come("g10");
    assertThat(executed()).containsExactly("0: e10");
  }

  @Test
  void isAboutTheOrderOfArrivalsHoweverLongRequestsHaveWaited() {
    group(1_000, 0, 100);
    comeAll("a10", "b500", "c10", "d500");
    micros = ANY_ORDER;

    assertThat(batches()).containsExactly("0: a10 c10", "0: b500 d500");
  }

  @Test
  void groupsRequestsThatMayShareABatch() {
    group(1_000, 100, ANY_ORDER);
    come("a10", 1, "[10]", "");
    come("b10", 1, "[20]", "");
    come("c30", 1, "[10]", "");

    assertThat(batches()).containsExactly("0: a10 c30", "0: b10");
    assertThat(actions.reasons())
        .containsExactly(DispatchReason.NEXT_DIFFERS, DispatchReason.NO_DELAY);
  }

  @Test
  void doesNotReorderPriorityLevels() {
    policy =
        new DynamicBatchingPolicy(
            new BatchingSettings(List.of(8), 0, false, 2, 2, QueuePolicy.NONE, Map.of()),
            8,
            new BatchCostSettings("ids", Kind.PADDED, 20, 100, ANY_ORDER),
            QueueLimits.of(100),
            BatchingRule.ALL);
    priority("low10", 2);
    priority("a10", 1);
    priority("b15", 1);

    assertThat(batches()).containsExactly("0: a10", "0: b15", "0: low10");
  }

  private void priority(String name, long level) {
    var options = new RequestOptions(SequenceId.NONE, false, false, level, 0, Map.of());
    var ticket = new NamedTicket(name, 1, micros * 1_000, Ticket.NEVER, "key", options);
    ticket.setWeight(Integer.parseInt(name.replaceAll("\\D", "")));
    policy.arrived(ticket, micros * 1_000, actions);
  }

  @Test
  void anotherInstanceGetsWhatTheFirstBatchLeaves() {
    group(1_000, 10, ANY_ORDER);
    comeAll("a10", "b500", "c10", "d500");
    instance(0);
    instance(1);

    assertThat(decide()).containsExactly("0: a10 c10", "1: b500 d500");
  }

  @Test
  void wakesAnInstanceForEachBatchOnly() {
    group(1_000, 10, ANY_ORDER);
    comeAll("a10", "b500", "c10", "d500");
    instance(0);
    instance(1);
    instance(2);

    assertThat(decide()).hasSize(2);
    assertThat(actions.idled()).isEmpty();
  }

  @Test
  void aNeighbourThatIsCancelledIsLeftOut() {
    group(1_000, 10, ANY_ORDER);
    comeAll("a10", "b500");
    Ticket cancelled = come("c10");
    come("d10");
    policy.cancelled(cancelled, 0, actions);

    assertThat(batches()).containsExactly("c10 CANCELLED", "0: a10 d10", "0: b500");
  }

  @Test
  void findsANeighbourAtTheEndOfFourBatches() {
    groupPairs();
    comeAll("a10", "b1", "c2", "d3", "e4", "f5", "g6", "h7", "i10");

    assertThat(release()).containsExactly("0: a10 i10");
  }

  @Test
  void findsNoNeighbourBehindFourBatches() {
    groupPairs();
    comeAll("a10", "b1", "c2", "d3", "e4", "f5", "g6", "h7", "i8", "j10");

    assertThat(release()).containsExactly("0: a10");
  }

  private void groupPairs() {
    policy =
        new DynamicBatchingPolicy(
            BatchingSettings.of(List.of(2), 0),
            2,
            new BatchCostSettings("ids", Kind.PADDED, 10_000, 0, ANY_ORDER),
            QueueLimits.of(100),
            BatchingRule.ALL);
  }

  @Test
  void sharesTheQueueAmongClientsAsBefore() {
    group(20, 0, ANY_ORDER);
    for (int i = 0; i < 6; i++) {
      come("greedy" + 10, 1, "key", "greedy");
    }
    come("other20", 1, "key", "other");

    assertThat(batches().indexOf("0: other20")).isLessThanOrEqualTo(1);
  }
}
