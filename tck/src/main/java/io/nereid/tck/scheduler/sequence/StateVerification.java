package io.nereid.tck.scheduler.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tck.Rule;
import io.nereid.tck.RuleCases;
import io.nereid.tck.gate.Reply;
import io.nereid.tck.scheduler.GatedModel;
import io.nereid.tck.scheduler.TestRequest;
import io.nereid.tck.support.Tensors;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import java.util.List;
import org.junit.jupiter.params.provider.ValueSource;

/** The state that a sequence carries from one request to the next. */
public abstract class StateVerification extends SequenceSchedulerVerification {
  private static final long A = 1;
  private static final long B = 2;
  private static final long C = 3;

  /** A model that accumulates its inputs, with its gate open. */
  private GatedModel accumulator(String strategy) {
    var model =
        load(
            4,
            """
            input { name: "IN0" data_type: TYPE_FP32 dims: [ -1 ] }
            output { name: "OUT0" data_type: TYPE_FP32 dims: [ -1 ] }
            parameters { key: "gate_accumulate" value { string_value: "true" } }
            """
                + sequences(
                    strategy,
                    PATIENT
                        + """
                        state {
                          input_name: "SUM_IN"
                          output_name: "SUM_OUT"
                          data_type: TYPE_FP32
                          dims: [ -1 ]
                          initial_state { name: "zero" data_type: TYPE_FP32 dims: [ 1 ] zero_data: true }
                        }
                        """));
    model.gate().openAll();
    return model;
  }

  /** Sends a value, and returns the sum of the response. */
  private static float add(GatedModel model, String id, long sequence, Place place, float value) {
    return add(model, id, sequence, place, value, 1);
  }

  private static float add(
      GatedModel model, String id, long sequence, Place place, float value, long size) {
    var input = TestRequest.fp32("IN0", value, 1, size);
    var answer = model.submit(in(TestRequest.of(id, input), sequence, place)).await();
    assertThat(answer.failure()).isEmpty();
    model.settle();
    var output = Tensors.named(answer.responses().getFirst(), "OUT0");
    return output.data().get(Elements.FLOAT, 0);
  }

  /** Adds 1, 2 and 3 in a sequence. */
  private static void assertSums(GatedModel model, float first, float second, float third) {
    assertThat(add(model, "A0", A, Place.FIRST, 1)).isEqualTo(first);
    assertThat(add(model, "A1", A, Place.MIDDLE, 2)).isEqualTo(second);
    assertThat(add(model, "A2", A, Place.LAST, 3)).isEqualTo(third);
  }

  @RuleCases("SCHED-44")
  @ValueSource(strings = {"direct { }", "oldest { }"})
  void carriesAStateFromEachRequestToTheNext(String strategy) {
    var model = accumulator(strategy);

    assertSums(model, 1, 3, 6);
    assertThat(add(model, "again", A, Place.FIRST, 5)).isEqualTo(5);
  }

  @RuleCases("SCHED-44")
  @ValueSource(strings = {"direct { }", "oldest { }"})
  void keepsTheStateBeforeIfARequestCommitsNone(String strategy) {
    var model = accumulator(strategy);
    model.gate().reply("A1", Reply.ECHO.withoutCommit());

    assertSums(model, 1, 3, 4);
  }

  @RuleCases("SCHED-44")
  @ValueSource(strings = {"direct { }", "oldest { }"})
  void showsTheShapeThatAStateHasGrownTo(String strategy) {
    var model = accumulator(strategy);

    add(model, "A0", A, Place.FIRST, 1);
    add(model, "A1", A, Place.MIDDLE, 2, 5);
    assertThat(add(model, "A2", A, Place.LAST, 3, 5)).isEqualTo(6);

    assertThat(model.executions())
        .flatExtracting(execution -> execution.requests())
        .extracting(request -> request.states().get("SUM_IN"))
        .satisfiesExactly(
            first -> assertThat(first).returns(Shape.of(1, 1), state -> state.shape()),
            second -> assertThat(second).returns(Shape.of(1, 1), state -> state.shape()),
            third -> assertThat(third).returns(Shape.of(1, 5), state -> state.shape()));
  }

  @Rule("SCHED-44")
  void leavesTheStateOfASequenceAloneWhileItsSlotIsFilledUp() {
    var model = accumulator("direct { }");
    add(model, "A0", A, Place.FIRST, 1);
    add(model, "B0", B, Place.FIRST, 10);

    add(model, "C0", C, Place.FIRST, 100);

    assertThat(model.ids().getLast()).isEqualTo(List.of("", "", "C0"));
    assertThat(add(model, "A1", A, Place.LAST, 1)).isEqualTo(2);
    assertThat(add(model, "B1", B, Place.LAST, 5)).isEqualTo(15);
    assertThat(add(model, "C1", C, Place.LAST, 1)).isEqualTo(101);
  }

  @Rule("SCHED-41")
  void startsASequenceAnewInItsSlotIfItIsStartedTwice() {
    var model = accumulator("direct { }");
    add(model, "B0", B, Place.FIRST, 10);
    assertThat(add(model, "A0", A, Place.FIRST, 1)).isEqualTo(1);
    assertThat(add(model, "A1", A, Place.MIDDLE, 2)).isEqualTo(3);

    assertThat(add(model, "again", A, Place.FIRST, 5)).isEqualTo(5);

    var execution = model.executions().getLast();
    assertThat(execution.ids()).containsExactly("", "again");
    assertThat(execution.requests().getLast().controls().orElseThrow().start()).isTrue();
    assertThat(add(model, "last", A, Place.LAST, 2)).isEqualTo(7);
  }
}
