package io.nereid.policy;

import io.nereid.config.SequenceSettings;
import io.nereid.config.SequenceSettings.Strategy;
import io.nereid.request.RequestOptions;
import io.nereid.request.SequenceId;
import java.util.List;
import java.util.Map;

/**
 * A sequence batcher to play with: requests are named after their sequence and their number in it,
 * {@code A0}; times are in microseconds.
 */
final class PlayedSequences {
  static final long IDLE = 1_000_000;

  final RecordedSteps steps = new RecordedSteps();
  final SequencePolicy policy;
  long micros;

  private PlayedSequences(Strategy strategy, int maxBatchSize, boolean iterative) {
    var settings = new SequenceSettings(IDLE, List.of(), strategy, List.of(), iterative);
    policy = new SequencePolicy(settings, maxBatchSize, 100);
  }

  static PlayedSequences direct(int maxBatchSize) {
    return direct(maxBatchSize, 0, 0);
  }

  static PlayedSequences direct(int maxBatchSize, long delayMicros, double utilization) {
    return new PlayedSequences(new Strategy.Direct(delayMicros, utilization), maxBatchSize, false);
  }

  static PlayedSequences oldest(
      int maxBatchSize, int candidates, long delayMicros, Integer... preferred) {
    return new PlayedSequences(
        new Strategy.Oldest(candidates, List.of(preferred), delayMicros, false),
        maxBatchSize,
        false);
  }

  static PlayedSequences iterative(int maxBatchSize) {
    return new PlayedSequences(new Strategy.Direct(0, 0), maxBatchSize, true);
  }

  static PlayedSequences iterativeOldest(int maxBatchSize) {
    return new PlayedSequences(
        new Strategy.Oldest(0, List.of(maxBatchSize), 0, false), maxBatchSize, true);
  }

  Ticket start(String name) {
    return arrive(name, true, false);
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
    policy.arrived(ticket, now(), steps);
    return ticket;
  }

  long now() {
    return micros * 1_000;
  }

  void instance(int instance) {
    policy.instanceAdded(instance, 0, now(), steps);
  }

  List<String> decide() {
    steps.decide(policy, now());
    return steps.taken();
  }

  /** What happens once an instance has executed its batch. */
  List<String> executed(int instance) {
    policy.executed(instance, now(), now(), steps);
    return decide();
  }

  /** What happens once the first instance is there, and each time it has executed a batch. */
  List<String> run() {
    instance(0);
    return decide();
  }

  List<String> executed() {
    return executed(0);
  }

  List<String> cancel(Ticket ticket) {
    policy.cancelled(ticket, now(), steps);
    return decide();
  }

  long wakeMicros() {
    long wake = steps.decide(policy, now());
    return wake == Ticket.NEVER ? wake : wake / 1_000;
  }
}
