package io.nereid.tck.gate;

import io.nereid.config.BatchOutput;
import io.nereid.config.ModelConfig;
import io.nereid.config.SequenceSettings;
import io.nereid.config.TensorConfig;
import io.nereid.spi.Batch;
import io.nereid.spi.Results;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** What an instance of the gate does with a batch once the gate is open. */
record GateWork(ModelConfig config, GateSettings settings) {
  /** Waits for the configured time of an execution, or until all its requests are cancelled. */
  void takeTime(Batch batch) {
    long end = System.nanoTime() + TimeUnit.MICROSECONDS.toNanos(settings.executeMicros());
    for (long left = end - System.nanoTime();
        left > 0 && !batch.isCancelled();
        left = end - System.nanoTime()) {
      LockSupport.parkNanos(Math.min(left, TimeUnit.MILLISECONDS.toNanos(10)));
    }
  }

  /** Responds to a request with {@code reply}, and commits its states. */
  void answer(Batch batch, int index, Results results, Reply reply) {
    if (reply.commitsState()) {
      states().forEach(state -> commit(batch, index, results, state));
    }
    if (reply.failure().isPresent()) {
      results.fail(index, reply.failure().get());
      return;
    }
    for (int response = 0; response < reply.responses(); response++) {
      show(batch, index, results, reply);
      if (config.decoupled() || reply.held()) {
        results.send(index);
      }
    }
    if (config.decoupled()) {
      results.finish(index);
    }
  }

  /** Gives the inputs of all requests in one piece, for the server to split. */
  void scatter(Batch batch, Results results) {
    for (BatchOutput scattered : config.batchOutputs()) {
      String output = scattered.targetName();
      TensorConfig declared = config.output(output).orElseThrow();
      batch
          .gathered(GateBackend.inputOf(declared))
          .ifPresent(all ->
              Elements.copy(
                  all.data(), results.allocateBatch(output, all.dataType(), all.shape())));
    }
  }

  private void show(Batch batch, int index, Results results, Reply reply) {
    for (TensorConfig output : config.outputs()) {
      boolean shown =
          !reply.dropped().contains(output.name()) && config.batchOutput(output.name()).isEmpty();
      if (shown && results.wants(index, output.name())) {
        value(batch, index, GateBackend.inputOf(output))
            .ifPresent(value -> copy(value, results, index, output.name()));
      }
    }
  }

  private void copy(Tensor value, Results results, int index, String output) {
    var target = results.allocate(index, output, value.dataType(), value.shape(), value.byteSize());
    Elements.copy(value.data(), target);
  }

  /**
   * The output for an input: the input itself, or its sum with the state; empty if the request
   * lacks it.
   */
  private Optional<Tensor> value(Batch batch, int index, String input) {
    Optional<Tensor> brought = batch.input(index, input);
    if (!settings.accumulates() || states().isEmpty()) {
      return brought;
    }
    Tensor state = batch.state(index, states().getFirst().inputName());
    return brought.map(tensor -> sum(tensor, state));
  }

  /** A state becomes the sum of the first input and itself, or the input. */
  private void commit(Batch batch, int index, Results results, SequenceSettings.State state) {
    Tensor input = batch.input(index, config.inputs().getFirst().name()).orElseThrow();
    Tensor next =
        settings.accumulates() ? sum(input, batch.state(index, state.inputName())) : input;
    var target = results.allocateState(index, state.outputName(), next.dataType(), next.shape());
    Elements.copy(next.data(), target);
  }

  private List<SequenceSettings.State> states() {
    return config.scheduling() instanceof SequenceSettings sequences
        ? sequences.states()
        : List.of();
  }

  /**
   * The sum of an input and a state, in the input's shape and on the heap. A state of fewer
   * elements is repeated, so that one that starts as a single zero grows with the first input.
   *
   * @throws IllegalArgumentException unless both are INT32 or both are FP32
   */
  static Tensor sum(Tensor input, Tensor state) {
    DataType type = input.dataType();
    if (type != state.dataType() || (type != DataType.INT32 && type != DataType.FP32)) {
      throw new IllegalArgumentException("a sum of %s and %s".formatted(type, state.dataType()));
    }
    var sum = MemorySegment.ofArray(new byte[Math.toIntExact(input.byteSize())]);
    for (long at = 0; at < sum.byteSize(); at += type.byteSize()) {
      long stateAt = at % state.byteSize();
      if (type == DataType.INT32) {
        int addend = state.data().get(Elements.INT, stateAt);
        sum.set(Elements.INT, at, input.data().get(Elements.INT, at) + addend);
      } else {
        float addend = state.data().get(Elements.FLOAT, stateAt);
        sum.set(Elements.FLOAT, at, input.data().get(Elements.FLOAT, at) + addend);
      }
    }
    return new Tensor(input.name(), type, input.shape(), sum);
  }
}
