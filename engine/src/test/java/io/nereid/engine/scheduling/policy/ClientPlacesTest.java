package io.nereid.engine.scheduling.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.request.Ticket;
import io.nereid.engine.scheduling.policy.dynamic.DynamicBatchingPolicy;
import io.nereid.request.RequestOptions;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.Test;

/** What one client may take of a queue that all clients share. */
class ClientPlacesTest {
  private static final int CAPACITY = 4096;

  private final RecordedActions actions = new RecordedActions();
  private DynamicBatchingPolicy policy = DynamicBatchingPolicy.direct(QueueLimits.of(CAPACITY));
  private final Deque<Ticket> tickets = new ArrayDeque<>();

  private void arrive(String client) {
    var ticket = new NamedTicket(client, 1, 0, Ticket.NEVER, "key", RequestOptions.NONE);
    ticket.setClient(client);
    tickets.add(ticket);
    policy.arrived(ticket, 0, actions);
  }

  /** Sends requests until one is refused; returns how many wait. */
  private int fill(String client) {
    for (int waiting = 0; ; waiting++) {
      arrive(client);
      if (!actions.taken().isEmpty()) {
        return waiting;
      }
    }
  }

  @Test
  void aClientMayHaveAsManyPlacesAsItLeavesFree() {
    assertThat(fill("a")).isEqualTo(CAPACITY / 2);
    assertThat(fill("b")).isEqualTo(CAPACITY / 4);
    arrive("a");
    assertThat(actions.taken()).containsExactly("a QUEUE_SHARE");
    arrive("c");
    assertThat(actions.taken()).isEmpty();
  }

  @Test
  void aPlaceThatBecomesFreeIsFreeForItsClientToo() {
    fill("a");
    policy.cancelled(tickets.removeFirst(), 0, actions);
    assertThat(actions.taken()).containsExactly("a CANCELLED");

    arrive("a");

    assertThat(actions.taken()).isEmpty();
  }

  @Test
  void aClientMayAlwaysHaveAFewPlaces() {
    for (int i = 0; i < 4; i++) {
      fill("client " + i);
    }

    for (int i = 0; i < ClientPlaces.ALWAYS; i++) {
      arrive("z");
    }
    assertThat(actions.taken()).isEmpty();
    assertThat(policy.waiting()).isEqualTo(CAPACITY);
  }

  @Test
  void aLimitOfAClientReplacesItsShare() {
    policy = DynamicBatchingPolicy.direct(new QueueLimits(CAPACITY, Ticket.NEVER, 2, 0));

    assertThat(fill("a")).isEqualTo(2);
    assertThat(fill("b")).isEqualTo(2);
    policy.cancelled(tickets.removeFirst(), 0, actions);
    actions.taken();
    assertThat(fill("a")).isEqualTo(1);
  }

  @Test
  void clientsWithoutARequestAreForgotten() {
    var places = new ClientPlaces(QueueLimits.of(CAPACITY));
    for (int i = 0; i < 10_000; i++) {
      var ticket = new NamedTicket(i, 1, 0, Ticket.NEVER, "key", RequestOptions.NONE);
      ticket.setClient("client " + i);
      places.add(ticket);
      places.remove(ticket);
    }

    assertThat(places.clients()).isLessThan(100);
  }
}
