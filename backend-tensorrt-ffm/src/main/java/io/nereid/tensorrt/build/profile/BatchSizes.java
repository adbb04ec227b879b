package io.nereid.tensorrt.build.profile;

import io.nereid.config.BatchingSettings;
import io.nereid.config.EnsembleSettings;
import io.nereid.config.SchedulingSettings;
import io.nereid.config.SequenceSettings;
import java.util.List;

/**
 * The sizes of the batch dimension in a profile.
 *
 * @param opt the largest preferred batch size; {@code max} if none is preferred
 */
record BatchSizes(long opt, long max) {
  /** The sizes of a model whose maximum batch size is {@code max}. */
  static BatchSizes of(SchedulingSettings scheduling, int max) {
    List<Integer> preferred =
        switch (scheduling) {
          case BatchingSettings batching -> batching.preferredBatchSizes();
          case SequenceSettings sequence ->
              sequence.strategy() instanceof SequenceSettings.Strategy.Oldest oldest
                  ? oldest.preferredBatchSizes()
                  : List.of();
          case SchedulingSettings.Direct _ -> List.of();
          case EnsembleSettings _ -> List.of();
        };
    long opt =
        preferred.stream().filter(size -> size <= max).mapToLong(size -> size).max().orElse(max);
    return new BatchSizes(opt, max);
  }
}
