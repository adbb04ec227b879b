package io.nereid.text;

import io.nereid.spi.metrics.BackendMetrics;
import io.nereid.spi.metrics.Counter;
import io.nereid.spi.metrics.Histogram;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * What a text model counts of the runs of its graph.
 *
 * @param tokens of each text or pair
 * @param runTokens of each run, padding included: what it costs
 * @param padding tokens of all runs
 */
record TextMetrics(Histogram tokens, Histogram runTokens, Counter padding) {
  private static final int TEXT_BOUNDS = 13;
  private static final int RUN_BOUNDS = 17;

  /** The metrics of one version of a model. */
  static TextMetrics of(BackendMetrics model) {
    return new TextMetrics(
        model.histogram(
            "text_tokens", "Tokens of each text that was run", Map.of(), powersOfTwo(TEXT_BOUNDS)),
        model.histogram(
            "text_run_tokens",
            "Tokens of each run of the graph, padding included",
            Map.of(),
            powersOfTwo(RUN_BOUNDS)),
        model.counter("text_padding_tokens_total", "Tokens of runs that were padding"));
  }

  private static double[] powersOfTwo(int count) {
    return IntStream.range(0, count).mapToDouble(power -> 1 << power).toArray();
  }

  /**
   * Counts a run.
   *
   * @param rows the longest first
   */
  void ran(List<TextRows.Row> rows) {
    int sum = 0;
    for (TextRows.Row row : rows) {
      tokens.observe(row.length());
      sum += row.length();
    }
    int padded = rows.size() * rows.getFirst().length();
    runTokens.observe(padded);
    padding.add(padded - sum);
  }
}
