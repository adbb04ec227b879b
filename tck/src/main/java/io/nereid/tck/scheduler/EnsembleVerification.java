package io.nereid.tck.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.request.Parameter;
import io.nereid.request.SequenceId;
import io.nereid.tck.Rule;
import io.nereid.tck.gate.Controls;
import io.nereid.tck.gate.Execution;
import io.nereid.tck.gate.Reply;
import io.nereid.tck.support.Answer;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Ensembles: which steps run, with what, and what becomes of the request when one fails. */
public abstract class EnsembleVerification extends SchedulerVerification {
  private static final String TWO_OUTPUTS =
      """
      input { name: "IN0" data_type: TYPE_FP32 dims: [ 16 ] }
      output { name: "OUT0" data_type: TYPE_FP32 dims: [ 16 ] }
      output { name: "OUT1" data_type: TYPE_FP32 dims: [ 16 ] }
      """;

  private String ensemble;

  /** A step from {@code IN0} to {@code OUT0} of a model. */
  private static String step(String model, String from, String to) {
    return step(model, "\"IN0\" value: \"%s\"".formatted(from), "OUT0", to);
  }

  private static String step(String model, String input, String output, String to) {
    return """
    step {
      model_name: "%s"
      model_version: -1
      input_map { key: %s }
      output_map { key: "%s" value: "%s" }
    }
    """
        .formatted(model, input, output, to);
  }

  private static String steps(String... steps) {
    return "ensemble_scheduling { %s }".formatted(String.join("", steps));
  }

  /** A model that no test holds: its gate is open. */
  private GatedModel loadOpen() {
    GatedModel model = load(8, "");
    model.gate().openAll();
    return model;
  }

  private static String failureOf(TestAnswer answer) {
    return answer.await().failure().orElseThrow().getMessage();
  }

  @BeforeEach
  void nameTheEnsemble() {
    ensemble = freshName();
  }

  private GatedModel loadEnsemble(String config) {
    return loadEnsemble(ensemble, 8, config);
  }

  private void assertRefused(String config, String message) {
    assertThatThrownBy(() -> loadEnsemble(config))
        .isInstanceOfSatisfying(
            InferenceException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(StatusCode.INVALID_ARGUMENT))
        .hasMessageContaining(message);
  }

  @Test
  @Rule("SCHED-46")
  void refusesTensorsThatNobodyWritesOrReads() {
    String a = loadOpen().name();

    assertRefused(
        TWO_OUTPUTS + steps(step(a, "IN0", "OUT0")),
        "ensemble output 'OUT1' for ensemble %s' is not used".formatted(ensemble));
    assertRefused(
        FIXED
            + "input { name: \"IN1\" data_type: TYPE_FP32 dims: [ 16 ] }\n"
            + steps(step(a, "IN0", "OUT0")),
        "ensemble input 'IN1' for ensemble %s' is not used".formatted(ensemble));
    assertRefused(
        steps(step(a, "IN0", "OUT0"), step(a, "IN0", "unread")),
        "ensemble tensor 'unread' is unused in ensemble '%s'".formatted(ensemble));
    assertRefused(
        steps(step(a, "IN0", "OUT0"), step(a, "IN0", "OUT0")),
        "ensemble tensor 'OUT0' can appear in an output map only once for ensemble '%s' step 1"
            .formatted(ensemble));
  }

  @Test
  @Rule("SCHED-46")
  void refusesModelsThatDoNotExistAndItself() {
    assertRefused(
        steps(step("nobody", "IN0", "OUT0")),
        "ensemble %s contains models that are not available or ambiguous: nobody"
            .formatted(ensemble));
    assertRefused(
        steps(step(ensemble, "IN0", "OUT0")),
        "circular dependency between ensembles: %1$s -> ... -> %1$s -> %1$s".formatted(ensemble));
  }

