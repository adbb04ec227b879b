package io.nereid.engine.scheduling.policy.dynamic;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.BatchingSettings;
import io.nereid.config.QueuePolicy;
import io.nereid.config.QueuePolicy.TimeoutAction;
import io.nereid.engine.request.Ticket;
import io.nereid.engine.scheduling.policy.BatchingRule;
import io.nereid.engine.scheduling.policy.NamedTicket;
import io.nereid.engine.scheduling.policy.QueueLimits;
import io.nereid.engine.scheduling.policy.RecordedActions;
import io.nereid.request.RequestOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** In which order the requests of several clients are served. */
class FairQueueTest {
  private static final int INSTANCE = 0;

  private final RecordedActions actions = new RecordedActions();
  private DynamicBatchingPolicy policy = DynamicBatchingPolicy.direct(QueueLimits.of(4_096));
  private int number;

  private void settings(int maxBatchSize, boolean preserveOrdering, QueuePolicy queuePolicy) {
    var settings =
        new BatchingSettings(
            List.of(Math.max(1, maxBatchSize)), 0, preserveOrdering, 0, 0, queuePolicy, Map.of());
    policy =
        new DynamicBatchingPolicy(
            settings, maxBatchSize, /* costs= */ null, QueueLimits.of(4_096), BatchingRule.ALL);
  }

  /** A request of a client, whose name is that of the client and a number. */
  private Ticket arrive(String client, long rows) {
    number++;
    var ticket =
        new NamedTicket(client + number, rows, 0, Ticket.NEVER, "key", RequestOptions.NONE);
    ticket.setClient(client);
    policy.arrived(ticket, 0, actions);
    return ticket;
  }

  private void arrive(String client, int requests, long rows) {
    for (int i = 0; i < requests; i++) {
      arrive(client, rows);
    }
  }

  /** Has the only instance execute all, batch by batch. */
  private List<String> serveAll() {
    List<String> served = new ArrayList<>();
    policy.instanceAdded(INSTANCE, 0, 0, actions);
    while (policy.waiting() > 0) {
      served.addAll(serveNext());
    }
    return served;
  }

  private List<String> serveNext() {
    actions.decide(policy, 0);
    List<String> served = actions.taken();
    policy.executed(INSTANCE, 0, 0, actions);
    return served;
  }

  @Test
  void requestsOfOneClientStayInOrder() {
    arrive("a", 3, 1);

    assertThat(serveAll()).containsExactly("0: a1", "0: a2", "0: a3");
  }

  @Test
  void clientsAreServedRoundRobin() {
    arrive("a", 3, 1);
    arrive("b", 2, 1);
    arrive("c", 1, 1);

    assertThat(serveAll()).containsExactly("0: a1", "0: b4", "0: c6", "0: a2", "0: b5", "0: a3");
  }

  @Test
  void aClientThatAsksOnceAtATimePrecedesTheHundredthRequestOfAnother() {
    arrive("greedy", 100, 1);
    policy.instanceAdded(INSTANCE, 0, 0, actions);
    for (int i = 0; i < 10; i++) {
      assertThat(serveNext()).as("the greedy client's turn").first().asString().contains("greedy");
      arrive("modest", 1);
      assertThat(serveNext().getFirst() + serveNext().getFirst()).contains("modest");
    }
  }

  @Test
  void aShareIsOfRowsNotOfRequests() {
    settings(4, false, QueuePolicy.NONE);
    arrive("large", 3, 4);
    arrive("small", 8, 1);

    assertThat(serveAll())
        .containsExactly(
            "0: large1",
            "0: small4 small5 small6 small7",
            "0: large2",
            "0: small8 small9 small10 small11",
            "0: large3");
  }

  @Test
  void aClientDoesNotPayForWhatItGotWhileNobodyElseWaited() {
    policy.instanceAdded(INSTANCE, 0, 0, actions);
    for (int i = 0; i < 50; i++) {
      arrive("a", 1);
      serveNext();
    }
    arrive("b", 2, 1);
    arrive("a", 2, 1);

    assertThat(serveAll()).containsExactly("0: b51", "0: b52", "0: a53", "0: a54");
  }

  @Test
  void aClientDoesNotPayForRequestsThatItCancelled() {
    List<Ticket> cancelled = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      cancelled.add(arrive("a", 1));
    }
    cancelled.forEach(each -> policy.cancelled(each, 0, actions));
    actions.taken();
    arrive("b", 2, 1);
    arrive("a", 1);

    assertThat(serveAll()).containsExactly("0: b11", "0: a13", "0: b12");
  }

  @Test
  void theOrderOfResponsesIsThatOfRequestsIfItIsPreserved() {
    settings(1, true, QueuePolicy.NONE);
    arrive("a", 2, 1);
    arrive("b", 1);

    assertThat(serveAll()).containsExactly("0: a1", "0: a2", "0: b3");
  }

  @Test
  void aFullQueueRejectsTheLastRequestOfTheClientThatFilledIt() {
    settings(1, false, new QueuePolicy(TimeoutAction.REJECT, 0, false, 3));
    arrive("a", 3, 1);
    arrive("a", 1);
    assertThat(actions.taken()).containsExactly("a4 QUEUE_FULL");

    arrive("b", 1);
    assertThat(actions.taken()).containsExactly("a3 QUEUE_FULL");
    arrive("b", 1);
    assertThat(actions.taken()).as("of the same share").containsExactly("b6 QUEUE_FULL");

    assertThat(serveAll()).containsExactly("0: a1", "0: b5", "0: a2");
  }

  @Test
  void theIndexOfTagsFollowsEveryRemoval() {
    var random = new java.util.Random(7);
    List<Ticket> waiting = new ArrayList<>();
    for (int i = 0; i < 2_000; i++) {
      if (waiting.size() < 30 || random.nextBoolean()) {
        waiting.add(arrive("c" + random.nextInt(8), 1 + random.nextInt(3)));
      } else {
        policy.cancelled(waiting.remove(random.nextInt(waiting.size())), 0, actions);
      }
    }
    actions.taken();

    assertThat(serveAll()).hasSameSizeAs(waiting);
  }
}
