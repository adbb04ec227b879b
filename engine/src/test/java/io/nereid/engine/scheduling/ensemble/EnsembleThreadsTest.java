package io.nereid.engine.scheduling.ensemble;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.scheduling.ensemble.EnsembleFixture.Sent;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Steps that respond on their own threads while clients cancel requests. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class EnsembleThreadsTest {
  private static final int REQUESTS = 2_000;
  private static final int BRANCHES = 4;

  private static EnsembleFixture branches() {
    var fixture = new EnsembleFixture("in", "out").maxInflightRequests(2);
    var joined = new StringBuilder();
    for (int i = 0; i < BRANCHES; i++) {
      fixture.step("branch" + i, "I=in", "O=t" + i);
      joined.append("I%d=t%d ".formatted(i, i));
    }
    return fixture.step("join", joined.toString().strip(), "O=out");
  }

  @Test
  void everyRequestEndsOnceAndNothingIsLeft() throws InterruptedException {
    EnsembleFixture fixture = branches();
    EnsembleScheduler scheduler = fixture.scheduler();
    List<Sent> requests = new ArrayList<>();
    try (ExecutorService instances = Executors.newFixedThreadPool(BRANCHES)) {
      for (int i = 0; i < BRANCHES; i++) {
        fixture.model("branch" + i).answerOn(instances);
      }
      fixture.model("join").answerOn(instances);
      var random = new Random(1);
      for (int i = 0; i < REQUESTS; i++) {
        Sent sent = fixture.send(scheduler);
        requests.add(sent);
        if (random.nextInt(4) == 0) {
          sent.promise().cancel();
        }
      }
      requests.forEach(sent -> sent.outcome().awaitAndClose());
    }

    for (Sent sent : requests) {
      assertThat(sent.outcome().calls()).isEqualTo(1);
    }
    fixture.assertNothingIsLeft();
  }
}
