package io.nereid.engine.scheduling.ensemble;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.call.CalledModel;
import io.nereid.engine.request.Ticket;
import io.nereid.engine.scheduling.ensemble.EnsembleFixture.Sent;
import io.nereid.engine.scheduling.ensemble.graph.EnsembleGraph.ModelReference;
import io.nereid.engine.scheduling.policy.WaitLimit;
import io.nereid.engine.telemetry.statistics.TestStatistics;
import io.nereid.engine.testing.Faults;
import io.nereid.request.ModelKey;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Requests of an ensemble of which each call of a step's model fails in turn for lack of memory or
 * stack.
 */
class ThrowingStepsTest {
  private static final List<String> MODELS = List.of("head", "l", "r");

  private final Faults faults = new Faults();

  static Stream<Supplier<Error>> errors() {
    return Stream.of(OutOfMemoryError::new, StackOverflowError::new);
  }

  @ParameterizedTest
  @MethodSource("errors")
  void eachRequestEndsAndNothingIsLeft(Supplier<Error> error) {
    eachRequestEnds(EnsembleFixture.diamond(), error);
    eachRequestEnds(EnsembleFixture.diamond().maxInflightRequests(1), error);
  }

  private void eachRequestEnds(EnsembleFixture fixture, Supplier<Error> error) {
    EnsembleScheduler scheduler = scheduler(fixture);
    int n = 1;
    boolean reached = true;
    while (reached) {
      faults.arm("model", n, error);
      Sent first = fixture.send(scheduler);
      Sent second = fixture.send(scheduler);
      answerAll(fixture);
      first.outcome().awaitAndClose();
      second.outcome().awaitAndClose();
      reached = faults.disarm();

      assertThat(first.outcome().calls()).as("outcomes, %d", n).isEqualTo(1);
      assertThat(second.outcome().calls()).as("outcomes, %d", n).isEqualTo(1);
      fixture.assertNothingIsLeft();

      Sent next = fixture.send(scheduler);
      answerAll(fixture);
      assertThat(next.output("left")).containsExactly(7);
      fixture.assertNothingIsLeft();
      n++;
    }
    assertThat(n).isGreaterThan(10);
  }

  private EnsembleScheduler scheduler(EnsembleFixture fixture) {
    Map<ModelReference, CalledModel> models = new HashMap<>();
    for (ModelReference reference : fixture.graph().models()) {
      CalledModel model = fixture.model(reference.name());
      models.put(
          reference,
          faults.at("model", CalledModel.class, model, Set.of("config", "key", "enter")));
    }
    return new EnsembleScheduler(
        fixture.config(),
        fixture.settings(),
        models,
        fixture.clock(),
        TestStatistics.of(new ModelKey("e", 1)).addInstance(),
        new WaitLimit(Ticket.NEVER));
  }

  private static void answerAll(EnsembleFixture fixture) {
    while (MODELS.stream().anyMatch(name -> fixture.model(name).held() > 0)) {
      for (String name : MODELS) {
        if (fixture.model(name).held() > 0) {
          fixture.model(name).answer(7);
        }
      }
    }
  }
}
