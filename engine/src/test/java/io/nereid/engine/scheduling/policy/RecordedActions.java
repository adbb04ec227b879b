package io.nereid.engine.scheduling.policy;

import io.nereid.engine.request.Ticket;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Actions recorded as text: {@code "0: a b"} is a batch of requests on instance 0. Woken instances
 * are ready at once.
 */
public final class RecordedActions implements SchedulingActions {
  private final List<String> taken = new ArrayList<>();
  private final List<DispatchReason> reasons = new ArrayList<>();
  private final List<Object> ended = new ArrayList<>();
  private final List<Integer> idled = new ArrayList<>();
  private final Deque<Integer> woken = new ArrayDeque<>();

  /** Calls {@code decide} until no instance is woken; returns the time of the next decision. */
  public long decide(SchedulingPolicy policy, long now) {
    long wake = policy.decide(now, this);
    while (!woken.isEmpty()) {
      policy.ready(woken.remove(), now, this);
      wake = policy.decide(now, this);
    }
    return wake;
  }

  @Override
  public void wake(int instance) {
    woken.add(instance);
  }

  @Override
  public void idle(int instance) {
    idled.add(instance);
  }

  @Override
  public void dispatch(int instance, @Nullable Ticket[] batch, int size, DispatchReason reason) {
    var text = new StringBuilder().append(instance).append(':');
    for (int i = 0; i < size; i++) {
      text.append(' ').append(batch[i] == null ? "-" : NamedTicket.nameOf(batch[i]));
    }
    taken.add(text.toString());
    reasons.add(reason);
  }

  @Override
  public void reject(Ticket ticket, Rejection rejection) {
    taken.add(NamedTicket.nameOf(ticket) + " " + rejection);
  }

  @Override
  public void refuse(Ticket ticket, PredictedWait wait) {
    taken.add(
        "%s refused: %d us, limit %d us, %d ahead"
            .formatted(
                NamedTicket.nameOf(ticket),
                wait.nanos() / 1_000,
                wait.limitNanos() / 1_000,
                wait.requestsAhead()));
  }

  @Override
  public void ended(Object sequence) {
    ended.add(sequence);
  }

  /** The batches and rejections since the last call. */
  public List<String> taken() {
    return drain(taken);
  }

  /** The dispatch reasons since the last call. */
  public List<DispatchReason> reasons() {
    return drain(reasons);
  }

  /** The instances made idle since the last call. */
  public List<Integer> idled() {
    return drain(idled);
  }

  /** The sequences that have ended since the last call. */
  public List<Object> ended() {
    return drain(ended);
  }

  private static <T> List<T> drain(List<T> list) {
    List<T> since = List.copyOf(list);
    list.clear();
    return since;
  }
}
