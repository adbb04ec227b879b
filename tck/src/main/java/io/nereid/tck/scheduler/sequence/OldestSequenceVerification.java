package io.nereid.tck.scheduler.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tck.Rule;
import io.nereid.tck.gate.Reply;
import io.nereid.tck.scheduler.GatedModel;
import io.nereid.tck.scheduler.TestResponse;
import java.util.List;

/** Sequences that share batches, one request of each at a time. */
public abstract class OldestSequenceVerification extends SequenceSchedulerVerification {
  private static final String FOUR =
      sequences(
          "oldest { max_candidate_sequences: 4 preferred_batch_size: [ 4 ]" + WITH_DELAY + "}",
          PATIENT);

  private static TestResponse submitAll(GatedModel model) {
    var first = submit(model, "A0", 1, Place.FIRST);
    submit(model, "A1", 1, Place.MIDDLE);
    submit(model, "A2", 1, Place.LAST);
    submit(model, "B0", 2, Place.FIRST);
    submit(model, "C0", 3, Place.FIRST);
    model.settle();
    assertThat(model.ids()).isEmpty();
    submit(model, "D0", 4, Place.FIRST);
    model.settle();
    return first;
  }

  @Rule("SCHED-43")
  void runsOneRequestOfASequenceAtATime() {
    var model = load(4, FOUR);
    model.gate().openAll();

    submitAll(model);

    assertThat(model.ids()).containsExactly(List.of("A0", "B0", "C0", "D0"));
    model.advance(DELAY.plus(MOMENT));
    model.advance(DELAY.plus(MOMENT)); // A2's delay may begin with A1's end
    assertThat(model.ids())
        .containsExactly(List.of("A0", "B0", "C0", "D0"), List.of("A1"), List.of("A2"));
    assertThat(model.executions())
        .flatExtracting(execution -> execution.requests())
        .allMatch(request -> request.controls().orElseThrow().ready());
    model.assertEchoed(model.answers());
  }

  @Rule("SCHED-43")
  void startsTheNextRequestOfASequenceOnceTheOneBeforeIsLetGo() {
    var model = load(4, FOUR);
    model.gate().openAll();
    model.gate().reply("A0", Reply.ECHO.thenHeld());

    var answered = submitAll(model);

    answered.await();
    model.advance(DELAY.multipliedBy(3));
    assertThat(model.ids()).containsExactly(List.of("A0", "B0", "C0", "D0"));
    model.gate().release("A0");
    model.settle();
    model.advance(DELAY.plus(MOMENT));
    assertThat(model.ids()).hasSizeGreaterThan(1);
    assertThat(model.ids().get(1)).containsExactly("A1");
  }
}
