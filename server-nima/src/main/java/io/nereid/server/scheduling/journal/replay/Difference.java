package io.nereid.server.scheduling.journal.replay;

import io.nereid.server.request.Ticket;
import io.nereid.server.scheduling.journal.Entry;
import io.nereid.server.scheduling.journal.JournalRecord.Decision;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The first thing in which two notes of one decision differ.
 *
 * @param recorded what the journal says
 * @param replayed what was decided now
 */
record Difference(String recorded, String replayed) {
  /** Null if there is none. */
  static @Nullable Difference between(Decision recorded, Decision replayed) {
    List<Entry> before = recorded.entries();
    List<Entry> after = replayed.entries();
    for (int i = 0; i < Math.max(before.size(), after.size()); i++) {
      String then = entry(before, i);
      String now = entry(after, i);
      if (!then.equals(now)) {
        return new Difference(then, now);
      }
    }
    return recorded.wakeNanos() == replayed.wakeNanos()
        ? null
        : new Difference(wake(recorded), wake(replayed));
  }

  private static String entry(List<Entry> entries, int index) {
    return index < entries.size() ? entries.get(index).toString() : "nothing more";
  }

  private static String wake(Decision decision) {
    return decision.wakeNanos() == Ticket.NEVER
        ? "not to be asked again"
        : "to be asked again at " + decision.wakeNanos() + " ns";
  }
}
