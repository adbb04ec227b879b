package io.nereid.tensorrt.signature;

import io.nereid.config.BatchingSettings;
import io.nereid.config.ModelConfig;
import io.nereid.config.SchedulingSettings;
import io.nereid.config.TensorConfig;
import io.nereid.error.InferenceException;
import io.nereid.tensor.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The completion of a configuration from an engine, by the rules of Triton's TensorRT backend.
 *
 * <p>Whether the model batches is what the dimensions in the configuration say: an engine has one
 * dimension more than the configuration of a model that batches. If there are none, the model
 * batches if the first dimension of every input and output varies. The largest batch is then that
 * of the engine's first profile.
 */
public final class SignatureCompletion {
  private static final System.Logger LOG = System.getLogger(SignatureCompletion.class.getName());

  private final PlanSignature plan;
  private final ModelConfig config;

  /**
   * @param config as the file states it
   */
  public SignatureCompletion(PlanSignature plan, ModelConfig config) {
    this.plan = plan;
    this.config = config;
  }

  /**
   * The completed configuration; {@code config} itself if there is nothing to add.
   *
   * @param limit a bound of the largest batch if the configuration states none
   * @throws InferenceException if the configuration contradicts the engine
   */
  public ModelConfig complete(OptionalInt limit) {
    int maxBatchSize = maxBatchSize(limit);
    var completed = config.withSignature(maxBatchSize, inputs(maxBatchSize), outputs(maxBatchSize));
    if (maxBatchSize > 1 && config.scheduling() instanceof SchedulingSettings.Direct) {
      completed = completed.withScheduling(BatchingSettings.of(List.of(maxBatchSize), 0));
    }
    return completed.equals(config) ? config : completed;
  }

  /**
   * Whether dimensions in the configuration say that the model batches; empty if there are none.
   */
  private Optional<Boolean> hint() {
    Optional<Boolean> hint = Optional.empty();
    for (boolean input : new boolean[] {true, false}) {
      for (TensorConfig tensor : input ? config.inputs() : config.outputs()) {
        if (tensor.allowRaggedBatch()) {
          return Optional.of(true);
        }
        String role = input ? "inference input" : "inference output";
        PlanTensor own = plan.require(config, role, tensor.name(), input);
        Shape dims = tensor.reshape().orElse(tensor.dims());
        if (dims.rank() > 0 && config.batchOutput(tensor.name()).isEmpty()) {
          boolean batches = batches(own, dims);
          if (!batches && hint.orElse(false)) {
            throw InferenceException.internal(
                ("unable to autofill for '%s', model tensor configurations are contradicting each"
                        + " other in terms of whether batching is supported")
                    .formatted(config.name()));
          }
          hint = Optional.of(batches);
        }
      }
    }
    return hint;
  }

  private static boolean batches(PlanTensor own, Shape dims) {
    return own.shapeTensor()
        ? own.dims().rank() > 0 && own.dims().dim(0) == dims.dim(0) + 1
        : own.dims().rank() == dims.rank() + 1;
  }

  private int maxBatchSize(OptionalInt limit) {
    Optional<Boolean> hint = hint();
    boolean batches = hint.orElse(plan.canBatch());
    if (batches && plan.maxBatchSize() == 0) {
      throw InferenceException.internal(
          ("autofill failed for model '%s': model tensor shape configuration hints for dynamic"
                  + " batching but the underlying engine doesn't support batching.")
              .formatted(config.name()));
    }
    int largest = batches ? plan.maxBatchSize() : hint.isPresent() ? 0 : plan.maxBatchSize();
    if (config.batches()) {
      if (config.maxBatchSize() > largest) {
        throw InferenceException.internal(
            ("autofill failed for model '%s': configuration specified max-batch %d but TensorRT"
                    + " engine only supports max-batch %d")
                .formatted(config.name(), config.maxBatchSize(), largest));
      }
      return config.maxBatchSize();
    }
    if (!batches) {
      if (hint.isPresent() && plan.canBatch()) {
        LOG.log(
            System.Logger.Level.WARNING,
            "The specified dimensions in model config for {0} hints that batching is unavailable",
            config.name());
      }
      return 0;
    }
    int own = plan.maxBatchSize(0);
    return limit.isPresent() ? Math.min(own, limit.getAsInt()) : own;
  }

  private List<TensorConfig> inputs(int maxBatchSize) {
    if (!config.inputs().isEmpty()) {
      return filled(config.inputs(), maxBatchSize);
    }
    var sequence = PlanSequenceTensors.of(config);
    List<TensorConfig> inputs = new ArrayList<>();
    for (PlanTensor input : plan.inputs()) {
      if (!sequence.reads(input.name()) && config.batchInput(input.name()).isEmpty()) {
        inputs.add(tensor(input, maxBatchSize));
      }
    }
    return inputs;
  }

  private List<TensorConfig> outputs(int maxBatchSize) {
    if (!config.outputs().isEmpty()) {
      return filled(config.outputs(), maxBatchSize);
    }
    var sequence = PlanSequenceTensors.of(config);
    List<TensorConfig> outputs = new ArrayList<>();
    for (PlanTensor output : plan.outputs()) {
      if (sequence.output(output.name()).isEmpty()) {
        outputs.add(tensor(output, maxBatchSize));
      }
    }
    return outputs;
  }

  /** The configured tensors, with dimensions and the mark of shape tensors where they lack them. */
  private List<TensorConfig> filled(List<TensorConfig> tensors, int maxBatchSize) {
    return tensors.stream().map(tensor -> filled(tensor, maxBatchSize)).toList();
  }

  private TensorConfig filled(TensorConfig given, int maxBatchSize) {
    PlanTensor own = plan.find(given.name()).orElse(null);
    if (own == null) {
      return given; // the check reports it
    }
    if (given.shapeTensor() && !own.shapeTensor()) {
      throw InferenceException.invalid(
          "model '%s': '%s' is incorrectly specified as a shape tensor."
              .formatted(config.name(), given.name()));
    }
    boolean open = given.dims().rank() == 0 && given.reshape().isEmpty();
    TensorConfig plain = open ? tensor(own, maxBatchSize) : given;
    return new TensorConfig(
        given.name(),
        given.dataType(),
        plain.dims(),
        plain.reshape(),
        given.optional(),
        given.allowRaggedBatch(),
        own.shapeTensor(),
        given.format(),
        given.labelFilename());
  }

  private TensorConfig tensor(PlanTensor own, int maxBatchSize) {
    Shape dims = own.dims();
    Optional<Shape> reshape = Optional.empty();
    if (own.shapeTensor()) {
      if (maxBatchSize > 0 && dims.rank() > 0) {
        dims = Shape.of(dims.dim(0) - 1); // the server adds the batch size in front
      }
    } else if (maxBatchSize > 0) {
      dims = dims.withoutLeading();
      reshape = dims.rank() == 0 ? Optional.of(dims) : reshape;
    }
    // Configurations have no scalars: they declare one element, with a reshape if there are rows.
    return new TensorConfig(
        own.name(),
        own.dataType(),
        dims.rank() == 0 ? Shape.of(1) : dims,
        reshape,
        false,
        false,
        own.shapeTensor(),
        TensorConfig.Format.FORMAT_NONE,
        "");
  }
}
