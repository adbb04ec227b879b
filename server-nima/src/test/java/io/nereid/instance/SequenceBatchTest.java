package io.nereid.instance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.config.ModelConfig;
import io.nereid.config.SequenceSettings;
import io.nereid.config.SequenceSettings.Control;
import io.nereid.config.SequenceSettings.Control.Kind;
import io.nereid.config.SequenceSettings.State;
import io.nereid.config.SequenceSettings.Strategy;
import io.nereid.config.TensorConfig;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.exchange.InferenceResponse;
import io.nereid.memory.CheckedBufferPool;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a sequence model reads beside its inputs, and what becomes of its states. */
class SequenceBatchTest {
  private final CheckedBufferPool pool = new CheckedBufferPool();
  private final GatherBuffers gatherBuffers = new GatherBuffers(pool);
  private final Execution execution = new Execution();
  private final List<TestRequest> requests = new ArrayList<>();
  private final List<SequenceState> states = new ArrayList<>();
  private ModelConfig config = config(4, List.of(), List.of());
  private SequenceTensors sequences = tensors();

  @AfterEach
  void giveEverythingBack() {
    sequences.close();
    gatherBuffers.close();
    states.forEach(SequenceState::close);
    requests.forEach(request -> request.pending().close());
    assertThat(pool.outstanding()).isZero();
  }

