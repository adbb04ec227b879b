package io.nereid.engine.scheduling.policy.simulation;

import io.nereid.config.SequenceSettings;
import io.nereid.config.SequenceSettings.Strategy;
import io.nereid.request.SequenceId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The reference model of slots: the sequences in order of their start. Free slots and the backlog
 * are searched among them each time.
 */
final class ReferenceSlots {
  /** A slot of an instance. */
  record Slot(int instance, int number) {}

  private final boolean chooses;
  private final int count;
  private long touches;

  /** The sequence whose first request arrives now; it has never been in the backlog. */
  @Nullable ReferenceSequence beginning;

  /** Between the times at which sequences of the backlog got a slot. */
  private final List<Long> intervals = new ArrayList<>();

  private long lastPromotion;

  final List<ReferenceSequence> sequences = new ArrayList<>();

  /** The instances, and whether each is to be removed. */
  private final TreeMap<Integer, Boolean> instances = new TreeMap<>();

  /** The batch that each instance executes. */
  final Map<Integer, List<ReferenceRequest>> running = new HashMap<>();

  /** With the oldest strategy: the candidates, one request of each sequence. */
  final Map<Integer, List<ReferenceRequest>> candidates = new HashMap<>();

  private final Map<Integer, ReferenceAdaptiveDelay> adaptiveDelay = new HashMap<>();

  ReferenceSlots(SequenceSettings settings, int maxBatchSize) {
    this.chooses = settings.strategy() instanceof Strategy.Oldest;
    this.count =
        settings.strategy() instanceof Strategy.Oldest oldest && oldest.maxCandidateSequences() > 0
            ? oldest.maxCandidateSequences()
            : Math.max(1, maxBatchSize);
  }

  /** The number of slots of an instance. */
  int count() {
    return count;
  }

  Set<Integer> instances() {
    return instances.keySet();
  }

  void add(int instance, long now) {
    instances.put(instance, false);
    candidates.putIfAbsent(instance, new ArrayList<>());
    adaptiveDelay.putIfAbsent(instance, new ReferenceAdaptiveDelay());
    assignAll(now);
  }

  void remove(int instance) {
    instances.put(instance, true);
  }

  boolean isRemoved(int instance) {
    return Boolean.TRUE.equals(instances.get(instance))
        && !running.containsKey(instance)
        && candidates(instance).isEmpty()
        && sequences.stream().noneMatch(each -> each.occupiesSlotOf(instance));
  }

  ReferenceAdaptiveDelay adaptiveDelay(int instance) {
    return Objects.requireNonNull(adaptiveDelay.get(instance));
  }

  /** The number of waiting requests. */
  int waiting() {
    int count = 0;
    for (ReferenceSequence each : sequences) {
      count += each.waiting.size();
    }
    for (List<ReferenceRequest> each : candidates.values()) {
      count += each.size();
    }
    return count;
  }

  List<ReferenceRequest> allWaiting() {
    List<ReferenceRequest> all = new ArrayList<>();
    sequences.forEach(each -> all.addAll(each.waiting));
    candidates.values().forEach(all::addAll);
    return all;
  }

  List<ReferenceRequest> candidates(int instance) {
    return Objects.requireNonNull(candidates.get(instance));
  }

  @Nullable ReferenceSequence open(SequenceId id) {
    for (ReferenceSequence each : sequences) {
      if (each.open && each.id.equals(id)) {
        return each;
      }
    }
    return null;
  }

  /** Restarts the idle time of a sequence with a slot. */
  void touch(ReferenceSequence sequence, long now) {
    sequence.touch(now, touches++);
  }

  /** Chooses the next candidate of a slot, or assigns it again if its sequence has ended. */
  void settle(@Nullable Slot slot, long now) {
    ReferenceSequence occupant = occupant(slot);
    if (occupant != null) {
      choose(occupant, now);
    }
    assignAll(now);
  }

  @Nullable ReferenceSequence occupant(@Nullable Slot slot) {
    for (ReferenceSequence each : sequences) {
      if (each.occupies(slot)) {
        return each;
      }
    }
    return null;
  }

  /** The number of sequences that wait for a slot. */
  int backlog() {
    return (int) sequences.stream().filter(ReferenceSlots::waits).count();
  }

  private static boolean waits(ReferenceSequence sequence) {
    return sequence.slot == null && !sequence.waiting.isEmpty();
  }

  private int slots(String client) {
    return (int)
        sequences.stream()
            .filter(each -> each.client.equals(client) && each.occupies(each.slot))
            .count();
  }

  private int backlog(String client) {
    return (int)
        sequences.stream().filter(each -> each.client.equals(client) && waits(each)).count();
  }

  /** The number of sequences that a client has. */
  int ofClient(String client) {
    return slots(client) + backlog(client);
  }

  /** The number of sequences that are served before a new one of a client. */
  int ahead(String client) {
    Set<String> clients = new HashSet<>(Set.of(client));
    sequences.stream().filter(ReferenceSlots::waits).forEach(each -> clients.add(each.client));
    return Math.min(backlog(), (backlog(client) + 1) * clients.size() - 1);
  }

  /** A new sequence begins; it is not among the others yet. */
  void begins(long now) {
    if (lowestFree() == null && backlog() == 0) {
      lastPromotion = now;
    }
  }

  /** How long a new sequence of a client would wait for a slot. */
  long slotWaitNanos(String client, long now) {
    if (lowestFree() != null || intervals.isEmpty()) {
      return 0;
    }
    long mean = intervals.getFirst();
    for (long interval : intervals.subList(1, intervals.size())) {
      mean += (interval - mean) / 8;
    }
    int ahead = ahead(client);
    return ahead == 0 ? mean : Math.abs(lastPromotion + mean - now) + ahead * mean;
  }

  /**
   * Assigns free slots, lowest first, to the clients with the fewest, and of their sequences to
   * those that have waited longest.
   */
  void assignAll(long now) {
    while (true) {
      Slot free = lowestFree();
      ReferenceSequence next =
          sequences.stream()
              .filter(ReferenceSlots::waits)
              .min(Comparator.comparingInt(each -> slots(each.client))) // the first of them
              .orElse(null);
      if (free == null || next == null) {
        return;
      }
      next.slot = free;
      if (!next.equals(beginning)) {
        intervals.add(Math.max(1, now - lastPromotion));
        lastPromotion = now;
      }
      touch(next, now);
      choose(next, now);
    }
  }

  private @Nullable Slot lowestFree() {
    for (int number = 0; number < count; number++) {
      for (Map.Entry<Integer, Boolean> instance : instances.entrySet()) {
        var slot = new Slot(instance.getKey(), number);
        if (!instance.getValue() && occupant(slot) == null) {
          return slot;
        }
      }
    }
    return null;
  }

  /** With the oldest strategy: makes the next request of a sequence a candidate, if none is. */
  void choose(ReferenceSequence sequence, long now) {
    Slot slot = sequence.slot;
    if (chooses && slot != null && !sequence.waiting.isEmpty() && !isInFlight(slot)) {
      ReferenceRequest next = sequence.waiting.removeFirst();
      next.slot = slot;
      candidates(slot.instance()).add(next);
      adaptiveDelay(slot.instance()).arrived(now);
    }
  }

  private boolean isInFlight(Slot slot) {
    return candidates(slot.instance()).stream().anyMatch(each -> slot.equals(each.slot))
        || running.getOrDefault(slot.instance(), List.of()).stream()
            .anyMatch(each -> slot.equals(each.slot));
  }
}
