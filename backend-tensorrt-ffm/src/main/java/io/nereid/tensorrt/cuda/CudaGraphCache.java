package io.nereid.tensorrt.cuda;

import java.util.LinkedHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A small cache of graphs by what they were captured for, such as the profile, shapes and buffers
 * of a batch. Owns its graphs. If it is full, the graph that was not used for longest is closed.
 *
 * @param <K> a value with {@code equals} and {@code hashCode}
 */
public final class CudaGraphCache<K> implements AutoCloseable {
  private static final float LOAD_FACTOR = 0.75f;

  private final int capacity;
  private final CudaStream stream;
  private final LinkedHashMap<K, CudaGraph> graphs = new LinkedHashMap<>(16, LOAD_FACTOR, true);

  /**
   * @param capacity the most graphs, at least 1
   * @param stream on which the graphs are launched
   */
  public CudaGraphCache(int capacity, CudaStream stream) {
    if (capacity < 1) {
      throw new IllegalArgumentException("a graph cache of " + capacity);
    }
    this.capacity = capacity;
    this.stream = stream;
  }

  /** The graph for {@code key}, null if there is none. Allocates nothing. */
  public @Nullable CudaGraph get(K key) {
    return graphs.get(key);
  }

  /**
   * Takes a graph that was captured for {@code key}. If another one has to be closed for it, waits
   * for the stream first, which may be executing that one.
   */
  public void put(K key, CudaGraph graph) {
    CudaGraph former = graphs.put(key, graph);
    if (former != null) {
      closeOnceIdle(former);
    } else if (graphs.size() > capacity) {
      closeOnceIdle(graphs.pollFirstEntry().getValue());
    }
  }

  private void closeOnceIdle(CudaGraph graph) {
    try (graph) {
      stream.synchronize();
    }
  }

  public int size() {
    return graphs.size();
  }

  /** Closes all graphs. No launch may be pending. */
  @Override
  public void close() {
    Closing.all(graphs.values(), CudaGraph::close);
  }
}
