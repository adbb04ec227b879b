package io.nereid.engine.scheduling.journal.replay;

import io.nereid.engine.scheduling.journal.Entry;
import io.nereid.engine.scheduling.journal.JournalRecord.Decision;
import io.nereid.engine.scheduling.policy.DispatchReason;
import io.nereid.engine.scheduling.policy.PredictedWait;
import io.nereid.engine.scheduling.policy.Rejection;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The statistics of one scheduler. */
final class ReplaySummary {
  private final Map<DispatchReason, Integer> batches = new EnumMap<>(DispatchReason.class);
  private final Map<Rejection, Integer> rejections = new EnumMap<>(Rejection.class);

  /** The rows of the requests that are not dispatched yet. */
  private final Map<Long, Long> rows = new HashMap<>();

  private long decisions;
  private long arrived;
  private long dispatched;
  private long dispatchedRows;
  private long refused;
  private long longestRefused;

  void add(Decision decision) {
    decisions++;
    for (Entry entry : decision.entries()) {
      switch (entry) {
        case Entry.Arrived request -> {
          arrived++;
          rows.put(request.ticket(), request.rows());
        }
        case Entry.Rescheduled(long ticket, _) ->
            rows.putIfAbsent(ticket, 1L); // requests of sequences have one row
        case Entry.Dispatched(_, DispatchReason reason, List<Long> tickets) -> {
          batches.merge(reason, 1, Integer::sum);
          tickets.stream().filter(ticket -> ticket != 0).forEach(this::dispatched);
        }
        case Entry.Rejected(long ticket, Rejection rejection) -> {
          rejections.merge(rejection, 1, Integer::sum);
          rows.remove(ticket);
        }
        case Entry.Refused(long ticket, PredictedWait wait) -> {
          refused++;
          longestRefused = Math.max(longestRefused, wait.nanos());
          if (rows.remove(ticket) == null) {
            arrived++; // of which no more than the head came
          }
        }
        case Entry.Event _, Entry.Action _ -> {}
      }
    }
  }

  private void dispatched(long ticket) {
    dispatched++;
    Long each = rows.remove(ticket);
    dispatchedRows += each == null ? 0 : each;
  }

  long decisions() {
    return decisions;
  }

  List<String> lines() {
    long count = batches.values().stream().mapToLong(Integer::longValue).sum();
    List<String> lines = new ArrayList<>();
    lines.add(
        "%s, %s, %s"
            .formatted(
                Descriptions.counted(decisions, "decision"),
                Descriptions.counted(arrived, "request"),
                count == 1 ? "1 batch" : count + " batches"));
    if (count > 0) {
      lines.add(
          String.format(
              Locale.ROOT,
              "mean batch: %.2f requests, %.2f rows",
              (double) dispatched / count,
              (double) dispatchedRows / count));
    }
    batches.forEach(
        (reason, times) -> lines.add("%8d x %s".formatted(times, Descriptions.of(reason))));
    rejections.forEach((rejection, times) ->
        lines.add("%8d x rejected: %s".formatted(times, Descriptions.of(rejection))));
    if (refused > 0) {
      lines.add(
          "%8d x refused: the predicted wait exceeds the limit; the longest was %s"
              .formatted(refused, Descriptions.millis(longestRefused)));
    }
    return lines;
  }
}
