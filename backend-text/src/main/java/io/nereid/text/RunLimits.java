package io.nereid.text;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.text.folder.TextParameters;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToIntFunction;

/**
 * Which rows the graph runs together: those of about the same length, so that little is padding.
 *
 * @param texts or pairs of a run at most
 * @param tokens of a run of several rows at most, padding included
 * @param overhead of a run: as many tokens more would cost as much
 */
record RunLimits(int texts, long tokens, int overhead) {
  private static final int MAX_TEXTS = 32;

  /** A processor is no faster per token with more, and other requests wait for the run's end. */
  private static final int MAX_CPU_TOKENS = 512;

  /** Of a long request, which has runs on all instances: others wait for the end of a short one. */
  private static final int MAX_CPU_TOKENS_OF_LONG = 128;

  private static final int MAX_TOKENS = 16_384;

  /** Measured with MiniLM and one thread: 2.5 ms a run, 0.65 ms a token. */
  private static final int CPU_OVERHEAD = 4;

  private static final int OVERHEAD = 256;

  /** Those of an instance of a model. */
  static RunLimits of(ModelConfig config, InstanceSettings.Kind kind) {
    return of(config, kind, MAX_CPU_TOKENS);
  }

  /** Those of a request with more rows than a run. */
  static RunLimits ofLong(ModelConfig config, InstanceSettings.Kind kind) {
    return of(config, kind, MAX_CPU_TOKENS_OF_LONG);
  }

  private static RunLimits of(ModelConfig config, InstanceSettings.Kind kind, int cpuTokens) {
    boolean isCpu = kind == InstanceSettings.Kind.KIND_CPU;
    int tokens =
        new TextParameters(config)
            .count(TextParameters.MAX_BATCH_TOKENS)
            .orElse(isCpu ? cpuTokens : MAX_TOKENS);
    return new RunLimits(mostTexts(config), tokens, isCpu ? CPU_OVERHEAD : OVERHEAD);
  }

  /** The most texts of a run, of each instance of a model. */
  static int mostTexts(ModelConfig config) {
    var parameters = new TextParameters(config);
    return parameters.flag(TextParameters.ONE_TEXT_PER_RUN).orElse(false)
        ? 1
        : parameters.count(TextParameters.MAX_BATCH_TEXTS).orElse(MAX_TEXTS);
  }

  /**
   * Divides rows into the runs that cost least together, the longest first.
   *
   * @param length of a row, in tokens
   */
  <T> List<List<T>> runs(List<T> rows, ToIntFunction<T> length) {
    List<T> sorted = new ArrayList<>(rows);
    sorted.sort(Comparator.comparingInt(length).reversed());
    int[] sizes = sizes(sorted.stream().mapToInt(length).toArray());
    List<List<T>> runs = new ArrayList<>();
    for (int from = 0; from < sizes.length; from += sizes[from]) {
      runs.add(sorted.subList(from, from + sizes[from]));
    }
    return runs;
  }

  /**
   * How many rows the run has that begins with each row, if one does.
   *
   * @param lengths the longest first
   */
  private int[] sizes(int[] lengths) {
    int[] sizes = new int[lengths.length];
    long[] costs = new long[lengths.length + 1]; // of a row and all behind it
    for (int from = lengths.length - 1; from >= 0; from--) {
      costs[from] = Long.MAX_VALUE;
      int most = Math.min(texts, lengths.length - from);
      for (int size = 1; size <= most; size++) {
        long padded = (long) size * lengths[from];
        if (size > 1 && padded > tokens) {
          break;
        }
        long cost = overhead + padded + costs[from + size];
        if (cost <= costs[from]) {
          costs[from] = cost;
          sizes[from] = size;
        }
      }
    }
    return sizes;
  }
}
