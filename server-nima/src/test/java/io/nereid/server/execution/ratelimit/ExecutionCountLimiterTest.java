package io.nereid.server.execution.ratelimit;

import static io.nereid.server.execution.ratelimit.Samples.instance;
import static io.nereid.server.execution.ratelimit.Samples.limit;
import static io.nereid.server.execution.ratelimit.Samples.local;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.nereid.error.InferenceException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ExecutionCountLimiterTest {
  private final ExecutionCountLimiter limiter = new ExecutionCountLimiter(List.of());
  private final List<String> allocated = new ArrayList<>();

  /** Registers an instance of priority 1 that needs {@code count} of R. */
  private RankedPermit register(String name, long count) {
    return register(name, count, 1);
  }

  private RankedPermit register(String name, long count, long priority) {
    return limiter.register(instance(0, priority, local("R", count)), () -> allocated.add(name));
  }

  /** Stages and releases an instance {@code times} times, while no other is staged. */
  private static void execute(RankedPermit instance, int times) {
    for (int i = 0; i < times; i++) {
      instance.stage();
      instance.release(false);
    }
  }

  @Test
  void allocatesStagedInstancesWhileResourcesSuffice() {
    register("all", 4);
    RankedPermit a = register("a", 2);
    RankedPermit b = register("b", 2);

    a.stage();
    b.stage();

    assertThat(allocated).containsExactly("a", "b");
    assertThat(a.isAllocated()).isTrue();
    assertThat(b.isAllocated()).isTrue();
  }

  @Test
  void neverAllocatesMoreThanThereIs() {
    RankedPermit a = register("a", 4);
    RankedPermit b = register("b", 2);
    a.stage();
    b.stage();
    assertThat(allocated).containsExactly("a");

    a.release(false);

    assertThat(allocated).containsExactly("a", "b");
    assertThat(a.isAllocated()).isFalse();
  }

  @Test
  void allocatesTheLeastProductOfExecutionsAndPriorityFirst() {
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
    allocated.clear();

    running.release(false);
    seldom.release(false);
    dear.release(false);

    assertThat(allocated).containsExactly("3 x 1", "2 x 2", "5 x 1");
  }

  @Test
  void allocatesEqualScoresInTheOrderOfStaging() {
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

    assertThat(allocated).containsExactly("running", "b", "c", "a");
  }

  @Test
  void treatsPriorityZeroAsOne() {
    RankedPermit running = register("running", 1);
    RankedPermit zero = register("zero", 1, 0);
    RankedPermit one = register("one", 1, 1);
    execute(zero, 2);
    execute(one, 1);
    running.stage();
    zero.stage();
    one.stage();
    allocated.clear();

    running.release(false);

    assertThat(allocated).containsExactly("one");
  }

  @Test
  void comparesScoresThatExceedALong() {
    RankedPermit running = register("running", 1);
    RankedPermit dearest = register("dearest", 1, 4_294_967_295L);
    dearest.executions = (1L << 31) + 1; // times its priority, it is above the largest long
    RankedPermit other = register("other", 1, 1);
    execute(other, 1);
    running.stage();
    dearest.stage();
    other.stage();
    allocated.clear();

    running.release(false);

    assertThat(allocated).containsExactly("other");
  }

  @Test
  void keepsAllWaitingBehindAnInstanceThatNeedsMore() {
    RankedPermit one = register("one", 1);
    RankedPermit three = register("three", 3);
    RankedPermit small = register("small", 1);
    execute(small, 1);
    allocated.clear();
    one.stage();

    three.stage();
    small.stage();
    assertThat(allocated).containsExactly("one");

    one.release(false);
    assertThat(allocated).containsExactly("one", "three");
    three.release(false);
    assertThat(allocated).containsExactly("one", "three", "small");
  }

  @Test
  void allocatesAsManyAsFitAfterARelease() {
    RankedPermit all = register("all", 4);
    RankedPermit a = register("a", 2);
    RankedPermit b = register("b", 2);
    RankedPermit c = register("c", 2);
    all.stage();
    a.stage();
    b.stage();
    c.stage();

    all.release(false);

    assertThat(allocated).containsExactly("all", "a", "b");
  }

  @Test
  void anInstanceStagedAgainCompetesForWhatItReleases() {
    RankedPermit cheap = register("cheap", 1, 1);
    RankedPermit dear = register("dear", 1, 3);
    execute(dear, 1);
    allocated.clear();
    cheap.stage();
    dear.stage();

    for (int i = 0; i < 7; i++) {
      (cheap.isAllocated() ? cheap : dear).release(true);
    }

    // Scores: dear has 3, then 6; equal scores go by the order of staging.
    assertThat(allocated)
        .containsExactly("cheap", "cheap", "cheap", "dear", "cheap", "cheap", "cheap", "dear");
  }

  @Test
  void doesNotCountAnUnusedAllocationAsAnExecution() {
    RankedPermit running = register("running", 1);
    RankedPermit idle = register("idle", 1);
    RankedPermit other = register("other", 1);
    execute(other, 1);
    for (int i = 0; i < 3; i++) {
      idle.stage();
      idle.releaseUnused();
    }
    running.stage();
    other.stage();
    idle.stage();
    allocated.clear();

    running.releaseUnused();

    assertThat(allocated).containsExactly("idle");
  }

  @Test
  void stagesOnlyAvailableInstances() {
    RankedPermit a = register("a", 1);
    RankedPermit b = register("b", 1);
    a.stage();
    a.stage();
    b.stage();
    b.stage();
    a.release(false);
    b.release(false);

    assertThat(allocated).containsExactly("a", "b");
    assertThat(a.isAllocated()).isFalse();
    assertThat(b.isAllocated()).isFalse();
  }

  @Test
  void allocatesMoreOnceALargerDemandIsRegistered() {
    RankedPermit a = register("a", 2);
    RankedPermit b = register("b", 2);
    a.stage();
    b.stage();
    assertThat(allocated).containsExactly("a");

    register("more", 4);

    assertThat(allocated).containsExactly("a", "b");
  }

  @Test
  void releasesTheResourcesOfAnAllocatedInstanceThatIsClosed() {
    RankedPermit a = register("a", 1);
    RankedPermit b = register("b", 1);
    a.stage();
    b.stage();

    a.close();

    assertThat(allocated).containsExactly("a", "b");
  }

  @Test
  void allocatesTheNextInstanceWhenAStagedOneIsClosed() {
    RankedPermit one = register("one", 1);
    RankedPermit three = register("three", 2);
    RankedPermit small = register("small", 1);
    register("most", 2);
    one.stage();
    three.stage();
    small.stage();
    assertThat(allocated).containsExactly("one");

    three.close();

    assertThat(allocated).containsExactly("one", "small");
  }

  @Test
  void leavesNoTraceOfARejectedInstance() {
    var explicit = new ExecutionCountLimiter(List.of(limit("R", 2)));
    RankedPermit a = explicit.register(instance(0, 1, local("R", 2)), () -> allocated.add("a"));

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> explicit.register(instance(0, 1, local("R", 3)), () -> {}));

    a.stage();
    a.release(true);
    assertThat(allocated).containsExactly("a", "a");
  }

  @Test
  void failsToReleaseAnInstanceThatIsNotAllocated() {
    RankedPermit a = register("a", 1);

    assertThatIllegalStateException().isThrownBy(a::releaseUnused);
    assertThatIllegalStateException().isThrownBy(() -> a.release(true));
    a.close();
    assertThatIllegalStateException().isThrownBy(a::close);
    a.stage();
    assertThat(allocated).isEmpty();
  }
}
