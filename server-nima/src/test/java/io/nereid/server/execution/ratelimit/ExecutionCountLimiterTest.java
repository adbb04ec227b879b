package io.nereid.server.execution.ratelimit;

import static io.nereid.server.execution.ratelimit.Limited.instance;
import static io.nereid.server.execution.ratelimit.Limited.limit;
import static io.nereid.server.execution.ratelimit.Limited.local;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.nereid.error.InferenceException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ExecutionCountLimiterTest {
  private final ExecutionCountLimiter limiter = new ExecutionCountLimiter(List.of());
  private final List<String> granted = new ArrayList<>();

  /** An instance of priority 1 that asks for so much of R. */
  private RankedPermit register(String name, long count) {
    return register(name, count, 1);
  }

  private RankedPermit register(String name, long count, long priority) {
    return limiter.register(instance(0, priority, local("R", count)), () -> granted.add(name));
  }

  /** Has an instance execute so often, while nobody else wants to. */
  private static void execute(RankedPermit instance, int times) {
    for (int i = 0; i < times; i++) {
      instance.stage();
      instance.release(false);
    }
  }

  @Test
  void whoeverIsStagedRunsAtOnceWhileThereIsEnough() {
    register("all", 4);
    RankedPermit a = register("a", 2);
    RankedPermit b = register("b", 2);

    a.stage();
    b.stage();

    assertThat(granted).containsExactly("a", "b");
    assertThat(a.isGranted()).isTrue();
    assertThat(b.isGranted()).isTrue();
  }

  @Test
  void instancesThatTogetherAskForMoreThanThereIsNeverRunAtOnce() {
    RankedPermit a = register("a", 4);
    RankedPermit b = register("b", 2);
    a.stage();
    b.stage();
    assertThat(granted).containsExactly("a");

    a.release(false);

    assertThat(granted).containsExactly("a", "b");
    assertThat(a.isGranted()).isFalse();
  }

  @Test
  void ofThoseThatWaitTheOneWithTheLeastExecutionsByPriorityIsFirst() {
    RankedPermit running = register("running", 1);
    RankedPermit often = register("5 x 1", 1);
    RankedPermit dear = register("2 x 2", 1, 2);
    RankedPermit seldom = register("3 x 1", 1);
    execute(often, 5);
    execute(dear, 2);
    execute(seldom, 3);
    running.stage();
    often.stage();
    dear.stage();
    seldom.stage();
    granted.clear();

    running.release(false);
    seldom.release(false);
    dear.release(false);

    assertThat(granted).containsExactly("3 x 1", "2 x 2", "5 x 1");
  }

  @Test
  void ofEqualsTheOneThatWaitsLongestIsFirst() {
    RankedPermit running = register("running", 1);
    RankedPermit a = register("a", 1);
    RankedPermit b = register("b", 1, 5);
    RankedPermit c = register("c", 1, 0);
    running.stage();
    b.stage();
    c.stage();
    a.stage();

    running.release(false);
    b.release(false);
    c.release(false);

    assertThat(granted).containsExactly("running", "b", "c", "a");
  }

  @Test
  void priorityZeroCountsAsOne() {
    RankedPermit running = register("running", 1);
    RankedPermit zero = register("zero", 1, 0);
    RankedPermit one = register("one", 1, 1);
    execute(zero, 2);
    execute(one, 1);
    running.stage();
    zero.stage();
    one.stage();
    granted.clear();

    running.release(false);

    assertThat(granted).containsExactly("one");
  }

  @Test
  void aProductThatNoLongHoldsIsLarge() {
    RankedPermit running = register("running", 1);
    RankedPermit dearest = register("dearest", 1, 4_294_967_295L);
    dearest.executions = (1L << 31) + 1; // times its priority, it is above the largest long
    RankedPermit other = register("other", 1, 1);
    execute(other, 1);
    running.stage();
    dearest.stage();
    other.stage();
    granted.clear();

    running.release(false);

    assertThat(granted).containsExactly("other");
  }

  @Test
  void whoComesBehindTheFirstInLineWaitsThoughThereIsEnoughForIt() {
    RankedPermit one = register("one", 1);
    RankedPermit three = register("three", 3);
    RankedPermit small = register("small", 1);
    execute(small, 1);
    granted.clear();
    one.stage();

    three.stage();
    small.stage();
    assertThat(granted).containsExactly("one");

    one.release(false);
    assertThat(granted).containsExactly("one", "three");
    three.release(false);
    assertThat(granted).containsExactly("one", "three", "small");
  }

  @Test
  void oneThatComesBackLetsAllRunThatThereIsEnoughForNow() {
    RankedPermit all = register("all", 4);
    RankedPermit a = register("a", 2);
    RankedPermit b = register("b", 2);
    RankedPermit c = register("c", 2);
    all.stage();
    a.stage();
    b.stage();
    c.stage();

    all.release(false);

    assertThat(granted).containsExactly("all", "a", "b");
  }

  @Test
  void whoWantsAgainCompetesBeforeWhatItHeldGoesToOthers() {
    RankedPermit cheap = register("cheap", 1, 1);
    RankedPermit dear = register("dear", 1, 3);
    execute(dear, 1);
    granted.clear();
    cheap.stage();
    dear.stage();

    for (int i = 0; i < 7; i++) {
      (cheap.isGranted() ? cheap : dear).release(true);
    }

    // Scores: dear has 3, then 6; of equals who came first is first.
    assertThat(granted)
        .containsExactly("cheap", "cheap", "cheap", "dear", "cheap", "cheap", "cheap", "dear");
  }

  @Test
  void whatIsGivenBackCountsAsNoExecution() {
    RankedPermit running = register("running", 1);
    RankedPermit idle = register("idle", 1);
    RankedPermit other = register("other", 1);
    execute(other, 1);
    for (int i = 0; i < 3; i++) {
      idle.stage();
      idle.giveBack();
    }
    running.stage();
    other.stage();
    idle.stage();
    granted.clear();

    running.giveBack();

    assertThat(granted).containsExactly("idle");
  }

  @Test
  void whoIsStagedOrRunsIsNotStagedAgain() {
    RankedPermit a = register("a", 1);
    RankedPermit b = register("b", 1);
    a.stage();
    a.stage();
    b.stage();
    b.stage();
    a.release(false);
    b.release(false);

    assertThat(granted).containsExactly("a", "b");
    assertThat(a.isGranted()).isFalse();
    assertThat(b.isGranted()).isFalse();
  }

  @Test
  void oneMoreInstanceThatAsksForMoreLetsTheOthersRunOn() {
    RankedPermit a = register("a", 2);
    RankedPermit b = register("b", 2);
    a.stage();
    b.stage();
    assertThat(granted).containsExactly("a");

    register("more", 4);

    assertThat(granted).containsExactly("a", "b");
  }

  @Test
  void anInstanceThatGoesWhileItRunsGivesBackWhatItHeld() {
    RankedPermit a = register("a", 1);
    RankedPermit b = register("b", 1);
    a.stage();
    b.stage();

    a.close();

    assertThat(granted).containsExactly("a", "b");
  }

  @Test
  void anInstanceThatGoesFromTheLineLetsTheNextOneRun() {
    RankedPermit one = register("one", 1);
    RankedPermit three = register("three", 2);
    RankedPermit small = register("small", 1);
    register("most", 2);
    one.stage();
    three.stage();
    small.stage();
    assertThat(granted).containsExactly("one");

    three.close();

    assertThat(granted).containsExactly("one", "small");
  }

  @Test
  void oneThatIsRefusedLeavesNothingBehind() {
    var explicit = new ExecutionCountLimiter(List.of(limit("R", 2)));
    RankedPermit a = explicit.register(instance(0, 1, local("R", 2)), () -> granted.add("a"));

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> explicit.register(instance(0, 1, local("R", 3)), () -> {}));

    a.stage();
    a.release(true);
    assertThat(granted).containsExactly("a", "a");
  }

  @Test
  void onlyATurnThatWasGrantedIsGivenBack() {
    RankedPermit a = register("a", 1);

    assertThatIllegalStateException().isThrownBy(a::giveBack);
    assertThatIllegalStateException().isThrownBy(() -> a.release(true));
    a.close();
    assertThatIllegalStateException().isThrownBy(a::close);
    a.stage();
    assertThat(granted).isEmpty();
  }
}
