package io.nereid.engine.execution.ratelimit;

import static io.nereid.engine.execution.ratelimit.Samples.instance;
import static io.nereid.engine.execution.ratelimit.Samples.limit;
import static io.nereid.engine.execution.ratelimit.Samples.local;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.nereid.engine.execution.ratelimit.ExecutionCountLimiter.Permit;
import io.nereid.error.InferenceException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ExecutionCountLimiterTest {
  private final ExecutionCountLimiter limiter = new ExecutionCountLimiter(List.of());
  private final List<String> allocated = new ArrayList<>();

  /** Registers an instance of priority 1 that needs {@code count} of R. */
  private Permit register(String name, long count) {
    return register(name, count, 1);
  }

  private Permit register(String name, long count, long priority) {
    return limiter.register(instance(0, priority, local("R", count)), () -> allocated.add(name));
  }

  private static void stage(Permit... permits) {
    Stream.of(permits).forEach(Permit::stage);
  }

  /** Releases permits after an execution each. */
  private static void release(Permit... permits) {
    Stream.of(permits).forEach(permit -> permit.release(false));
  }

  /** Stages and releases an instance {@code times} times, while no other is staged. */
  private static void execute(Permit instance, int times) {
    for (int i = 0; i < times; i++) {
      instance.stage();
      instance.release(false);
    }
  }

  @Test
  void allocatesStagedInstancesWhileResourcesSuffice() {
    register("all", 4);
    Permit a = register("a", 2);
    Permit b = register("b", 2);

    stage(a, b);

    assertThat(allocated).containsExactly("a", "b");
    assertThat(a.isAllocated()).isTrue();
    assertThat(b.isAllocated()).isTrue();
  }

  @Test
  void neverAllocatesMoreThanThereIs() {
    Permit a = register("a", 4);
    Permit b = register("b", 2);
    stage(a, b);
    assertThat(allocated).containsExactly("a");

    a.release(false);

    assertThat(allocated).containsExactly("a", "b");
    assertThat(a.isAllocated()).isFalse();
  }

  @Test
  void allocatesTheLeastProductOfExecutionsAndPriorityFirst() {
    Permit running = register("running", 1);
    Permit often = register("5 x 1", 1);
    Permit dear = register("2 x 2", 1, 2);
    Permit seldom = register("3 x 1", 1);
    execute(often, 5);
    execute(dear, 2);
    execute(seldom, 3);
    stage(running, often, dear, seldom);
    allocated.clear();

    release(running, seldom, dear);

    assertThat(allocated).containsExactly("3 x 1", "2 x 2", "5 x 1");
  }

  @Test
  void allocatesEqualScoresInTheOrderOfStaging() {
    Permit running = register("running", 1);
    Permit a = register("a", 1);
    Permit b = register("b", 1, 5);
    Permit c = register("c", 1, 0);
    stage(running, b, c, a);

    release(running, b, c);

    assertThat(allocated).containsExactly("running", "b", "c", "a");
  }

  @Test
  void treatsPriorityZeroAsOne() {
    Permit running = register("running", 1);
    Permit zero = register("zero", 1, 0);
    Permit one = register("one", 1, 1);
    execute(zero, 2);
    execute(one, 1);
    stage(running, zero, one);
    allocated.clear();

    running.release(false);

    assertThat(allocated).containsExactly("one");
  }

  @Test
  void comparesScoresThatExceedALong() {
    Permit running = register("running", 1);
    Permit dearest = register("dearest", 1, 4_294_967_295L);
    dearest.executions = (1L << 31) + 1; // times its priority, it is above the largest long
    Permit other = register("other", 1, 1);
    execute(other, 1);
    stage(running, dearest, other);
    allocated.clear();

    running.release(false);

    assertThat(allocated).containsExactly("other");
  }

  @Test
  void keepsAllWaitingBehindAnInstanceThatNeedsMore() {
    Permit one = register("one", 1);
    Permit three = register("three", 3);
    Permit small = register("small", 1);
    execute(small, 1);
    allocated.clear();
    one.stage();

    stage(three, small);
    assertThat(allocated).containsExactly("one");

    one.release(false);
    assertThat(allocated).containsExactly("one", "three");
    three.release(false);
    assertThat(allocated).containsExactly("one", "three", "small");
  }

  @Test
  void allocatesAsManyAsFitAfterARelease() {
    Permit all = register("all", 4);
    Permit a = register("a", 2);
    Permit b = register("b", 2);
    Permit c = register("c", 2);
    stage(all, a, b, c);

    all.release(false);

    assertThat(allocated).containsExactly("all", "a", "b");
  }

  @Test
  void anInstanceStagedAgainCompetesForWhatItReleases() {
    Permit cheap = register("cheap", 1, 1);
    Permit dear = register("dear", 1, 3);
    execute(dear, 1);
    allocated.clear();
    stage(cheap, dear);

    for (int i = 0; i < 7; i++) {
      (cheap.isAllocated() ? cheap : dear).release(true);
    }

    // Scores: dear has 3, then 6; equal scores go by the order of staging.
    assertThat(allocated)
        .containsExactly("cheap", "cheap", "cheap", "dear", "cheap", "cheap", "cheap", "dear");
  }

  @Test
  void doesNotCountAnUnusedAllocationAsAnExecution() {
    Permit running = register("running", 1);
    Permit idle = register("idle", 1);
    Permit other = register("other", 1);
    execute(other, 1);
    for (int i = 0; i < 3; i++) {
      idle.stage();
      idle.releaseUnused();
    }
    stage(running, other, idle);
    allocated.clear();

    running.releaseUnused();

    assertThat(allocated).containsExactly("idle");
  }

  @Test
  void stagesOnlyAvailableInstances() {
    Permit a = register("a", 1);
    Permit b = register("b", 1);
    stage(a, a, b, b);
    release(a, b);

    assertThat(allocated).containsExactly("a", "b");
    assertThat(a.isAllocated()).isFalse();
    assertThat(b.isAllocated()).isFalse();
  }

  @Test
  void allocatesMoreOnceALargerDemandIsRegistered() {
    Permit a = register("a", 2);
    Permit b = register("b", 2);
    stage(a, b);
    assertThat(allocated).containsExactly("a");

    register("more", 4);

    assertThat(allocated).containsExactly("a", "b");
  }

  @Test
  void releasesTheResourcesOfAnAllocatedInstanceThatIsClosed() {
    Permit a = register("a", 1);
    Permit b = register("b", 1);
    stage(a, b);

    a.close();

    assertThat(allocated).containsExactly("a", "b");
  }

  @Test
  void allocatesTheNextInstanceWhenAStagedOneIsClosed() {
    Permit one = register("one", 1);
    Permit three = register("three", 2);
    Permit small = register("small", 1);
    register("most", 2);
    stage(one, three, small);
    assertThat(allocated).containsExactly("one");

    three.close();

    assertThat(allocated).containsExactly("one", "small");
  }

  @Test
  void leavesNoTraceOfARejectedInstance() {
    var explicit = new ExecutionCountLimiter(List.of(limit("R", 2)));
    Permit a = explicit.register(instance(0, 1, local("R", 2)), () -> allocated.add("a"));

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> explicit.register(instance(0, 1, local("R", 3)), () -> {}));

    a.stage();
    a.release(true);
    assertThat(allocated).containsExactly("a", "a");
  }

  @Test
  void failsToReleaseAnInstanceThatIsNotAllocated() {
    Permit a = register("a", 1);

    assertThatIllegalStateException().isThrownBy(a::releaseUnused);
    assertThatIllegalStateException().isThrownBy(() -> a.release(true));
    a.close();
    assertThatIllegalStateException().isThrownBy(a::close);
    a.stage();
    assertThat(allocated).isEmpty();
  }
}
