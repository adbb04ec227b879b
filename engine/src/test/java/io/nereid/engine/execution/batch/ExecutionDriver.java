package io.nereid.engine.execution.batch;

import io.nereid.config.ModelConfig;
import io.nereid.config.SequenceSettings;
import io.nereid.config.SequenceSettings.Control;
import io.nereid.config.SequenceSettings.State;
import io.nereid.config.SequenceSettings.Strategy;
import io.nereid.config.TensorConfig;
import io.nereid.engine.execution.sequence.SequenceState;
import io.nereid.engine.testing.Failures;
import io.nereid.error.StatusCode;
import io.nereid.request.RequestOptions;
import io.nereid.request.SequenceId;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

/** A batch of a sequence model, which tests fill, execute by hand and close. */
abstract class ExecutionDriver extends GatheredRequests {
  final DispatchedBatch execution = new DispatchedBatch();
  final List<SequenceState> states = new ArrayList<>();
  ModelConfig config = config(4, List.of(), List.of());
  SequenceTensors sequences = tensors();

  @AfterEach
  void closeSequences() {
    sequences.close();
    states.forEach(SequenceState::close);
  }

  static ModelConfig config(int maxBatchSize, List<Control> controls, List<State> states) {
    var sequence =
        new SequenceSettings(1_000_000, controls, new Strategy.Direct(0, 0), states, false);
    return ModelConfig.of("m", "b")
        .withSignature(
            maxBatchSize,
            List.of(TensorConfig.of("A", DataType.INT32, Shape.of(-1))),
            List.of(TensorConfig.of("OUT", DataType.INT32, Shape.of(-1))))
        .withScheduling(sequence);
  }

  private SequenceTensors tensors() {
    return new SequenceTensors(config, config.sequence().orElseThrow(), execution, pool);
  }

  void model(ModelConfig changed) {
    config = changed;
    sequences = tensors();
  }

  void controls(Control... controls) {
    model(config(4, List.of(controls), List.of()));
  }

  void add(Place place, int... values) {
    TestRequest request =
        TestRequest.of(
            pool, place.options(), Tensors.ints("A", Shape.of(1, values.length), values));
    requests.add(request);
    execution.add(request.pending(), place.state());
  }

  RequestBatch batch() {
    sequences.fillPadding();
    var batch =
        new RequestBatch(
            TestRequest.model(config, pool), execution, gatherBuffers, sequences, false);
    batch.begin();
    return batch;
  }

  BatchResults results() {
    return TestRequest.results(config, batch(), pool, sequences);
  }

  void assertRejected(String message, ThrowingCallable call) {
    Failures.assertRejected(StatusCode.INVALID_ARGUMENT, message, call);
  }

  /** The place of a request in its sequence, and the state of the sequence. */
  record Place(RequestOptions options, @Nullable SequenceState state) {
    static Place first(long id) {
      return of(new SequenceId.OfNumber(id), true, false, null);
    }

    static Place middle(String id) {
      return of(new SequenceId.OfString(id), false, false, null);
    }

    static Place last(long id) {
      return of(new SequenceId.OfNumber(id), false, true, null);
    }

    static Place with(@Nullable SequenceState state) {
      return of(new SequenceId.OfNumber(1), false, false, state);
    }

    private static Place of(
        SequenceId id, boolean first, boolean last, @Nullable SequenceState state) {
      return new Place(new RequestOptions(id, first, last, 0, 0, Map.of()), state);
    }
  }
}
