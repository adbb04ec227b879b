package io.nereid.engine.execution.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.ModelConfig;
import io.nereid.config.SequenceSettings.State;
import io.nereid.engine.execution.sequence.SequenceState;
import io.nereid.error.InferenceException;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** States of sequences over several executions. */
class SequenceStatesTest extends ExecutionDriver {
  private static State state(boolean sameBuffer) {
    return new State(
        "IN", "NEXT", DataType.INT32, Shape.of(-1), Optional.empty(), sameBuffer, false);
  }

  private SequenceState newState(boolean sameBuffer) {
    var state =
        new SequenceState(
            List.of(state(sameBuffer)), Map.of("IN", Tensors.ints("IN", Shape.of(1, 1), 3)), pool);
    states.add(state);
    return state;
  }

  private void stateful(boolean sameBuffer) {
    model(config(4, List.of(), List.of(state(sameBuffer))));
  }

  /** Executes a request of that sequence; returns what it read. */
  private List<Integer> execute(SequenceState state, boolean fail, int... written) {
    execution.clear();
    add(Place.with(state), 1);
    RequestBatch batch = batch();
    BatchResults results = results();
    List<Integer> read = Tensors.values(batch.state(0, "IN"));
    if (written.length > 0) {
      Tensors.fill(
          results.allocateState(0, "NEXT", DataType.INT32, Shape.of(1, written.length)), written);
    }
    if (fail) {
      results.fail(0, InferenceException.invalid("no"));
    }
    results.deliver();
    requests.clear();
    return read;
  }

  @Test
  void aRequestReadsWhatTheOneBeforeWrote() {
    stateful(false);
    SequenceState state = newState(false);

    assertThat(execute(state, false, 4)).containsExactly(3);
    assertThat(execute(state, false, 5)).containsExactly(4);
    assertThat(execute(state, false)).containsExactly(5);
    assertThat(execute(state, false, 6, 7, 8)).containsExactly(5);
    assertThat(execute(state, false, 9)).containsExactly(6, 7, 8);
    assertThat(execute(state, false)).containsExactly(9);
    assertThat(execute(newState(false), false)).containsExactly(3);
  }

  @Test
  void aFailedRequestLeavesTheStateUnchanged() {
    stateful(false);
    SequenceState state = newState(false);

    execute(state, false, 4);
    execute(state, true, 5);

    assertThat(execute(state, false)).containsExactly(4);
  }

  @Test
  void aFailedExecutionLeavesTheStateUnchanged() {
    stateful(false);
    SequenceState state = newState(false);
    add(Place.with(state), 1);
    BatchResults results = results();
    Tensors.fill(results.allocateState(0, "NEXT", DataType.INT32, Shape.of(1, 1)), 9);

    results.failAll(InferenceException.internal("no"));
    results.deliver();
    requests.clear();

    assertThat(execute(state, false)).containsExactly(3);
  }

  @Test
  void aStateOfOneBufferIsWrittenInPlace() {
    stateful(true);
    SequenceState state = newState(true);

    execute(state, true, 4);
    assertThat(execute(state, false)).containsExactly(4);
    execute(state, false, 5, 6);

    assertThat(execute(state, false)).containsExactly(5, 6);
  }

  @Test
  void statesAreInputs() {
    stateful(false);
    add(Place.with(newState(false)), 1);
    execution.pad();
    add(Place.with(newState(false)), 1);
    RequestBatch batch = batch();

    assertThat(Tensors.values(batch.input(0, "IN").orElseThrow())).containsExactly(3);
    assertThat(Tensors.values(batch.gathered("IN").orElseThrow())).containsExactly(3, 0, 3);
  }

  @Test
  void dropsStatesOfPadding() {
    stateful(false);
    SequenceState state = newState(false);
    execution.pad();
    add(Place.with(state), 1);
    batch();
    BatchResults results = results();

    Tensors.fill(results.allocateState(0, "NEXT", DataType.INT32, Shape.of(1, 1)), 9);
    results.deliver();
    requests.clear();

    assertThat(execute(state, false)).containsExactly(3);
  }

