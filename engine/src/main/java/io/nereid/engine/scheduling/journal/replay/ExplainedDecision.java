package io.nereid.engine.scheduling.journal.replay;

import io.nereid.config.BatchCostSettings;
import io.nereid.engine.scheduling.journal.Entry;
import io.nereid.engine.scheduling.journal.JournalRecord.Decision;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A recorded decision in words, as a replay prints it.
 *
 * @param nanos when it was made
 * @param actions what was done, each with its sentence, in order
 */
public record ExplainedDecision(Decision decision, long nanos, List<ExplainedAction> actions) {
  /** An action and its sentence. */
  public record ExplainedAction(Entry.Action action, String text) {}

  private static final String INDENT = "    -> ";

  public ExplainedDecision {
    actions = List.copyOf(actions);
  }

  /**
   * Explains decisions that follow each other, the first of which may not be the scheduler's first.
   *
   * @param isBatching false if each request is a batch of its own
   * @param costs null if the cost of a batch has no limit
   */
  public static List<ExplainedDecision> of(
      List<Decision> decisions, boolean isBatching, @Nullable BatchCostSettings costs) {
    var text = new DecisionText(isBatching, costs);
    Set<Long> arrived = new HashSet<>();
    List<ExplainedDecision> explained = new ArrayList<>();
    for (Decision decision : decisions) {
      List<String> lines = text.lines(decision);
      List<ExplainedAction> actions = new ArrayList<>();
      for (Entry entry : decision.entries()) {
        switch (entry) {
          case Entry.Arrived request -> arrived.add(request.ticket());
          case Entry.Rescheduled(long ticket, _) -> arrived.add(ticket);
          case Entry.Action action -> {
            String line = lines.get(1 + actions.size());
            actions.add(new ExplainedAction(action, sentence(action, line, arrived)));
          }
          case Entry.Event _ -> {}
        }
      }
      if (!lines.isEmpty()) {
        explained.add(new ExplainedDecision(decision, text.now(), actions));
      }
    }
    return explained;
  }

  private static String sentence(Entry.Action action, String line, Set<Long> arrived) {
    boolean isPart =
        action instanceof Entry.Dispatched(_, _, List<Long> tickets)
            && !tickets.stream().allMatch(ticket -> ticket == 0 || arrived.contains(ticket));
    return isPart
        ? "a batch of requests of which some had arrived before the decisions were recorded"
        : line.substring(INDENT.length());
  }
}
