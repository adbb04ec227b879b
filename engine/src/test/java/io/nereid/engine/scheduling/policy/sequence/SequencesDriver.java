package io.nereid.engine.scheduling.policy.sequence;

import io.nereid.config.SequenceSettings;
import io.nereid.config.SequenceSettings.Strategy;
import io.nereid.engine.request.Ticket;
import io.nereid.engine.scheduling.policy.NamedTicket;
import io.nereid.engine.scheduling.policy.QueueLimits;
import io.nereid.engine.scheduling.policy.RecordedActions;
import io.nereid.request.RequestOptions;
import io.nereid.request.SequenceId;
import java.util.List;
import java.util.Map;

/**
 * A sequence batcher whose requests are named after their sequence and their number in it, {@code
 * A0}; times are in microseconds.
 */
final class SequencesDriver {
  static final long IDLE = 1_000_000;

  final RecordedActions actions = new RecordedActions();
  final SequencePolicy policy;
  long micros;

  private SequencesDriver(Strategy strategy, int maxBatchSize, boolean iterative) {
    this(strategy, maxBatchSize, iterative, QueueLimits.of(100));
  }

  private SequencesDriver(
      Strategy strategy, int maxBatchSize, boolean iterative, QueueLimits limits) {
    var settings = new SequenceSettings(IDLE, List.of(), strategy, List.of(), iterative);
    policy = new SequencePolicy(settings, maxBatchSize, limits);
  }

  /** One slot, for which a sequence may wait that long. */
  static SequencesDriver limited(long maxWaitMicros) {
    return new SequencesDriver(
        new Strategy.Direct(0, 0),
        1,
        false,
        new QueueLimits(100, maxWaitMicros * 1_000, QueueLimits.SHARE, QueueLimits.SHARE));
  }

  /** Slots without batching, with a limit of the sequences of a client. */
  static SequencesDriver shared(int slots, QueueLimits limits) {
    return new SequencesDriver(new Strategy.Oldest(slots, List.of(), 0, false), 1, false, limits);
  }

  static SequencesDriver direct(int maxBatchSize) {
    return direct(maxBatchSize, 0, 0);
  }

  static SequencesDriver direct(int maxBatchSize, long delayMicros, double utilization) {
    return new SequencesDriver(new Strategy.Direct(delayMicros, utilization), maxBatchSize, false);
  }

  static SequencesDriver oldest(
      int maxBatchSize, int candidates, long delayMicros, Integer... preferred) {
    return new SequencesDriver(
        new Strategy.Oldest(candidates, List.of(preferred), delayMicros, false),
        maxBatchSize,
        false);
  }

  static SequencesDriver iterative(int maxBatchSize) {
    return new SequencesDriver(new Strategy.Direct(0, 0), maxBatchSize, true);
  }

  static SequencesDriver iterativeOldest(int maxBatchSize) {
    return new SequencesDriver(
        new Strategy.Oldest(0, List.of(maxBatchSize), 0, false), maxBatchSize, true);
  }

  Ticket start(String name) {
    return arrive(name, true, false);
  }

  /** The first request of a sequence of a client. */
  Ticket start(String client, SequenceId id) {
    var options = new RequestOptions(id, true, false, 0, 0, Map.of());
    var ticket = new NamedTicket(client + id, 1, now(), Ticket.NEVER, "key", options);
    ticket.setClient(client);
    return arrive(ticket);
  }

  /** The last request of such a sequence. */
  Ticket end(String client, SequenceId id) {
    var options = new RequestOptions(id, false, true, 0, 0, Map.of());
    var ticket = new NamedTicket(client + id, 1, now(), Ticket.NEVER, "key", options);
    ticket.setClient(client);
    return arrive(ticket);
  }

  Ticket next(String name) {
    return arrive(name, false, false);
  }

  Ticket end(String name) {
    return arrive(name, false, true);
  }

  /** A sequence of one request. */
  Ticket only(String name) {
    return arrive(name, true, true);
  }

  void startAll(String... names) {
    for (String name : names) {
      start(name);
    }
  }

  Ticket arrive(String name, boolean start, boolean end) {
    return arrive(name, start, end, 0, "key");
  }

  Ticket arrive(String name, boolean start, boolean end, long timeoutMicros, String batchKey) {
    return arrive(
        name, new SequenceId.OfString(name.substring(0, 1)), start, end, timeoutMicros, batchKey);
  }

  Ticket arrive(
      String name, SequenceId id, boolean start, boolean end, long timeoutMicros, String batchKey) {
    var options = new RequestOptions(id, start, end, 0, timeoutMicros, Map.of());
    return arrive(new NamedTicket(name, 1, now(), Ticket.NEVER, batchKey, options));
  }

  Ticket arrive(Ticket ticket) {
    policy.arrived(ticket, now(), actions);
    return ticket;
  }

  long now() {
    return micros * 1_000;
  }

  void instance(int instance) {
    policy.instanceAdded(instance, 0, now(), actions);
  }

  List<String> decide() {
    actions.decide(policy, now());
    return actions.taken();
  }

  /** Reports an executed batch and returns the actions. */
  List<String> executed(int instance) {
    policy.executed(instance, now(), now(), actions);
    return decide();
  }

  /** Adds an instance and returns the actions. */
  List<String> run() {
    instance(0);
    return decide();
  }

  List<String> executed() {
    return executed(0);
  }

  List<String> cancel(Ticket ticket) {
    policy.cancelled(ticket, now(), actions);
    return decide();
  }

  long wakeMicros() {
    long wake = actions.decide(policy, now());
    return wake == Ticket.NEVER ? wake : wake / 1_000;
  }
}
