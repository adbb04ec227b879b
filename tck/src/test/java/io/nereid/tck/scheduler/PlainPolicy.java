package io.nereid.tck.scheduler;

import io.nereid.config.BatchingSettings;
import io.nereid.config.TensorConfig;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Tensor;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;

/**
 * The requests of the next batch, by the algorithm of Triton's dynamic batcher, without batches
 * formed ahead of time.
 */
record PlainPolicy(PlainConfig config, Defect defect) {
  /** The requests to execute, from the front of {@code queue}; none if they should wait. */
  List<Waiting> choose(List<Waiting> queue, long now) {
    if (queue.isEmpty() || config.batching().isEmpty() || defect == Defect.NEVER_JOINS_REQUESTS) {
      return defect == Defect.RUNS_THE_NEWEST_FIRST && !queue.isEmpty()
          ? List.of(queue.getLast())
          : queue.stream().limit(1).toList();
    }
    BatchingSettings batching = config.batching().get();
    List<Integer> preferred = batching.preferredBatchSizes();
    int largest = preferred.stream().mapToInt(Integer::intValue).max().orElseThrow();
    long rows = 0;
    int count = 0;
    int best = 0;
    boolean complete = false;
    for (Waiting next : queue) {
      if (count > 0 && best == 0 && rows + next.rows > largest && !exceeds()) {
        best = count;
      }
      if (rows + next.rows > config.model().maxBatchSize()
          || (count > 0 && !mergeable(queue.getFirst(), next))) {
        complete = true;
        break;
      }
      rows += next.rows;
      count++;
      if (preferred.contains((int) rows)
          && (best == 0 || defect != Defect.TAKES_THE_SMALLEST_PREFERRED_SIZE)) {
        best = count;
      }
    }
    long delay = batching.maxQueueDelayMicros() * 1000;
    long oldest = queue.stream().limit(count).mapToLong(each -> each.arrived).min().orElse(now);
    boolean late = delay > 0 && now - oldest >= delay;
    if (best > 0 && (!late || defect == Defect.NEVER_LATE)) {
      return queue.subList(0, best);
    }
    boolean large = rows >= largest && !waits(rows);
    boolean goes = complete || large || late || delay == 0 || defect == Defect.NEVER_WAITS;
    return goes ? queue.subList(0, count) : List.of();
  }

  private boolean exceeds() {
    return defect == Defect.EXCEEDS_PREFERRED_SIZES;
  }

  private boolean waits(long rows) {
    return defect == Defect.WAITS_WITH_LARGE_REQUESTS && rows < config.model().maxBatchSize();
  }

  private boolean mergeable(Waiting first, Waiting next) {
    if (defect == Defect.SEPARATES_BY_OUTPUTS && !first.outputs.equals(next.outputs)) {
      return false;
    }
    for (TensorConfig input : config.model().inputs()) {
      Optional<Tensor> one = find(first, input.name());
      Optional<Tensor> other = find(next, input.name());
      if (input.optional() && one.isPresent() != other.isPresent()) {
        return defect == Defect.IGNORES_INPUT_SETS;
      }
      if (one.isPresent() && other.isPresent() && !same(input, one.get(), other.get())) {
        return false;
      }
    }
    return true;
  }

  private boolean same(TensorConfig input, Tensor one, Tensor other) {
    boolean checked = !input.allowRaggedBatch() || defect == Defect.REJECTS_RAGGED_BATCHES;
    if (checked
        && defect != Defect.IGNORES_SHAPES
        && !one.shape().equals(other.shape().withFirst(one.shape().dim(0)))) {
      return false;
    }
    return !input.shapeTensor() || seen(one).equals(seen(other));
  }

  private List<Integer> seen(Tensor shape) {
    var values =
        LongStream.range(0, shape.byteSize() / Integer.BYTES)
            .mapToObj(i -> shape.data().get(Elements.INT, i * Integer.BYTES));
    return defect == Defect.STOPS_AT_A_ZERO
        ? values.takeWhile(value -> value != 0).toList()
        : values.toList();
  }

  private static Optional<Tensor> find(Waiting waiting, String name) {
    return waiting.request.inputs().stream().filter(input -> input.name().equals(name)).findFirst();
  }
}
