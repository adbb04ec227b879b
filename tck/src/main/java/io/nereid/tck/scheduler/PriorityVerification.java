package io.nereid.tck.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tck.Rule;
import java.util.List;

/** Requests that go before others. */
public abstract class PriorityVerification extends SchedulerVerification {
  private static final String TWO_LEVELS =
      "dynamic_batching { priority_levels: 2 default_priority_level: 2 }";

  private static void submit(GatedModel model, String id, long priority) {
    model.submit(model.request(id, 1).withPriority(priority));
  }

  @Rule("SCHED-10")
  void servesARequestWithAnUnknownPriorityAtTheDefaultLevel() {
    var model = load(1, "dynamic_batching { priority_levels: 3 default_priority_level: 2 }");
    model.block();
    submit(model, "third", 3);
    submit(model, "ninth", 9);
    submit(model, "none", 0);
    submit(model, "second", 2);
    submit(model, "first", 1);

    model.open();

    assertThat(model.ids().stream().map(List::getFirst))
        .containsExactly("first", "ninth", "none", "second", "third");
  }

  @Rule("SCHED-31")
  void runsTheHighestLevelFirstAndEachInOrder() {
    var model = load(1, TWO_LEVELS);
    submitBehindAPlug(model);

    model.open();

    assertThat(model.ids())
        .containsExactly(List.of("1a"), List.of("1b"), List.of("2a"), List.of("2b"));
  }

  @Rule("SCHED-31")
  void mergesLevelsTheHighestFirst() {
    var model = load(4, TWO_LEVELS);
    submitBehindAPlug(model);

    model.open();

    assertThat(model.ids()).containsExactly(List.of("1a", "1b", "2a", "2b"));
  }

  private static void submitBehindAPlug(GatedModel model) {
    model.block();
    submit(model, "2a", 2);
    submit(model, "2b", 2);
    submit(model, "1a", 1);
    submit(model, "1b", 1);
  }
}
