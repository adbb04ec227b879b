package io.nereid.engine.scheduling.policy.sequence;

import java.util.Comparator;
import java.util.LinkedHashSet;

/** The sequences of one client that have a slot or wait for one. */
final class ClientSequences {
  /** Those with the fewest slots first, then the one whose first sequence has waited longest. */
  static final Comparator<ClientSequences> NEXT =
      Comparator.<ClientSequences>comparingInt(client -> client.slots)
          .thenComparingLong(client -> client.backlog.getFirst().number);

  final String name;

  /** The sequences that wait for a slot, in order of their start. */
  final LinkedHashSet<LiveSequence> backlog = new LinkedHashSet<>();

  /** The number of its sequences that have a slot. */
  int slots;

  ClientSequences(String name) {
    this.name = name;
  }
}
