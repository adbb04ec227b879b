package io.nereid.config;

import io.nereid.tensor.Shape;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * {@code optimization.cuda}: how a model runs on a GPU of NVIDIA.
 *
 * @param graphs whether executions are captured as CUDA graphs and replayed
 * @param busyWaitEvents whether a thread that waits for the GPU spins instead of sleeping
 * @param graphSpecs the sizes of batches to capture; if empty, the backend decides
 * @param outputCopyStream whether outputs are copied on a stream of their own
 */
public record CudaSettings(
    boolean graphs, boolean busyWaitEvents, List<GraphSpec> graphSpecs, boolean outputCopyStream) {
  /** Neither graphs, nor spinning, nor a stream for outputs. */
  public static final CudaSettings DEFAULT = new CudaSettings(false, false, List.of(), false);

  public CudaSettings {
    graphSpecs = List.copyOf(graphSpecs);
  }

  /**
   * The execution that a graph is captured of.
   *
   * @param size the largest execution that the graph serves
   * @param lowerBound the smallest one; empty if the graph serves executions of exactly {@code
   *     size}
   */
  public record GraphSpec(Size size, Optional<Size> lowerBound) {}

  /**
   * The size of an execution.
   *
   * @param batchSize rows; 0 for a model that does not batch
   * @param inputs shapes by input name, without the batch dimension; an input that is missing has
   *     the shape of the model's configuration
   */
  public record Size(int batchSize, Map<String, Shape> inputs) {
    public Size {
      inputs = Map.copyOf(inputs);
    }
  }
}