  /** Executes a request that writes a state wrongly; returns its failure. */
  private InferenceException wrong(SequenceState state, Consumer<BatchResults> backend) {
    execution.clear();
    add(Place.with(state), 1);
    BatchResults results = results();
    backend.accept(results);
    results.deliver();
    InferenceException failure = requests.getLast().outcome().failure();
    requests.clear();
    return failure;
  }

  @Test
  void aWrongStateFailsItsRequestAndIsDropped() {
    stateful(false);
    SequenceState state = newState(false);
    String subject = "backend 'b', model 'm', version 1, state 'NEXT': ";
    Shape one = Shape.of(1, 1);

    assertThat(wrong(state, results -> results.allocateState(0, "NEXT", DataType.FP32, one)))
        .hasMessage(subject + "type FP32, expected INT32");
    assertThat(
            wrong(
                state, results -> results.allocateState(0, "NEXT", DataType.INT32, Shape.of(2, 1))))
        .hasMessage(subject + "shape [2,1], expected [1,-1]");
    assertThat(wrong(state, results -> results.allocateState(0, "NEXT", DataType.INT32, one, 8)))
        .hasMessage(subject + "8 bytes, expected 4 for the shape [1,1] of INT32");
    assertThat(execute(state, false)).containsExactly(3);
  }

  @Test
  void aStateThatIsGivenTwiceFailsItsRequest() {
    stateful(false);
    SequenceState state = newState(false);

    InferenceException failure =
        wrong(
            state,
            results -> {
              MemorySegment first =
                  results.allocateState(0, "NEXT", DataType.INT32, Shape.of(1, 1));
              results.allocateState(0, "NEXT", DataType.INT32, Shape.of(1, 2)).fill((byte) 1);
              first.fill((byte) 1); // throws if the memory was released
            });

    assertThat(failure).hasMessageEndingWith("state 'NEXT': given twice, expected once");
    assertThat(execute(state, false)).containsExactly(3);
  }

  @Test
  void aStateOfMalformedBytesFailsItsRequestAndIsDropped() {
    var texts =
        new State("IN", "NEXT", DataType.BYTES, Shape.of(-1), Optional.empty(), false, false);
    model(config(4, List.of(), List.of(texts)));
    var state =
        new SequenceState(
            List.of(texts), Map.of("IN", Tensors.texts("IN", Shape.of(1, 1), "old")), pool);
    states.add(state);

    InferenceException failure =
        wrong(
            state,
            results ->
                results
                    .allocateState(0, "NEXT", DataType.BYTES, Shape.of(1, 1), 6)
                    .set(Elements.INT, 0, 3));

    assertThat(failure)
        .hasMessage(
            "backend 'b', model 'm', version 1, state 'NEXT': a length of 3 bytes of element 0 of"
                + " BYTES, expected at most the 2 bytes that follow it");
    assertThat(Tensors.texts(state.buffers().getFirst().current())).containsExactly("old");
  }

  @Test
  void aStateThatIsNotWrittenIsZero() {
    stateful(false);
    SequenceState state = newState(false);
    add(Place.with(state), 1);
    BatchResults results = results();
    results.allocateState(0, "NEXT", DataType.INT32, Shape.of(1, 3));
    results.deliver();
    requests.clear();

    assertThat(execute(state, false)).containsExactly(0, 0, 0);
  }

  @Test
  void rejectsAStateThatIsNotDeclared() {
    stateful(false);
    add(Place.with(newState(false)), 1);

    assertRejected("state 'X' is not a valid state name.", () -> batch().state(0, "X"));
    assertRejected(
        "state 'X' is not a valid state name.",
        () -> results().allocateState(0, "X", DataType.INT32, Shape.of(1)));
  }

  @Test
  void rejectsStatesOfAModelWithoutStates() {
    add(Place.first(1), 1);
    String message = "unable to add state 'X'. State configuration is missing for model 'm'.";

    assertRejected(message, () -> batch().state(0, "X"));
    assertRejected(message, () -> results().allocateState(0, "X", DataType.INT32, Shape.of(1)));
    ModelConfig plain = ModelConfig.of("m", "b");
    assertRejected(
        message,
        () ->
            TestRequest.results(plain, batch(), pool, null)
                .allocateState(0, "X", DataType.INT32, Shape.of(1)));
  }
}