  @Test
  @Rule("SCHED-46")
  void refusesNamesTypesShapesAndBatchSizesThatItsModelsDoNotHave() {
    String small = load(4, "").name();
    String fixed = loadOpen().name();
    String ints =
        load(
                8,
                """
                input { name: "IN0" data_type: TYPE_INT32 dims: [ 16 ] }
                output { name: "OUT0" data_type: TYPE_INT32 dims: [ 16 ] }
                """)
            .name();
    String longer = load(8, FIXED.replace("16", "17")).name();

    assertRefused(
        steps(step(small, "IN0", "OUT0")),
        "ensemble %s allows maximum batch size 8, but it contains model %s which only allows maximum"
            .formatted(ensemble, small));
    assertRefused(
        steps(step(fixed, "\"IN9\" value: \"IN0\"", "OUT0", "OUT0")),
        "in ensemble %s, ensemble tensor IN0 is mapping to non-existing input IN9 in model %s"
            .formatted(ensemble, fixed));
    assertRefused(
        steps(step(fixed, "\"IN0\" value: \"IN0\"", "OUT9", "OUT0")),
        "in ensemble %s, ensemble tensor OUT0 is mapped from non-existing output OUT9 in model %s"
            .formatted(ensemble, fixed));
    assertRefused(
        steps(step(ints, "IN0", "OUT0")),
        "in ensemble %s, ensemble tensor IN0: inconsistent data type: TYPE_FP32 is inferred from"
            .formatted(ensemble));
    assertRefused(
        steps(step(fixed, "IN0", "x"), step(longer, "x", "OUT0")),
        ("in ensemble %s, ensemble tensor x: inconsistent shape: [-1,16] is inferred from model %s"
                + " while [-1,17] is inferred from model %s")
            .formatted(ensemble, fixed, longer));
  }

  @Test
  @Rule("SCHED-46")
  void refusesToBringTogetherWhatDifferentDecoupledModelsSend() {
    String decoupled = load(8, "model_transaction_policy { decoupled: true }").name();
    String join =
        load(8, FIXED + "input { name: \"IN1\" data_type: TYPE_FP32 dims: [ 16 ] }\n").name();

    assertRefused(
        steps(
            step(decoupled, "IN0", "x"),
            """
            step {
              model_name: "%s"
              model_version: -1
              input_map { key: "IN0" value: "x" }
              input_map { key: "IN1" value: "IN0" }
              output_map { key: "OUT0" value: "OUT0" }
            }
            """
                .formatted(join)),
        "receives inputs originated from different decoupled models");
  }

  @Test
  @Rule("SCHED-46")
  void loadsOnceItsModelsDo() {
    String late = freshName();
    String config = steps(step(late, "IN0", "OUT0"));
    assertRefused(config, "contains models that are not available or ambiguous: " + late);

    load(late, 8, "").gate().openAll();
    GatedModel loaded = loadEnsemble(config);

    loaded.assertEchoed(List.of(loaded.submit("r1")));
  }

  @Test
  @Rule("SCHED-47")
  void runsOnlyWhatTheWantedOutputsDependOn() {
    GatedModel head = loadOpen();
    GatedModel left = loadOpen();
    GatedModel right = loadOpen();
    GatedModel diamond =
        loadEnsemble(
            TWO_OUTPUTS
                + steps(
                    step(head.name(), "IN0", "x"),
                    step(left.name(), "x", "OUT0"),
                    step(right.name(), "x", "OUT1")));

    TestAnswer one = diamond.submit(diamond.request("one", 1).wanting("OUT1")).await();

    assertThat(one.failure()).isEmpty();
    assertThat(one.responses().getFirst().tensors()).containsOnlyKeys("OUT1");
    assertThat(head.ids()).containsExactly(List.of("one"));
    assertThat(right.ids()).as("with the client's id").containsExactly(List.of("one"));
    assertThat(left.ids()).isEmpty();
  }

  @Test
  @Rule("SCHED-47")
  void givesItsStepsTheClientsPriority() {
    GatedModel model = load(1, "dynamic_batching { priority_levels: 2 default_priority_level: 2 }");
    GatedModel chain = loadEnsemble(ensemble, 1, steps(step(model.name(), "IN0", "OUT0")));
    model.plug();
    TestAnswer low = chain.submit(chain.request("low", 1).withPriority(2));
    TestAnswer high = chain.submit(chain.request("high", 1).withPriority(1));

    model.gate().openAll();

    chain.assertEchoed(List.of(low, high));
    assertThat(model.ids()).containsExactly(List.of("high"), List.of("low"));
  }

  @Test
  @Rule("SCHED-47")
  void givesItsStepsTheClientsSequence() {
    GatedModel model =
        load(
            1,
            FIXED
                + """
                sequence_batching {
                  control_input {
                    name: "START"
                    control { kind: CONTROL_SEQUENCE_START int32_false_true: [ 0, 1 ] }
                  }
                  control_input {
                    name: "END"
                    control { kind: CONTROL_SEQUENCE_END int32_false_true: [ 0, 1 ] }
                  }
                  control_input {
                    name: "ID"
                    control { kind: CONTROL_SEQUENCE_CORRID data_type: TYPE_UINT64 }
                  }
                }
                """);
    model.gate().openAll();
    GatedModel chain = loadEnsemble(ensemble, 1, steps(step(model.name(), "IN0", "OUT0")));
    var id = new SequenceId.OfNumber(42);

    TestAnswer first = chain.submit(chain.request("first", 1).inSequence(id, true, false)).await();
    TestAnswer last = chain.submit(chain.request("last", 1).inSequence(id, false, true)).await();

    chain.assertEchoed(List.of(first, last));
    assertThat(model.executions())
        .extracting(execution -> execution.requests().getFirst().controls().orElseThrow())
        .extracting(Controls::correlationId, Controls::start, Controls::end)
        .containsExactly(tuple("42", true, false), tuple("42", false, true));
    assertThat(last.responses().getFirst().parameters())
        .containsEntry("sequence_id", new Parameter.OfLong(42))
        .containsEntry("sequence_end", new Parameter.OfBoolean(true));
  }

