package io.nereid.tck.scheduler.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.error.StatusCode;
import io.nereid.tck.RuleCases;
import java.util.List;
import org.junit.jupiter.params.provider.ValueSource;

/** Which requests a sequence batcher rejects. */
public abstract class SequenceEntryVerification extends SequenceSchedulerVerification {
  @RuleCases("SCHED-36")
  @ValueSource(strings = {"direct { }", "oldest { }"})
  void rejectsRequestsWithoutASequenceAndDisturbsNoOther(String strategy) {
    var model = load(4, sequences(strategy, PATIENT));
    model.gate().openAll();
    var first = submit(model, "first", 7, Place.FIRST);
    submit(model, "only", 8, Place.ONLY);
    model.settle();

    var without = model.submit(model.request("without", 1));
    var two = model.submit(in(model.request("two", 2), 7, Place.MIDDLE));
    var unknown = submit(model, "unknown", 9, Place.MIDDLE);
    var after = submit(model, "after", 8, Place.MIDDLE);
    model.settle();

    assertFailed(
        without,
        StatusCode.INVALID_ARGUMENT,
        "inference request to model '%s' must specify a non-zero or non-empty correlation ID"
            .formatted(model.name()));
    assertFailed(
        two,
        StatusCode.INVALID_ARGUMENT,
        ("inference request to model '%s' must specify batch-size 1 due to requirements of"
                + " sequence batcher")
            .formatted(model.name()));
    assertNeedsStart(model, unknown, 9);
    assertNeedsStart(model, after, 8);
    var last = submit(model, "last", 7, Place.LAST);
    model.assertEchoed(List.of(first, last));
    assertThat(model.ids())
        .flatMap(ids -> ids)
        .doesNotContain("without", "two", "unknown", "after");
  }
}
