package io.nereid.tck.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.nereid.config.ModelConfig;
import io.nereid.config.SequenceSettings.Strategy;
import io.nereid.tck.Rule;
import io.nereid.tck.execution.ExecutedBatch;
import io.nereid.tck.execution.TestBatch;
import io.nereid.tck.model.OpenModel;
import io.nereid.tck.support.Outcome;
import io.nereid.tck.support.SampleRequest;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The requests of sequences, with controls and states as the server adds them. A model that keeps
 * the state itself finds its sequence by the row, and by the control {@code START}.
 */
public abstract class SequenceVerification extends BackendVerification {
  private static final int LENGTH = 4;
  private static final Set<DataType> WIDE = Set.of(DataType.UINT64, DataType.INT64, DataType.BYTES);

  /** The first two are one FP64, the first and the third have the same low 32 bits. */
  private static final long[] WIDE_IDS = {
    1L << 53, (1L << 53) + 1, 1L << 54, -1, Long.MIN_VALUE, Long.MIN_VALUE + 1, 1L << 32, 1
  };

  /** A sequence that is under way: one row of each batch. */
  private final class Sequence {
    final List<List<Outcome.Outputs>> responses = new ArrayList<>();
    private final long id;
    private final long seed;
    private final SequenceInputs added;
    private Map<String, Tensor> states;
    private int next;

    Sequence(OpenModel model, long number) {
      this(model, number, number);
    }

    Sequence(OpenModel model, long number, long seed) {
      this.id = id(model.config(), number);
      this.seed = seed;
      this.added =
          new SequenceInputs(model.config(), model.backend().tested().files().modelDirectory());
      this.states = added.initialStates();
    }

    SampleRequest request(OpenModel model) {
      var config = model.config();
      List<Tensor> inputs = new ArrayList<>(inputs(config, 1, seed * LENGTH + next));
      boolean start = next == 0;
      boolean end = next == LENGTH - 1;
      inputs.addAll(added.controls(id, start, end, true));
      inputs.addAll(states.values());
      var options = added.options(id, start, end, parameters(config, seed));
      return new SampleRequest(inputs, List.of(), options);
    }

    void ended(ExecutedBatch execution, int row) {
      responses.add(execution.responses(row));
      states = added.next(states, execution.states().get(row));
      next++;
    }
  }

  /** A correlation id: one of {@link #WIDE_IDS}, if the model takes 64 bits. */
  private static long id(ModelConfig config, long number) {
    boolean wide = SequenceInputs.correlation(config).map(WIDE::contains).orElse(true);
    return wide ? WIDE_IDS[(int) number - 1] : number;
  }

  /** Executes sequences side by side, and returns the responses of each. */
  private List<List<List<Outcome.Outputs>>> run(OpenModel model, List<Sequence> sequences) {
    boolean moves = model.config().sequence().orElseThrow().strategy() instanceof Strategy.Oldest;
    List<Sequence> rows = new ArrayList<>(sequences);
    for (int step = 0; step < LENGTH; step++) {
      step(model, rows);
      Collections.rotate(rows, moves ? 1 : 0);
    }
    return sequences.stream().map(sequence -> sequence.responses).toList();
  }

  private static void step(OpenModel model, List<Sequence> rows) {
    var execution = model.run(rows.stream().map(each -> each.request(model)).toList());
    for (int row = 0; row < rows.size(); row++) {
      rows.get(row).ended(execution, row);
    }
  }

  private List<List<Outcome.Outputs>> alone(OpenModel model, long id) {
    return run(model, List.of(new Sequence(model, id))).getFirst();
  }

  private void assertAlike(
      List<List<Outcome.Outputs>> actual, List<List<Outcome.Outputs>> expected) {
    assertThat(actual).hasSameSizeAs(expected);
    for (int step = 0; step < expected.size(); step++) {
      assertSame(actual.get(step), expected.get(step));
    }
  }

  private OpenModel sequences() {
    OpenModel model = open();
    if (model.config().sequence().isEmpty()) {
      model.close();
      throw new AssertionError("the model has no sequence_batching");
    }
    return model;
  }

  @Rule("BACKEND-SEQ-01")
  void keepsSequencesApart() {
    try (var model = sequences()) {
      int count = Math.clamp(model.config().maxBatchSize(), 1, 4);
      List<List<List<Outcome.Outputs>>> alone = new ArrayList<>();
      List<Sequence> together = new ArrayList<>();
      for (int id = 1; id <= count; id++) {
        alone.add(alone(model, id));
        together.add(new Sequence(model, id));
      }
      var responses = run(model, together);
      for (int i = 0; i < count; i++) {
        assertAlike(responses.get(i), alone.get(i));
      }
    }
  }

  @Rule("BACKEND-SEQ-02")
  void startsASequenceWithoutATraceOfAnother() {
    try (var model = sequences()) {
      var first = alone(model, 5);
      alone(model, 6);
      model.run(List.of(new Sequence(model, 7).request(model))).requireSound(); // left unfinished
      assertAlike(alone(model, 5), first);
      try (var other = openAnother(model.backend())) {
        var here = new Sequence(model, 5);
        var there = new Sequence(other, 5, 6);
        for (int step = 0; step < LENGTH; step++) {
          step(other, List.of(there));
          step(model, List.of(here));
        }
        assertAlike(here.responses, first);
      }
    }
  }

  @Rule("BACKEND-SEQ-03")
  void executesABatchWithPadding() {
    try (var model = sequences()) {
      assumeThat(model.config().maxBatchSize()).as("rows of a batch").isGreaterThan(1);
      var expected = alone(model, 8);
      var sequence = new Sequence(model, 8);
      for (int step = 0; step < LENGTH; step++) {
        try (var batch = new TestBatch(model.config())) {
          batch.add(sequence.request(model)).addPadding(padding(model));
          var execution = model.execute(batch).after("padding was in the batch");
          sequence.ended(execution, 0);
          assertThat(execution.states().get(1)).as("states of padding").isEmpty();
        }
      }
      assertAlike(sequence.responses, expected);
    }
  }

  /** The inputs of a slot without a request: zeros, and READY is false. */
  private List<Tensor> padding(OpenModel model) {
    var config = model.config();
    var added = new SequenceInputs(config, backend().files().modelDirectory());
    List<Tensor> inputs = new ArrayList<>();
    inputs(config, 1, 0).forEach(input -> inputs.add(zeros(input)));
    inputs.addAll(added.controls(0, false, false, false));
    added.initialStates().values().forEach(state -> inputs.add(zeros(state)));
    return inputs;
  }

  private static Tensor zeros(Tensor tensor) {
    int width = tensor.dataType().hasFixedSize() ? tensor.dataType().byteSize() : Integer.BYTES;
    int byteSize = Math.toIntExact(tensor.shape().elementCount() * width);
    var data = MemorySegment.ofArray(new byte[byteSize]);
    return new Tensor(tensor.name(), tensor.dataType(), tensor.shape(), data);
  }
}
