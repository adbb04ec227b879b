package io.nereid.onnx;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.onnx.ort.OrtException;
import io.nereid.onnx.ort.OrtRun;
import io.nereid.onnx.ort.OrtSession;
import io.nereid.onnx.ort.OrtTensorInfo;
import io.nereid.spi.Batch;
import io.nereid.spi.ModelInstance;
import io.nereid.spi.Results;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * An instance of an ONNX model: a session and its reusable run.
 *
 * <p>A batch of a batching model is one run; a model without a batch dimension runs once per
 * request. ONNX Runtime reads inputs in place, and writes outputs of a predictable shape directly
 * into the responses ({@link OnnxOutput}). Controls, states and computed batch inputs are inputs
 * like any other. States that the model writes are copied ({@link OnnxState}).
 */
final class OnnxInstance implements ModelInstance {
  private final ModelConfig config;
  private final boolean onDevice;
  private final boolean bounded;
  private final OrtSession session;
  private final OrtRun run;
  private final Runnable terminate;
  private final List<OnnxInput> inputs;
  private final List<OnnxOutput> outputs;
  private final List<OnnxState> states;

  /** The shape of each input in the current run; null if the request left it out. */
  private final @Nullable Shape[] given;

  /** Takes the session. {@code bounded} says whether its operators are. */
  OnnxInstance(
      ModelConfig config,
      InstanceSettings settings,
      OnnxParameters parameters,
      OnnxSignature signature,
      OrtSession session,
      boolean bounded) {
    this.bounded = bounded;
    this.config = config;
    this.onDevice = settings.kind() == InstanceSettings.Kind.KIND_GPU;
    this.session = session;
    var sequence = OnnxSequenceTensors.of(config);
    this.inputs = inputs(config, signature, sequence);
    var all = outputs(config, signature, inputs);
    this.states = states(config, signature, sequence, all);
    this.outputs = all.stream().filter(output -> !sequence.writes(output.name())).toList();
    this.given = new @Nullable Shape[inputs.size()];
    this.run = session.openRun();
    this.terminate = run::terminate;
    parameters
        .arenaShrinkage()
        .ifPresent(devices -> run.entry(OnnxParameters.ARENA_SHRINKAGE, devices));
  }

  private static List<OnnxInput> inputs(
      ModelConfig config, OnnxSignature signature, OnnxSequenceTensors sequence) {
    return bind(
        signature.allInputs(),
        (i, info) ->
            config
                .input(info.name())
                .or(() -> sequence.input(info.name()))
                .or(() -> BatchTensors.input(config, info))
                .map(input -> new OnnxInput(i, input, info)));
  }

  private static List<OnnxState> states(
      ModelConfig config,
      OnnxSignature signature,
      OnnxSequenceTensors sequence,
      List<OnnxOutput> outputs) {
    return bind(
        signature.outputs(),
        (i, info) -> {
          var output = outputs.stream().filter(o -> o.name().equals(info.name())).findFirst();
          return sequence
              .output(info.name())
              .map(state -> new OnnxState(config.name(), config.batches(), i, state, output));
        });
  }

  private static List<OnnxOutput> outputs(
      ModelConfig config, OnnxSignature signature, List<OnnxInput> inputs) {
    return bind(
        signature.outputs(),
        (i, info) ->
            config
                .output(info.name())
                .map(output -> new OnnxOutput(config, i, output, info, inputs)));
  }

  private static <T> List<T> bind(
      List<OrtTensorInfo> infos, BiFunction<Integer, OrtTensorInfo, Optional<T>> binding) {
    return IntStream.range(0, infos.size())
        .boxed()
        .flatMap(i -> binding.apply(i, infos.get(i)).stream())
        .toList();
  }

  /** A device may have the state of a thread; ONNX Runtime's sessions on processors have none. */
  @Override
  public boolean runsOnAnyThread() {
    return !onDevice;
  }

  @Override
  public boolean hasBoundedTime() {
    return bounded;
  }

  @Override
  public void execute(Batch batch, Results results) {
    run.begin();
    batch.onCancel(terminate);
    if (config.batches()) {
      if (batch.rows() > config.maxBatchSize()) {
        throw InferenceException.internal(
            "batch size %d for '%s', max allowed is %d"
                .formatted(batch.rows(), config.name(), config.maxBatchSize()));
      }
      runOnce(RunScope.ofBatch(batch, results, config), batch.rows(), results);
      return;
    }
    for (int i = 0; i < batch.size(); i++) {
      try {
        runOnce(RunScope.ofRequest(batch, results, config, i), 1, results);
      } catch (InferenceException failure) {
        results.fail(i, failure);
      }
    }
  }

  private void runOnce(RunScope scope, long rows, Results results) {
    run.clear();
    for (int i = 0; i < inputs.size(); i++) {
      OnnxInput input = inputs.get(i);
      Tensor tensor = scope.input(input.name()).orElse(null);
      given[i] = tensor == null ? null : tensor.shape();
      if (tensor != null) {
        input.give(tensor, run);
      } else if (!input.config().optional()) {
        throw InferenceException.invalid(
            "model '%s': input '%s' is missing".formatted(config.name(), input.name()));
      }
    }
    // ONNX Runtime rejects a run without outputs, so one that needs none computes all of them.
    boolean nothingWanted = states.isEmpty();
    for (int i = 0; i < outputs.size(); i++) {
      nothingWanted &= !scope.wants(outputs.get(i).name());
    }
    ask(scope, rows, nothingWanted);
    results.computeStarted();
    compute(scope, rows, nothingWanted);
    results.computeEnded();
    for (int i = 0; i < states.size(); i++) {
      states.get(i).deliver(scope, given, rows, run);
    }
    for (int i = 0; i < outputs.size(); i++) {
      if (nothingWanted || scope.wants(outputs.get(i).name())) {
        outputs.get(i).deliver(scope, given, rows, run);
      }
    }
  }

  private void ask(RunScope scope, long rows, boolean all) {
    for (int i = 0; i < outputs.size(); i++) {
      if (all || scope.wants(outputs.get(i).name())) {
        outputs.get(i).ask(scope, given, rows, run);
      }
    }
    for (int i = 0; i < states.size(); i++) {
      states.get(i).ask(run);
    }
  }

  private boolean unbind(RunScope scope, boolean all) {
    boolean unbound = false;
    for (int i = 0; i < outputs.size(); i++) {
      if (all || scope.wants(outputs.get(i).name())) {
        unbound |= outputs.get(i).unbind(scope);
      }
    }
    return unbound;
  }

  private void compute(RunScope scope, long rows, boolean all) {
    try {
      if (run.isTerminated()) {
        throw InferenceException.cancelled();
      }
      run.run();
    } catch (OrtException failure) {
      if (run.isTerminated()) {
        throw InferenceException.cancelled();
      }
      if (failure.isOfBoundShape() && unbind(scope, all)) {
        run.clearOutputs();
        ask(scope, rows, all);
        compute(scope, rows, all);
        return;
      }
      throw InferenceException.internal(
          "model '%s': %s".formatted(config.name(), failure.getMessage()));
    }
  }

  @Override
  public void close() {
    run.close();
    session.close();
  }
}
