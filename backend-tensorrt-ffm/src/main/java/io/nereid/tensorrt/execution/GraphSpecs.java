package io.nereid.tensorrt.execution;

import io.nereid.config.CudaSettings;
import io.nereid.config.CudaSettings.GraphSpec;
import io.nereid.config.CudaSettings.Size;
import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.tensor.Shape;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * {@code optimization.cuda.graph_spec}: which executions become CUDA graphs, and which batches are
 * filled up to the size of one.
 *
 * <p>A batch is filled up in the first dimension only, since its rows lie one behind the other. The
 * other dimensions must equal those of the specification.
 */
final class GraphSpecs {
  /** Dimensions that are bounded for one input; null where any is good. */
  private record Bounds(@Nullable Shape greatest, @Nullable Shape least) {
    boolean admits(long[] dims, int rank) {
      if (greatest == null || least == null) {
        return true;
      }
      boolean admitted = rank == greatest.rank();
      for (int axis = 0; axis < rank && admitted; axis++) {
        long lowest = axis == 0 ? least.dim(0) : greatest.dim(axis);
        admitted = dims[axis] >= lowest && dims[axis] <= greatest.dim(axis);
      }
      return admitted;
    }
  }

  private record Spec(int batchSize, int leastBatchSize, List<Bounds> inputs) {}

  private final boolean batches;
  private final List<EngineInput> inputs;
  private final List<Spec> specs;

  /** The first dimensions that {@link #fill} has replaced. */
  private final long[] replaced;

  private GraphSpecs(boolean batches, List<EngineInput> inputs, List<Spec> specs) {
    this.batches = batches;
    this.inputs = inputs;
    this.specs = specs;
    this.replaced = new long[inputs.size()];
  }

  /**
   * @throws InferenceException INVALID_ARGUMENT if a specification contradicts itself or the
   *     configuration
   */
  static GraphSpecs of(ModelConfig config, List<EngineInput> inputs) {
    List<Spec> specs = new ArrayList<>();
    CudaSettings cuda = config.optimization().cuda();
    for (GraphSpec spec : cuda.graphSpecs()) {
      Size least = spec.lowerBound().orElse(spec.size());
      check(config, spec.size(), least);
      List<Bounds> bounds = new ArrayList<>();
      for (EngineInput input : inputs) {
        bounds.add(bounds(config, input, spec.size(), least));
      }
      specs.add(new Spec(spec.size().batchSize(), least.batchSize(), bounds));
    }
    specs.sort(Comparator.comparingInt(Spec::batchSize));
    return new GraphSpecs(config.batches(), inputs, List.copyOf(specs));
  }

  private static void check(ModelConfig config, Size size, Size least) {
    if (!config.batches()) {
      if (size.batchSize() != 0 || least.batchSize() != 0) {
        throw invalid(config, "graph spec expects 'batch_size' to be 0 if 'max_batch_size' is 0");
      }
    } else if (size.batchSize() < 1
        || least.batchSize() < 1
        || size.batchSize() > config.maxBatchSize()
        || least.batchSize() > config.maxBatchSize()) {
      throw invalid(
          config,
          "graph spec expects 'batch_size' to be >= 1 and <= %d, got %d and lower bound %d"
              .formatted(config.maxBatchSize(), size.batchSize(), least.batchSize()));
    }
    if (least.batchSize() > size.batchSize()) {
      throw invalid(
          config,
          "graph lower bound spec expects 'batch_size' to be <= graph spec 'batch_size' %d, got %d"
              .formatted(size.batchSize(), least.batchSize()));
    }
  }

  private static Bounds bounds(ModelConfig config, EngineInput input, Size size, Size least) {
    Shape greatest = size.inputs().get(input.name());
    if (greatest == null) {
      return new Bounds(null, null);
    }
    Shape smallest = least.inputs().get(input.name());
    if (smallest == null) {
      throw invalid(
          config, "graph lower bound spec expects shape for input '%s'".formatted(input.name()));
    }
    if (smallest.rank() != greatest.rank()) {
      throw invalid(
          config,
          "graph lower bound spec expects to have %d dimensions, got %d for input '%s'"
              .formatted(greatest.rank(), smallest.rank(), input.name()));
    }
    for (int axis = 0; axis < greatest.rank(); axis++) {
      if (greatest.dim(axis) < 0 || smallest.dim(axis) < 0) {
        throw invalid(
            config, "graph spec expects input '%s' to have dimension >= 0".formatted(input.name()));
      }
      if (smallest.dim(axis) > greatest.dim(axis)) {
        throw invalid(
            config,
            "graph lower bound spec expects input '%s' to have dimension <= %d, got %d"
                .formatted(input.name(), greatest.dim(axis), smallest.dim(axis)));
      }
    }
    boolean rows = config.batches() && input.source() == EngineInput.Source.ROWS;
    return rows
        ? new Bounds(
            greatest.withLeading(size.batchSize()), smallest.withLeading(least.batchSize()))
        : new Bounds(greatest, smallest);
  }

  private static InferenceException invalid(ModelConfig config, String message) {
    return InferenceException.invalid("model '%s': %s".formatted(config.name(), message));
  }

  /** Whether any execution may become a graph. */
  boolean areEmpty() {
    return specs.isEmpty();
  }

  /**
   * Fills a batch up to the size of the smallest specification that serves it.
   *
   * @return whether there is one; otherwise the batch is as it was
   */
  boolean fill(DeviceInputs batch) {
    for (int i = 0; i < specs.size(); i++) {
      Spec spec = specs.get(i);
      if (serves(spec, batch)) {
        fill(spec, batch);
        return true;
      }
    }
    return false;
  }

  private boolean serves(Spec spec, DeviceInputs batch) {
    boolean serves =
        !batches || (batch.rows() >= spec.leastBatchSize() && batch.rows() <= spec.batchSize());
    for (int i = 0; i < inputs.size() && serves; i++) {
      serves = spec.inputs().get(i).admits(batch.dims(i), batch.rank(i));
    }
    return serves;
  }

  private void fill(Spec spec, DeviceInputs batch) {
    for (int i = 0; i < inputs.size(); i++) {
      long[] dims = batch.dims(i);
      replaced[i] = dims[0];
      Shape greatest = spec.inputs().get(i).greatest();
      if (greatest != null && greatest.rank() > 0) {
        dims[0] = greatest.dim(0);
      } else if (batches && inputs.get(i).source() == EngineInput.Source.ROWS) {
        dims[0] = spec.batchSize();
      }
    }
  }

  /** Takes back what {@link #fill} has done to this batch. */
  void restore(DeviceInputs batch) {
    for (int i = 0; i < inputs.size(); i++) {
      batch.dims(i)[0] = replaced[i];
    }
  }
}
