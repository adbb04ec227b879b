package io.nereid.tensorrt.signature;

import io.nereid.config.BatchInput;
import io.nereid.config.BatchOutput;
import io.nereid.config.ModelConfig;
import io.nereid.config.SequenceSettings.State;
import io.nereid.config.TensorConfig;
import io.nereid.error.InferenceException;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import java.util.List;

/**
 * A check that a complete configuration and an engine describe the same tensors, with the messages
 * of Triton's TensorRT backend where it has one. Each message contains what the configuration says
 * and what the engine has.
 */
public final class SignatureCheck {
  private final PlanSignature plan;
  private final ModelConfig config;
  private final PlanSequenceTensors sequence;
  private final PlanShapeCheck shapes;

  /**
   * @param config complete
   */
  public SignatureCheck(PlanSignature plan, ModelConfig config) {
    this.plan = plan;
    this.config = config;
    this.sequence = PlanSequenceTensors.of(config);
    this.shapes = new PlanShapeCheck(config);
  }

  /**
   * Checks everything that does not depend on the profiles of an instance.
   *
   * @throws InferenceException for the first contradiction
   */
  public void check() {
    if (plan.inputs().size() < config.inputs().size()) {
      throw PlanSignature.invalid(
          config,
          "configuration expects %d inputs, model provides at most %d"
              .formatted(config.inputs().size(), plan.inputs().size()));
    }
    config.inputs().forEach(this::checkInput);
    config.outputs().forEach(this::checkOutput);
    config.batchInputs().forEach(this::checkBatchInput);
    config.batchOutputs().forEach(this::checkBatchOutput);
    sequence.controls().forEach(this::checkControl);
    sequence.states().forEach(this::checkState);
    plan.tensors().forEach(this::requireConfigured);
  }

  private void checkInput(TensorConfig input) {
    PlanTensor own = plan.require(config, "inference input", input.name(), true);
    checkType("inference input", input, own);
    checkShapeMark(input, own);
    if (input.optional()) {
      throw PlanSignature.invalid(
          config,
          "optional input '%s' is not supported by TensorRT engines".formatted(input.name()));
    }
    if (own.shapeTensor()) {
      shapes.shapeTensor(input, own);
    } else if (input.allowRaggedBatch()) {
      shapes.ragged(input, own);
    } else {
      shapes.compare(input, own);
    }
  }

  private void checkOutput(TensorConfig output) {
    PlanTensor own = plan.require(config, "inference output", output.name(), false);
    checkType("inference output", output, own);
    checkShapeMark(output, own);
    if (own.shapeTensor()) {
      if (output.dataType() != DataType.INT64) {
        throw InferenceException.invalid(
            ("unexpected datatype '%s' in model configuration for shape output '%s', expecting"
                    + " TYPE_INT64 for %s")
                .formatted(output.dataType().configName(), output.name(), config.name()));
      }
      shapes.shapeTensor(output, own);
    } else if (config.batchOutput(output.name()).isEmpty()) { // otherwise any shape is possible
      shapes.compare(output, own);
    }
  }

  private void checkType(String role, TensorConfig tensor, PlanTensor own) {
    if (own.shapeTensor()
        && own.input()
        && tensor.dataType() != DataType.INT32
        && tensor.dataType() != DataType.INT64) {
      throw InferenceException.invalid(
          ("unexpected datatype %s in model configuration for shape input '%s', expecting"
                  + " TYPE_INT32 or TYPE_INT64 for %s")
              .formatted(tensor.dataType().configName(), tensor.name(), config.name()));
    }
    if (own.dataType() != tensor.dataType()) {
      throw InferenceException.invalid(
          "unexpected datatype %s for %s '%s', expecting %s for %s"
              .formatted(
                  own.dataType().configName(),
                  role,
                  tensor.name(),
                  tensor.dataType().configName(),
                  config.name()));
    }
  }

  private void checkShapeMark(TensorConfig tensor, PlanTensor own) {
    if (own.shapeTensor() && !tensor.shapeTensor()) {
      throw InferenceException.internal(
          ("%s '%s' for model '%s' is a shape tensor but the model configuration doesn't mark it"
                  + " as a shape tensor.")
              .formatted(own.role(), own.name(), config.name()));
    }
    if (!own.shapeTensor() && tensor.shapeTensor()) {
      throw InferenceException.internal(
          ("%s '%s' for model '%s' is incorrectly marked as a shape tensor in the model"
                  + " configuration.")
              .formatted(own.role(), own.name(), config.name()));
    }
  }

  private void checkBatchInput(BatchInput computed) {
    for (String target : computed.targetNames()) {
      PlanTensor own = plan.require(config, "batch input", target, true);
      int rank = computed.kind() == BatchInput.Kind.BATCH_ITEM_SHAPE ? 2 : 1;
      checkType("batch input", TensorConfig.of(target, computed.dataType(), own.dims()), own);
      if (own.dims().rank() != rank) {
        throw PlanSignature.invalid(
            config,
            "batch input '%s' has %d dimensions, the engine expects %s"
                .formatted(target, rank, own.dims()));
      }
    }
  }

  private void checkBatchOutput(BatchOutput scattered) {
    PlanTensor own = plan.require(config, "batch output", scattered.targetName(), false);
    if (own.shapeTensor()) {
      throw InferenceException.invalid(
          "model '%s': batch output '%s' can not be shape binding"
              .formatted(config.name(), own.name()));
    }
  }

  private void checkControl(TensorConfig control) {
    PlanTensor own = plan.require(config, "sequence control", control.name(), true);
    checkType("sequence control", control, own);
    shapes.control(control, own);
  }

  private void checkState(State state) {
    var read = TensorConfig.of(state.inputName(), state.dataType(), state.dims());
    PlanTensor input = plan.require(config, "state input", read.name(), true);
    checkType("state input", read, input);
    shapes.compare(read, input);
    var written = TensorConfig.of(state.outputName(), state.dataType(), state.dims());
    PlanTensor output = plan.require(config, "state output", written.name(), false);
    checkType("state output", written, output);
    shapes.compare(written, output);
  }

  private void requireConfigured(PlanTensor tensor) {
    boolean known =
        tensor.input()
            ? config.input(tensor.name()).isPresent()
                || config.batchInput(tensor.name()).isPresent()
                || sequence.reads(tensor.name())
            : config.output(tensor.name()).isPresent()
                || sequence.output(tensor.name()).isPresent();
    if (!known) {
      throw InferenceException.invalid(
          "expected configuration for %s '%s' for %s"
              .formatted(tensor.role(), tensor.name(), config.name()));
    }
  }

  /**
   * Checks that the configured dimensions lie within the profiles of an instance.
   *
   * @param profiles numbers of existing profiles
   * @throws InferenceException INVALID_ARGUMENT for the first dimension that does not
   */
  public void checkRanges(List<Integer> profiles) {
    for (TensorConfig input : config.inputs()) {
      PlanTensor own = plan.require(config, "inference input", input.name(), true);
      if (!own.shapeTensor() && !input.allowRaggedBatch()) {
        Shape configured = shapes.engineShape(input, own);
        for (int profile : profiles) {
          String outside = Ranges.outside(configured.dims(), own.ranges().get(profile));
          if (!outside.isEmpty()) {
            throw InferenceException.invalid(
                ("model configuration specified invalid shape for input '%s' for model %s. Error"
                        + " details: %s")
                    .formatted(input.name(), config.name(), outside));
          }
        }
      }
    }
  }
}
