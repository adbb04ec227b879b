package io.nereid.engine.scheduling.policy.sequence;

import io.nereid.engine.scheduling.policy.ClientPlaces;
import io.nereid.engine.scheduling.policy.QueueLimits;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The assignment of slots to sequences. The free slot with the lowest number of all instances is
 * assigned first. If no slot is free, sequences wait in the backlog with all of their requests. A
 * slot that becomes free goes to the waiting client that has the fewest, and of its sequences to
 * the one that waits longest.
 *
 * <p>A client may begin a sequence if it leaves as many slots free for others as it has then, or if
 * none is free: then {@link ClientPlaces} limit its backlog. Its first sequences are not concerned,
 * so that one client can use a model with few slots alone.
 */
final class SlotAllocation {
  private final int maxClientSequences;

  private final PriorityQueue<Slot> free =
      new PriorityQueue<>(
          Comparator.<Slot>comparingInt(slot -> slot.number)
              .thenComparingInt(slot -> slot.instance.instance()));

  /** The instances whose free slots are assigned. */
  private final Set<InstanceSlots> instances = new HashSet<>();

  /** The clients that have sequences, by name. */
  private final Map<String, ClientSequences> clients = new HashMap<>();

  /** Those of them that have a backlog. */
  private final TreeSet<ClientSequences> waiting = new TreeSet<>(ClientSequences.NEXT);

  private int backlog;
  private long numbers;

  /**
   * @param maxClientSequences how many sequences a client may have; {@link QueueLimits#SHARE} for
   *     its share
   */
  SlotAllocation(int maxClientSequences) {
    this.maxClientSequences = maxClientSequences;
  }

  /** Whether a client may begin a sequence besides those that it has. */
  boolean admits(String name) {
    ClientSequences client = clients.get(name);
    if (client == null || name.isEmpty()) {
      return true;
    }
    if (maxClientSequences != QueueLimits.SHARE) {
      return client.slots + client.backlog.size() < maxClientSequences;
    }
    return client.slots < ClientPlaces.ALWAYS || !hasFree() || client.slots + 1 < freeSlots();
  }

  private long freeSlots() {
    return instances.stream().mapToLong(InstanceSlots::free).sum();
  }

  /** Adds a new sequence to a free slot, or to the backlog. */
  void add(LiveSequence sequence) {
    sequence.number = numbers++;
    ClientSequences client = clients.computeIfAbsent(sequence.client, ClientSequences::new);
    Slot slot = free.poll();
    leave(client);
    if (slot == null) {
      client.backlog.addLast(sequence);
      backlog++;
      enter(client);
      return;
    }
    client.slots++;
    enter(client);
    occupy(slot, sequence);
    Slot above = slot.instance.slotAbove(slot);
    if (above != null) {
      free.add(above);
    }
  }

  /** Whether a new sequence would get a slot at once. */
  boolean hasFree() {
    return !free.isEmpty();
  }

  /** The number of sequences in the backlog. */
  int backlog() {
    return backlog;
  }

  /**
   * The number of sequences that are served before a new one of a client, if all clients that wait
   * have as many slots.
   */
  int ahead(String name) {
    ClientSequences client = clients.get(name);
    int own = client == null ? 0 : client.backlog.size();
    int waitingClients = waiting.size() + (own == 0 ? 1 : 0);
    return (int) Math.min(backlog, (own + 1L) * waitingClients - 1);
  }

  /** Removes a sequence without a slot. */
  void leaveBacklog(LiveSequence sequence) {
    ClientSequences client = client(sequence);
    leave(client);
    if (client.backlog.remove(sequence)) {
      backlog--;
    }
    enter(client);
  }

  /** Releases the slot of a sequence that has ended. It is to be {@link #offer}ed next. */
  void release(Slot slot) {
    ClientSequences client = client(Objects.requireNonNull(slot.occupant));
    leave(client);
    client.slots--;
    enter(client);
    slot.occupant = null;
    slot.released = true;
    slot.instance.occupied--;
  }

  /** Assigns a free slot to the next sequence of the backlog, if any, and returns that. */
  @Nullable LiveSequence offer(Slot slot) {
    slot.released = false;
    if (slot.instance.removed) {
      return null;
    }
    ClientSequences client = waiting.pollFirst();
    if (client == null) {
      free.add(slot);
      return null;
    }
    LiveSequence next = client.backlog.removeFirst();
    backlog--;
    client.slots++;
    enter(client);
    occupy(slot, next);
    return next;
  }

  /** Assigns the free slots of an instance, which are {@link #offer}ed next. */
  void add(InstanceSlots instance) {
    remove(instance);
    instances.add(instance);
  }

  /** Assigns the free slots of an instance no longer. */
  void remove(InstanceSlots instance) {
    instances.remove(instance);
    free.removeIf(slot -> slot.instance == instance);
  }

  private ClientSequences client(LiveSequence sequence) {
    return Objects.requireNonNull(clients.get(sequence.client));
  }

  /** Takes a client out of the order before its place changes. */
  private void leave(ClientSequences client) {
    if (!client.backlog.isEmpty()) {
      waiting.remove(client);
    }
  }

  /** Puts a client into the order; forgets it if it has no sequence. */
  private void enter(ClientSequences client) {
    if (!client.backlog.isEmpty()) {
      waiting.add(client);
    } else if (client.slots == 0) {
      clients.remove(client.name);
    }
  }

  private static void occupy(Slot slot, LiveSequence sequence) {
    slot.occupant = sequence;
    slot.instance.occupied++;
    sequence.slot = slot;
  }
}
