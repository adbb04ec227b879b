package io.nereid.text;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToIntFunction;

/**
 * Which rows the graph runs together: those of about the same length, so that little is padding.
 */
final class Runs {
  /** Tokens in a run above which more padding costs more than another run. */
  private static final long WORTH_A_RUN = 256;

  /** The part of a run that may be padding. */
  private static final double MAX_PADDING = 0.1;

  private Runs() {}

  /**
   * Divides rows into runs, the longest first.
   *
   * @param length of a row, in tokens
   * @param maxRows in a run
   * @param maxTokens in a run of more than one row, padding included
   */
  static <T> List<List<T>> of(List<T> rows, ToIntFunction<T> length, int maxRows, long maxTokens) {
    List<T> sorted = new ArrayList<>(rows);
    sorted.sort(Comparator.comparingInt(length).reversed());
    List<List<T>> runs = new ArrayList<>();
    List<T> run = new ArrayList<>();
    long tokens = 0;
    for (T row : sorted) {
      int added = length.applyAsInt(row);
      if (!run.isEmpty()) {
        long padded = (run.size() + 1L) * length.applyAsInt(run.getFirst());
        boolean isWasteful =
            tokens >= WORTH_A_RUN && padded - tokens - added > MAX_PADDING * padded;
        if (run.size() == maxRows || padded > maxTokens || isWasteful) {
          runs.add(run);
          run = new ArrayList<>();
          tokens = 0;
        }
      }
      run.add(row);
      tokens += added;
    }
    if (!run.isEmpty()) {
      runs.add(run);
    }
    return runs;
  }
}
