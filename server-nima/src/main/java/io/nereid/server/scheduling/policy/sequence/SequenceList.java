package io.nereid.server.scheduling.policy.sequence;

import org.jspecify.annotations.Nullable;

/** Sequences in order, linked through themselves: any of them is taken out in constant time. */
final class SequenceList {
  private @Nullable LiveSequence first;
  private @Nullable LiveSequence last;

  @Nullable LiveSequence first() {
    return first;
  }

  void addLast(LiveSequence sequence) {
    sequence.list = this;
    sequence.previous = last;
    if (last == null) {
      first = sequence;
    } else {
      last.next = sequence;
    }
    last = sequence;
  }

  /** Takes a sequence out, if it is in. */
  void remove(LiveSequence sequence) {
    if (sequence.list != this) {
      return;
    }
    LiveSequence before = sequence.previous;
    LiveSequence after = sequence.next;
    if (before == null) {
      first = after;
    } else {
      before.next = after;
    }
    if (after == null) {
      last = before;
    } else {
      after.previous = before;
    }
    sequence.list = null;
    sequence.previous = null;
    sequence.next = null;
  }
}
