package io.nereid.tools;

import io.nereid.client.NereidException;
import io.nereid.client.model.ModelStatistics;
import io.nereid.client.model.Timing;
import io.nereid.tools.load.LoadWindow;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * What a server says of a window, by the extension for statistics: how large its batches were, and
 * where its time went. Of a server without it all are NaN. Read by the thread that measures.
 */
final class ServerTimes implements LoadWindow.Marks {
  private static final double NANOS_PER_MILLI = 1e6;

  private final AskedModel model;
  private List<ModelStatistics> before = List.of();
  private List<ModelStatistics> after = List.of();

  ServerTimes(AskedModel model) {
    this.model = model;
  }

  @Override
  public void begin() {
    before = read();
  }

  @Override
  public void end() {
    after = read();
  }

  private List<ModelStatistics> read() {
    try {
      return model
          .client()
          .models()
          .statistics(model.metadata().name(), model.version().map(String::valueOf).orElse(""));
    } catch (NereidException _) {
      return List.of();
    }
  }

  /** The mean rows of a batch. */
  double batch() {
    return difference(ModelStatistics::inferenceCount)
        / difference(ModelStatistics::executionCount);
  }

  /** The mean time of a request in the queue. */
  double queueMillis() {
    return meanMillis(each -> nanos(each.requests().queue()));
  }

  /** The mean time of a request in an execution: input, inference and output. */
  double computeMillis() {
    return meanMillis(each ->
        nanos(each.requests().computeInput())
            + nanos(each.requests().computeInfer())
            + nanos(each.requests().computeOutput()));
  }

  private double meanMillis(ToLongFunction<ModelStatistics> nanos) {
    return difference(nanos)
        / difference(each -> each.requests().success().count())
        / NANOS_PER_MILLI;
  }

  private static long nanos(Timing timing) {
    return timing.total().toNanos();
  }

  /** Of all versions. */
  private double difference(ToLongFunction<ModelStatistics> value) {
    return (double) after.stream().mapToLong(value).sum() - before.stream().mapToLong(value).sum();
  }
}
