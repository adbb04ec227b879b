package io.nereid.tensorrt.execution;

import io.nereid.tensorrt.cuda.CudaException;
import io.nereid.tensorrt.cuda.CudaGraph;
import io.nereid.tensorrt.cuda.CudaGraphCache;
import io.nereid.tensorrt.cuda.CudaStream;
import io.nereid.tensorrt.engine.ExecutionContext;
import io.nereid.tensorrt.engine.TensorRtException;
import org.jspecify.annotations.Nullable;

/**
 * The CUDA graphs of one execution context. An execution is captured when its shapes and buffers
 * occur for the second time, after a plain enqueue, as TensorRT's documentation asks: the enqueue
 * prepares the context for new shapes, which must not happen during a capture. Once there are as
 * many graphs as are kept, one is replaced now and then only: a capture costs more than several
 * launches save, and the graph that goes must not be running.
 */
final class ContextGraphs {
  private static final System.Logger LOG = System.getLogger(ContextGraphs.class.getName());
  private static final int CAPACITY = 64;
  private static final int SEEN = 64;
  private static final int EXECUTIONS_BEFORE_REPLACEMENT = 256;

  private final String model;
  private final ExecutionContext context;
  private final CudaStream stream;
  private final CudaGraphCache<GraphKey> cache;
  private final GraphKey key = new GraphKey();

  /** The mixed keys of recent executions that were not captured; the oldest is replaced next. */
  private final long[] seen = new long[SEEN];

  private int oldest;

  /** Executions since a graph was captured. */
  private int executions;

  private boolean refused;

  ContextGraphs(String model, ExecutionContext context, CudaStream stream) {
    this.model = model;
    this.context = context;
    this.stream = stream;
    this.cache = new CudaGraphCache<>(CAPACITY, stream);
  }

  /** The key to fill with the shapes and buffers of the next execution. */
  GraphKey key() {
    return key;
  }

  /** The graph for the key; null if there is none yet. */
  @Nullable CudaGraph find() {
    executions++;
    return refused ? null : cache.get(key);
  }

  /** Called after each plain enqueue with this key: captures the second one, if there is room. */
  void enqueued() {
    if (refused || isFirst(key.mixed()) || !mayCapture()) {
      return;
    }
    executions = 0;
    try {
      context.setInputConsumedEvent(null); // a captured record would not be seen outside
      cache.put(key.copy(), CudaGraph.capture(stream, () -> context.enqueue(stream)));
    } catch (TensorRtException failed) {
      refuse(failed);
    } catch (CudaException failed) {
      if (failed.isSticky()) {
        throw failed;
      }
      refuse(failed);
    }
  }

  private boolean mayCapture() {
    return cache.size() < CAPACITY || executions > EXECUTIONS_BEFORE_REPLACEMENT;
  }

  private boolean isFirst(long mixed) {
    for (long other : seen) {
      if (other == mixed) {
        return false;
      }
    }
    seen[oldest] = mixed;
    oldest = (oldest + 1) % SEEN;
    return true;
  }

  private void refuse(RuntimeException failed) {
    refused = true;
    LOG.log(
        System.Logger.Level.WARNING,
        "model {0} runs without CUDA graphs: {1}",
        model,
        failed.getMessage());
  }

  /** Closes the graphs, of which none runs. */
  void close() {
    cache.close();
  }
}
