package io.nereid.server.scheduling.policy.simulation;

import io.nereid.config.SequenceSettings;
import io.nereid.config.SequenceSettings.Strategy;
import io.nereid.request.SequenceId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Sequences in order of their beginning, and what their slots have been given: which slot is free
 * and who is in the backlog is looked for among them each time.
 */
final class NaiveSlots {
  private final boolean chooses;
  private final int count;
  private long heard;

  final List<NaiveSequence> sequences = new ArrayList<>();

  /** Whether each instance is to be removed. */
  private final TreeMap<Integer, Boolean> instances = new TreeMap<>();

  /** What each instance has been given and not executed yet. */
  final Map<Integer, List<NaiveRequest>> running = new HashMap<>();

  /** With the oldest strategy: what may be batched, one request of a sequence. */
  final Map<Integer, List<NaiveRequest>> candidates = new HashMap<>();

  private final Map<Integer, NaiveAdaptiveDelay> patience = new HashMap<>();

  NaiveSlots(SequenceSettings settings, int maxBatchSize) {
    this.chooses = settings.strategy() instanceof Strategy.Oldest;
    this.count =
        settings.strategy() instanceof Strategy.Oldest oldest && oldest.maxCandidateSequences() > 0
            ? oldest.maxCandidateSequences()
            : Math.max(1, maxBatchSize);
  }

  /** Slots of an instance. */
  int count() {
    return count;
  }

  Set<Integer> instances() {
    return instances.keySet();
  }

  void add(int instance, long now) {
    instances.put(instance, false);
    candidates.putIfAbsent(instance, new ArrayList<>());
    patience.putIfAbsent(instance, new NaiveAdaptiveDelay());
    giveAll(now);
  }

  void remove(int instance) {
    instances.put(instance, true);
  }

  boolean isGone(int instance) {
    return Boolean.TRUE.equals(instances.get(instance))
        && !running.containsKey(instance)
        && candidates(instance).isEmpty()
        && sequences.stream().noneMatch(each -> each.holdsSlotOf(instance));
  }

  NaiveAdaptiveDelay patience(int instance) {
    return Objects.requireNonNull(patience.get(instance));
  }

  /** Requests that wait. */
  int waiting() {
    int count = 0;
    for (NaiveSequence each : sequences) {
      count += each.waiting.size();
    }
    for (List<NaiveRequest> each : candidates.values()) {
      count += each.size();
    }
    return count;
  }

  List<NaiveRequest> allWaiting() {
    List<NaiveRequest> all = new ArrayList<>();
    sequences.forEach(each -> all.addAll(each.waiting));
    candidates.values().forEach(all::addAll);
    return all;
  }

  List<NaiveRequest> candidates(int instance) {
    return Objects.requireNonNull(candidates.get(instance));
  }

  @Nullable NaiveSequence open(SequenceId id) {
    for (NaiveSequence each : sequences) {
      if (each.open && each.id.equals(id)) {
        return each;
      }
    }
    return null;
  }

  /** Something has been heard of a sequence, which counts if it has a slot. */
  void hear(NaiveSequence sequence, long now) {
    sequence.hear(now, heard++);
  }

  /** The slot's next request is chosen; if its sequence is over, another one's. */
  void settle(@Nullable NaiveSlot slot, long now) {
    NaiveSequence holder = holder(slot);
    if (holder != null) {
      choose(holder, now);
    }
    giveAll(now);
  }

  @Nullable NaiveSequence holder(@Nullable NaiveSlot slot) {
    for (NaiveSequence each : sequences) {
      if (each.holds(slot)) {
        return each;
      }
    }
    return null;
  }

  /** The lowest free slot is for the sequence that has waited longest. */
  void giveAll(long now) {
    for (NaiveSequence each : sequences) {
      if (each.slot != null || each.waiting.isEmpty()) {
        continue;
      }
      NaiveSlot free = lowestFree();
      if (free != null) {
        each.slot = free;
        hear(each, now);
        choose(each, now);
      }
    }
  }

  private @Nullable NaiveSlot lowestFree() {
    for (int number = 0; number < count; number++) {
      for (Map.Entry<Integer, Boolean> instance : instances.entrySet()) {
        var slot = new NaiveSlot(instance.getKey(), number);
        if (!instance.getValue() && holder(slot) == null) {
          return slot;
        }
      }
    }
    return null;
  }

  /** With the oldest strategy: what is next of a sequence becomes a candidate, if none is. */
  void choose(NaiveSequence sequence, long now) {
    NaiveSlot slot = sequence.slot;
    if (chooses && slot != null && !sequence.waiting.isEmpty() && !isInFlight(slot)) {
      NaiveRequest next = sequence.waiting.removeFirst();
      next.slot = slot;
      candidates(slot.instance()).add(next);
      patience(slot.instance()).arrived(now);
    }
  }

  private boolean isInFlight(NaiveSlot slot) {
    return candidates(slot.instance()).stream().anyMatch(each -> slot.equals(each.slot))
        || running.getOrDefault(slot.instance(), List.of()).stream()
            .anyMatch(each -> slot.equals(each.slot));
  }
}