  private static ModelConfig config(int maxBatchSize, List<Control> controls, List<State> states) {
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

  private void model(ModelConfig changed) {
    config = changed;
    sequences = tensors();
  }

  private void controls(Control... controls) {
    model(config(4, List.of(controls), List.of()));
  }

  private void add(SequencePlace place, int... values) {
    TestRequest request =
        TestRequest.of(pool, "r", 1, Tensors.ints("A", Shape.of(1, values.length), values));
    requests.add(request);
    execution.add(request.pending(), place);
  }

  private RequestBatch batch() {
    sequences.fillPadding();
    var batch = new RequestBatch(config, execution.requests(), gatherBuffers, sequences);
    batch.begin();
    return batch;
  }

  private BatchResults results() {
    return TestRequest.results(config, batch(), pool, sequences);
  }

  private static Control flag(Kind kind, DataType type) {
    return new Control(kind.name(), kind, type, 0, 1);
  }

  private static Control id(DataType type) {
    return new Control("ID", Kind.CONTROL_SEQUENCE_CORRID, type, 0, 0);
  }

  private static double number(Tensor tensor, int index) {
    return switch (tensor.dataType()) {
      case FP32 -> tensor.data().get(Elements.FLOAT, 4L * index);
      case INT32, UINT32 -> tensor.data().get(Elements.INT, 4L * index);
      case INT64, UINT64 -> tensor.data().get(Elements.LONG, 8L * index);
      default -> tensor.data().get(Elements.BYTE, index);
    };
  }

  @ParameterizedTest
  @EnumSource(
      value = DataType.class,
      names = {"FP32", "INT32", "BOOL"})
  void flagsSayWhereInItsSequenceARequestIs(DataType type) {
    controls(
        flag(Kind.CONTROL_SEQUENCE_START, type),
        flag(Kind.CONTROL_SEQUENCE_END, type),
        flag(Kind.CONTROL_SEQUENCE_READY, type));
    add(SequencePlaces.first(1), 1);
    execution.pad();
    add(SequencePlaces.middle("b"), 2);
    add(SequencePlaces.last(3), 3);
    RequestBatch batch = batch();

    double[][] expected = {{1, 0, 0, 0}, {0, 0, 0, 1}, {1, 0, 1, 1}};
    Kind[] kinds = {
      Kind.CONTROL_SEQUENCE_START, Kind.CONTROL_SEQUENCE_END, Kind.CONTROL_SEQUENCE_READY
    };
    for (int k = 0; k < kinds.length; k++) {
      Tensor column = batch.gathered(kinds[k].name()).orElseThrow();
      assertThat(column.shape()).isEqualTo(Shape.of(4, 1));
      for (int row = 0; row < 4; row++) {
        Tensor one = batch.input(row, kinds[k].name()).orElseThrow();
        assertThat(one.dataType()).isEqualTo(type);
        assertThat(one.shape()).isEqualTo(Shape.of(1, 1));
        assertThat(number(one, 0)).isEqualTo(expected[k][row]);
        assertThat(number(column, row)).isEqualTo(expected[k][row]);
      }
    }
  }

  @Test
  void aFlagHasTheValuesThatAreConfigured() {
    controls(new Control("S", Kind.CONTROL_SEQUENCE_START, DataType.INT32, -7, 9));
    add(SequencePlaces.first(1), 1);
    add(SequencePlaces.last(1), 1);

    assertThat(Tensors.values(batch().gathered("S").orElseThrow())).containsExactly(9, -7);
  }

  @Test
  void anIdIsCutToItsControlsTypeAndZeroInPadding() {
    long id = 0x1_0000_0007L;
    for (DataType type : List.of(DataType.UINT64, DataType.INT64)) {
      assertThat(ids(type, id)).containsExactly((double) id, 0.0, (double) id, 0.0);
    }
    for (DataType type : List.of(DataType.UINT32, DataType.INT32)) {
      assertThat(ids(type, id)).containsExactly(7.0, 0.0, 7.0, 0.0);
    }
  }

  /** An id and padding, row by row and gathered. */
  private List<Double> ids(DataType type, long id) {
    sequences.close();
    execution.clear();
    controls(id(type));
    add(SequencePlaces.first(id), 1);
    execution.pad();
    RequestBatch batch = batch();
    Tensor column = batch.gathered("ID").orElseThrow();
    return List.of(
        number(batch.input(0, "ID").orElseThrow(), 0),
        number(batch.input(1, "ID").orElseThrow(), 0),
        number(column, 0),
        number(column, 1));
  }

  @Test
  void aTextIsOneElement() {
    controls(id(DataType.BYTES));
    add(SequencePlaces.middle("größe"), 1);
    execution.pad();
    add(SequencePlaces.middle("b"), 2);
    add(SequencePlaces.first(18), 3); // which the server has chosen
    RequestBatch batch = batch();

    assertThat(Tensors.texts(batch.input(0, "ID").orElseThrow())).containsExactly("größe");
    assertThat(Tensors.texts(batch.input(1, "ID").orElseThrow())).containsExactly("");
    assertThat(Tensors.texts(batch.gathered("ID").orElseThrow()))
        .containsExactly("größe", "", "b", "18");
  }

  @Test
  void aModelThatDoesNotBatchGetsControlsOfOneDimension() {
    model(config(0, List.of(flag(Kind.CONTROL_SEQUENCE_START, DataType.INT32)), List.of()));
    add(SequencePlaces.first(1), 1);

    Tensor start = batch().gathered("CONTROL_SEQUENCE_START").orElseThrow();

    assertThat(start.shape()).isEqualTo(Shape.of(1));
    assertThat(Tensors.values(start)).containsExactly(1);
  }

  @Test
  void paddingHasZerosInTheShapeOfARealRequest() {
    execution.pad();
    add(SequencePlaces.first(1), 5, 6);
    execution.pad();
    RequestBatch batch = batch();

    assertThat(batch.isPadding(0)).isTrue();
    assertThat(batch.isPadding(1)).isFalse();
    assertThat(batch.rows()).isEqualTo(3);
    assertThat(batch.request(0).id()).isEmpty();
    assertThat(batch.request(0).outputs()).isEmpty();
    assertThat(Tensors.values(batch.gathered("A").orElseThrow())).containsExactly(0, 0, 5, 6, 0, 0);
  }

  @Test
  void aBatchWithPaddingIsCancelledWithItsRequests() {
    execution.pad();
    add(SequencePlaces.first(1), 1);
    RequestBatch batch = batch();
    assertThat(batch.isCancelled()).isFalse();

    requests.getFirst().pending().promise().cancel();

    assertThat(batch.isCancelled()).isTrue();
  }

  @Test
  void paddingKeepsUpWithShapes() {
    for (int length : new int[] {2, 2, 5, 1}) {
      execution.clear();
      add(SequencePlaces.first(1), new int[length]);
      execution.pad();
      assertThat(batch().input(1, "A").orElseThrow().shape()).isEqualTo(Shape.of(1, length));
    }
  }

  @Test
  void outputsOfPaddingGoNowhere() {
    add(SequencePlaces.first(1), 1);
    execution.pad();
    batch();
    BatchResults results = results();

    assertThat(results.wants(1, "OUT")).isFalse();
    Tensors.fill(results.allocateBatch("OUT", DataType.INT32, Shape.of(2, 1)), 7, 8);
    results.deliver();

    try (InferenceResponse response = requests.getFirst().outcome().response()) {
      assertThat(Tensors.values(response.outputs().getFirst())).containsExactly(7);
    }
    requests.clear();
  }

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

  /** One execution of a request of that sequence; returns what it read. */
  private List<Integer> execute(SequenceState state, boolean fail, int... written) {
    execution.clear();
    add(SequencePlaces.with(state), 1);
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
  void whatARequestWritesTheNextOneReads() {
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
  void aRequestThatFailsLeavesTheStateAsItWas() {
    stateful(false);
    SequenceState state = newState(false);

    execute(state, false, 4);
    execute(state, true, 5);

    assertThat(execute(state, false)).containsExactly(4);
  }

  @Test
  void anExecutionThatFailsLeavesTheStateAsItWas() {
    stateful(false);
    SequenceState state = newState(false);
    add(SequencePlaces.with(state), 1);
    BatchResults results = results();
    Tensors.fill(results.allocateState(0, "NEXT", DataType.INT32, Shape.of(1, 1)), 9);

    results.failAll(InferenceException.internal("no"));
    results.deliver();
    requests.clear();

    assertThat(execute(state, false)).containsExactly(3);
  }

  @Test
  void aStateOfOneBufferIsWrittenWhereItIsRead() {
    stateful(true);
    SequenceState state = newState(true);

    execute(state, true, 4);
    assertThat(execute(state, false)).containsExactly(4);
    execute(state, false, 5, 6);

    assertThat(execute(state, false)).containsExactly(5, 6);
  }

  @Test
  void statesAreInputsToo() {
    stateful(false);
    add(SequencePlaces.with(newState(false)), 1);
    execution.pad();
    add(SequencePlaces.with(newState(false)), 1);
    RequestBatch batch = batch();

    assertThat(Tensors.values(batch.input(0, "IN").orElseThrow())).containsExactly(3);
    assertThat(Tensors.values(batch.gathered("IN").orElseThrow())).containsExactly(3, 0, 3);
  }

  @Test
  void statesOfPaddingGoNowhere() {
    stateful(false);
    SequenceState state = newState(false);
    execution.pad();
    add(SequencePlaces.with(state), 1);
    batch();
    BatchResults results = results();

    Tensors.fill(results.allocateState(0, "NEXT", DataType.INT32, Shape.of(1, 1)), 9);
    results.deliver();
    requests.clear();

    assertThat(execute(state, false)).containsExactly(3);
  }

  private void assertRefused(String message, Runnable call) {
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(call::run)
        .withMessage(message)
        .satisfies(failure -> assertThat(failure.code()).isEqualTo(StatusCode.INVALID_ARGUMENT));
  }

  @Test
  void aStateThatIsNotDeclaredIsRefused() {
    stateful(false);
    add(SequencePlaces.with(newState(false)), 1);

    assertRefused("state 'X' is not a valid state name.", () -> batch().state(0, "X"));
    assertRefused(
        "state 'X' is not a valid state name.",
        () -> results().allocateState(0, "X", DataType.INT32, Shape.of(1)));
  }

  @Test
  void aModelWithoutStatesHasNone() {
    add(SequencePlaces.first(1), 1);
    String message = "unable to add state 'X'. State configuration is missing for model 'm'.";

    assertRefused(message, () -> batch().state(0, "X"));
    assertRefused(message, () -> results().allocateState(0, "X", DataType.INT32, Shape.of(1)));
    ModelConfig plain = ModelConfig.of("m", "b");
    assertRefused(
        message,
        () ->
            TestRequest.results(plain, batch(), pool, null)
                .allocateState(0, "X", DataType.INT32, Shape.of(1)));
  }

  @Test
  void onlyIterativeSequencesRunARequestAgain() {
    add(SequencePlaces.first(1), 1);
    BatchResults results = results();

    assertRefused(
        "Request is released with TRITONSERVER_REQUEST_RELEASE_RESCHEDULE, while the model is not"
            + " configured to handle such a flag.",
        () -> results.reschedule(0));

    results.deliver();
    assertThat(requests.getFirst().ended()).hasValue(1);
    requests.clear();
  }

  @Test
  void aRescheduledRequestKeepsItsInputsAndItsPromise() {
    var iterative =
        new SequenceSettings(1_000_000, List.of(), new Strategy.Direct(0, 0), List.of(), true);
    model(config.withScheduling(iterative));
    add(SequencePlaces.first(1), 1);
    BatchResults results = results();
    Tensors.fill(results.allocate(0, "OUT", DataType.INT32, Shape.of(1, 1), 4), 7);

    results.reschedule(0);
    results.deliver();

    assertThat(results.isRescheduled(0)).isTrue();
    assertThat(requests.getFirst().ended()).hasValue(0);
    assertThat(requests.getFirst().pending().promise().isDecided()).isFalse();
  }

  @Test
  void aRescheduledRequestWhoseExecutionFailsHasFailed() {
    var iterative =
        new SequenceSettings(1_000_000, List.of(), new Strategy.Direct(0, 0), List.of(), true);
    model(config.withScheduling(iterative));
    add(SequencePlaces.first(1), 1);
    BatchResults results = results();

    results.reschedule(0);
    results.failAll(InferenceException.internal("no"));
    results.deliver();

    assertThat(results.isRescheduled(0)).isFalse();
    assertThat(requests.getFirst().ended()).hasValue(1);
    requests.clear();
  }
}
