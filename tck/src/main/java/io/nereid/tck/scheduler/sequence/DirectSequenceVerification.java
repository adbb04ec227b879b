package io.nereid.tck.scheduler.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.error.StatusCode;
import io.nereid.tck.Rule;
import io.nereid.tck.RuleCases;
import io.nereid.tck.gate.ExecutedRequest;
import io.nereid.tck.scheduler.GatedModel;
import io.nereid.tck.scheduler.TestResponse;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.params.provider.CsvSource;

/** Sequences that have a row of their own for as long as they live. */
public abstract class DirectSequenceVerification extends SequenceSchedulerVerification {
  private static final Duration NOTICE = Duration.ofMillis(500);
  private static final long A = 1;
  private static final long B = 2;
  private static final long C = 3;
  private static final long D = 4;

  @Rule("SCHED-37")
  void keepsEachSequenceInItsSlotAndFillsUpTheOthers() {
    var model = load(4, sequences("direct { }", PATIENT));
    block(model);
    submit(model, "A0", A, Place.FIRST);
    submit(model, "B0", B, Place.ONLY);
    submit(model, "C0", C, Place.FIRST);
    submit(model, "D0", D, Place.ONLY);
    submit(model, "A1", A, Place.MIDDLE);
    submit(model, "A2", A, Place.LAST);
    submit(model, "C1", C, Place.MIDDLE);
    submit(model, "C2", C, Place.LAST);

    model.open();

    assertThat(model.ids())
        .containsExactly(
            List.of("A0", "B0", "C0", "D0"), List.of("A1", "", "C1"), List.of("A2", "", "C2"));
    assertThat(model.executions())
        .extracting(each -> each.paddingRows())
        .containsExactly(0L, 1L, 1L);
    assertThat(controls(model))
        .containsExactly(
            List.of("start 1", "start end 2", "start 3", "start end 4"),
            List.of("1", "not ready", "3"),
            List.of("end 1", "not ready", "end 3"));
    model.assertEchoed(model.answers());
  }

  private static List<List<String>> controls(GatedModel model) {
    return model.executions().stream()
        .map(execution -> execution.requests().stream().map(request -> text(request)).toList())
        .toList();
  }

  private static String text(ExecutedRequest request) {
    var controls = request.controls().orElseThrow();
    if (!controls.ready()) {
      assertThat(controls.start() || controls.end()).isFalse();
      assertThat(controls.correlationId()).isEqualTo("0");
      return "not ready";
    }
    return (controls.start() ? "start " : "")
        + (controls.end() ? "end " : "")
        + controls.correlationId();
  }

  @Rule("SCHED-38")
  void givesAFreeSlotToTheSequenceThatHasWaitedLongest() {
    var model = twoSlotsTaken("");
    submit(model, "C0", C, Place.FIRST);
    submit(model, "D0", D, Place.FIRST);
    submit(model, "C1", C, Place.MIDDLE);
    model.settle();
    assertThat(model.ids()).hasSize(2);

    submit(model, "B1", B, Place.LAST);
    model.settle();

    assertThat(model.ids().stream().skip(2))
        .containsExactly(List.of("", "B1"), List.of("", "C0"), List.of("", "C1"));
    submit(model, "C2", C, Place.LAST);
    model.settle();
    assertThat(model.ids().stream().skip(5)).containsExactly(List.of("", "C2"), List.of("", "D0"));
  }

  /** A model of two slots, taken by the sequences A and B, with its gate open. */
  private GatedModel twoSlotsTaken(String timeout) {
    var model = load(2, sequences("direct { }", PATIENT));
    model.gate().openAll();
    for (long sequence : new long[] {A, B}) {
      var request = in(model.request(sequence == A ? "A0" : "B0", 1), sequence, Place.FIRST);
      model.submit(timeout.isEmpty() ? request : request.withTimeout(Duration.parse(timeout)));
      model.settle();
    }
    return model;
  }

  @Rule("SCHED-39")
  void rejectsAWaitingSequenceAsAWholeOnceItTimedOut() {
    var model = twoSlotsTaken("PT3S");
    var timeout = Duration.ofSeconds(3);
    var first = model.submit(in(model.request("C0", 1), C, Place.FIRST).withTimeout(timeout));
    var second = submit(model, "C1", C, Place.MIDDLE);

    model.advance(timeout.minus(MOMENT));
    assertThat(List.of(first, second)).noneMatch(TestResponse::isDone);
    model.advance(MOMENT.multipliedBy(2).plus(NOTICE));

    for (TestResponse rejected : List.of(first, second)) {
      assertFailed(
          rejected,
          StatusCode.UNAVAILABLE,
          "timeout of the corresponding sequence has been expired");
    }
    var late = submit(model, "C2", C, Place.MIDDLE);
    model.settle();
    assertNeedsStart(model, late, C);
    model.assertEchoed(
        List.of(submit(model, "A1", A, Place.LAST), submit(model, "B1", B, Place.LAST)));
  }

  @Rule("SCHED-40")
  void takesTheSlotFromASequenceThatSendsNothing() {
    var model = load(1, sequences("direct { }", "max_sequence_idle_microseconds: 1000000"));
    model.gate().openAll();
    submit(model, "A0", A, Place.FIRST);
    model.settle();
    var waiting = submit(model, "B0", B, Place.ONLY);

    model.advance(Duration.ofSeconds(1).minus(MOMENT));
    assertThat(waiting.isDone()).isFalse();
    model.advance(MOMENT.multipliedBy(2).plus(NOTICE));

    model.assertEchoed(List.of(waiting));
    var late = submit(model, "A1", A, Place.MIDDLE);
    model.settle();
    assertNeedsStart(model, late, A);
  }

  @Rule("SCHED-40")
  void runsWhatASequenceHasSentHoweverLongThatWaits() {
    var model = load(1, sequences("direct { }", "max_sequence_idle_microseconds: 1000000"));
    var first = submit(model, "A0", A, Place.FIRST);
    model.gate().awaitBegun(1);
    var second = submit(model, "A1", A, Place.MIDDLE);
    var third = submit(model, "A2", A, Place.MIDDLE);
    model.advance(Duration.ofSeconds(5));

    model.open();

    model.assertEchoed(List.of(first, second, third));
    assertThat(model.ids()).containsExactly(List.of("A0"), List.of("A1"), List.of("A2"));
  }

  @Rule("SCHED-42")
  void waitsUntilEnoughSlotsAreReadyOrTheDelayIsOver() {
    var model =
        load(4, sequences("direct {" + WITH_DELAY + "minimum_slot_utilization: 0.5 }", PATIENT));
    model.gate().openAll();
    submit(model, "A0", A, Place.FIRST);
    advancePast(DELAY, model, () -> assertThat(model.ids()).isEmpty());
    assertThat(model.ids()).containsExactly(List.of("A0"));

    submit(model, "A1", A, Place.MIDDLE);
    model.settle();
    assertThat(model.ids()).hasSize(1);
    submit(model, "B0", B, Place.FIRST);
    model.settle();

    assertThat(model.ids()).containsExactly(List.of("A0"), List.of("A1", "B0"));
  }

  @RuleCases("SCHED-42")
  @CsvSource({"0, 0.5", "10000000, 0"})
  void doesNotWaitWithoutDelayOrUtilization(long delay, String utilization) {
    var strategy =
        "direct { max_queue_delay_microseconds: %d minimum_slot_utilization: %s }"
            .formatted(delay, utilization);
    var model = load(4, sequences(strategy, PATIENT));

    submit(model, "A0", A, Place.FIRST);
    model.settle();

    assertThat(model.ids()).containsExactly(List.of("A0"));
  }
}