  @Test
  @Rule("SCHED-47")
  void failsOnceAndOnlyWhenTheStepsUnderWayHaveEnded() {
    GatedModel left = loadOpen();
    GatedModel right = load(8, "");
    GatedModel branches =
        loadEnsemble(
            TWO_OUTPUTS
                + steps(step(left.name(), "IN0", "OUT0"), step(right.name(), "IN0", "OUT1")));
    left.gate().reply("bad", Reply.failure(InferenceException.unavailable("as it was told")));

    TestAnswer bad = branches.submit("bad");
    left.gate().awaitEnded(1);
    right.gate().awaitBegun(1);

    assertThat(bad.isDone()).as("a step is under way").isFalse();
    right.gate().openAll();
    assertThat(failureOf(bad)).isEqualTo("in ensemble '%s', as it was told".formatted(ensemble));
    assertThat(bad.failure().orElseThrow().code()).isEqualTo(StatusCode.UNAVAILABLE);
    assertThat(bad.responses()).isEmpty();
    TestAnswer next = branches.submit("next").await();
    assertThat(next.failure()).isEmpty();
    assertThat(next.responses()).hasSize(1);
  }

  @Test
  @Rule("SCHED-48")
  void itsRequestsMeetThoseOfOthersInABatch() {
    GatedModel model = load(8, "dynamic_batching { }");
    GatedModel chain = loadEnsemble(steps(step(model.name(), "IN0", "OUT0")));
    model.plug();
    TestAnswer first = chain.submit("first");
    TestAnswer second = chain.submit("second");
    TestAnswer direct = model.submit("direct");

    model.gate().openAll();

    chain.assertEchoed(List.of(first, second));
    model.assertEchoed(List.of(direct));
    assertThat(model.ids()).containsExactly(List.of("first", "second", "direct"));
  }

  /** An ensemble whose first step sends four responses, of which the second step runs one. */
  private GatedModel limited(GatedModel many, GatedModel each) {
    many.gate().openAll();
    many.gate().reply("four", Reply.responses(4));
    return loadEnsemble(
        "ensemble_scheduling { max_inflight_requests: 1 %s %s }"
            .formatted(step(many.name(), "IN0", "x"), step(each.name(), "x", "OUT0")));
  }

  @Test
  @Rule("SCHED-48")
  void aLimitHoldsStepsBackAndResponsesKeepTheirOrder() {
    GatedModel many = load(8, "model_transaction_policy { decoupled: true }");
    GatedModel each = load(8, TWO_INSTANCES);
    GatedModel limited = limited(many, each);

    TestAnswer four = limited.submit("four");

    many.gate().awaitEnded(1);
    for (int i = 1; i <= 4; i++) {
      each.gate().awaitBegun(i);
      assertThat(each.gate().running()).as("on two instances").hasSize(1);
      each.gate().open(1);
      each.gate().awaitEnded(i);
    }
    four.await();
    assertThat(four.failure()).isEmpty();
    assertThat(four.responses()).extracting(Answer.Outputs::tensors).hasSize(4);
  }

  @Test
  @Rule("SCHED-48")
  void aCancelledRequestIsAnsweredSoAndHoldsUpNobody() {
    GatedModel many = load(8, "model_transaction_policy { decoupled: true }");
    GatedModel each = load(8, TWO_INSTANCES);
    GatedModel limited = limited(many, each);
    TestAnswer four = limited.submit("four");
    Execution begun = each.gate().awaitBegun(1).getFirst();

    four.cancel();

    assertThat(four.await().failure().orElseThrow().code()).isEqualTo(StatusCode.CANCELLED);
    TestAnswer later = limited.submit("later");
    each.gate().openAll();
    limited.assertEchoed(List.of(later));
    assertThat(each.ids()).containsExactly(begun.ids(), List.of("later"));
  }
}
