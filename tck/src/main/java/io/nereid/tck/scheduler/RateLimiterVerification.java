package io.nereid.tck.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.request.SequenceId;
import io.nereid.tck.Rule;
import io.nereid.tck.RuleCases;
import io.nereid.tck.gate.Execution;
import io.nereid.tck.gate.Gate;
import io.nereid.tck.gate.Reply;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.ValueSource;

/** Models that share limited resources. */
public abstract class RateLimiterVerification extends SchedulerVerification {
  /** Enough executions to show the share of each instance. */
  private static final int CHOICES = 30;

  /**
   * Opens a scheduler without models whose rate limiter counts executions; the test closes it.
   *
   * @param resources how much there is of each resource, on each device; empty: as much as the
   *     largest demand of an instance
   */
  protected abstract SchedulerUnderTest openScheduler(Map<String, Integer> resources);

  @Override
  public final SchedulerUnderTest openScheduler() {
    return openScheduler(Map.of());
  }

  /** An instance group that needs so much of {@code R1}. */
  private static String group(int priority, int count, boolean global) {
    return """
    instance_group { kind: KIND_CPU count: 1 rate_limiter {
      resources { name: "R1" count: %d global: %b } priority: %d } }
    """
        .formatted(count, global, priority);
  }

  private static String asking(int count) {
    return group(1, count, false);
  }

  private static String warmup(int count) {
    return """
    model_warmup { name: "s" batch_size: 1 count: %d
      inputs { key: "IN0" value { data_type: TYPE_FP32 dims: [ 16 ] zero_data: true } } }
    """
        .formatted(count);
  }

  private static List<Execution> running(GatedModel... models) {
    return Stream.of(models).flatMap(model -> model.gate().running().stream()).toList();
  }

  private static List<String> ids(GatedModel... models) {
    return running(models).stream().flatMap(execution -> execution.ids().stream()).toList();
  }

  private static void fill(GatedModel model) {
    for (int i = 0; i < CHOICES; i++) {
      model.submit("r" + i);
    }
  }

  @RuleCases("SCHED-14")
  @ValueSource(strings = {"", "dynamic_batching {}"})
  void neverExecutesInstancesTogetherThatNeedMoreThanThereIs(String scheduling) {
    reopen(openScheduler(Map.of("R1", 4)));
    var a = load(1, asking(4) + scheduling);
    var b = load(1, asking(2) + scheduling);
    var answers = new ArrayList<TestResponse>();
    answers.addAll(a.submitAll(1, 1, 1));
    answers.addAll(b.submitAll(1, 1, 1));

    assertRunOneByOne(a, b, answers);
  }

  private static void assertRunOneByOne(GatedModel a, GatedModel b, List<TestResponse> answers) {
    for (int i = 0; i < answers.size(); i++) {
      a.settle();
      assertThat(running(a, b)).hasSize(1);
      (a.gate().running().isEmpty() ? b : a).gate().open(1);
    }

    a.settle();
    a.assertEchoed(answers);
  }

  @Rule("SCHED-14")
  void neverExecutesSequenceInstancesTogetherThatNeedMoreThanThereIs() {
    reopen(openScheduler(Map.of("R1", 4)));
    String scheduling = "sequence_batching { direct {} }";
    var a = load(1, asking(4) + scheduling);
    var b = load(1, asking(2) + scheduling);
    var answers = new ArrayList<TestResponse>();
    for (GatedModel model : List.of(a, b)) {
      for (int i = 0; i < 3; i++) {
        answers.add(
            model.submit(
                model.request("r" + i, 1).inSequence(new SequenceId.OfNumber(7), i == 0, i == 2)));
      }
    }

    assertRunOneByOne(a, b, answers);
  }

  @Rule("SCHED-14")
  void executesInstancesTogetherIfResourcesSuffice() {
    reopen(openScheduler(Map.of("R1", 6)));
    var a = load(1, asking(4));
    var b = load(1, asking(2));
    a.submit("a");
    b.submit("b");
    a.settle();

    assertThat(ids(a, b)).containsExactly("a", "b");
  }

  @Rule("SCHED-14")
  void rejectsAModelThatNeedsMoreThanThereIs() {
    reopen(openScheduler(Map.of("R1", 3)));
    var other = load(1, asking(3));

    assertRejected(
        asking(4),
        other,
        "Resource count for \"R1\" is limited to 3 which will prevent scheduling of one or more"
            + " model instances, the minimum required count is 4");
  }

  /** A model with that configuration is not loaded, and another one still runs. */
  private void assertRejected(String config, GatedModel other, String message) {
    assertInvalid(() -> load(1, config)).hasMessage(message);

    var answer = other.submit("r");
    other.open();
    other.assertEchoed(List.of(answer));
  }

  @Rule("SCHED-14")
  void hasAsMuchAsTheLargestDemandOfAnInstance() {
    var a = load(1, asking(4));
    var b = load(1, asking(2));
    var c = load(1, asking(2));
    b.submit("b");
    c.submit("c");
    a.submit("a");
    a.settle();
    assertThat(ids(a, b, c)).containsExactly("b", "c");

    b.gate().open(1);
    b.settle();
    assertThat(ids(a, b, c)).containsExactly("c");

    c.gate().open(1);
    c.settle();
    assertThat(ids(a, b, c)).containsExactly("a");
  }

  @Rule("SCHED-14")
  void holdsResourcesUntilTheExecutionEnds() {
    var a = load(1, asking(1));
    var b = load(1, asking(1));
    a.gate().reply("held", Reply.ECHO.thenHeld());
    a.gate().openAll();
    var answer = a.submit("held");
    answer.await();
    b.submit("b");
    a.settle();
    assertThat(b.executions()).isEmpty();

    a.gate().release("held");
    a.settle();

    assertThat(running(b)).hasSize(1);
  }

  @Rule("SCHED-15")
  void executesTheModelWithTheLeastExecutionsByPriority() {
    var models = List.of(load(1, group(1, 4, false)), load(1, group(2, 2, false)));
    var executions = new long[] {1, 1}; // they have been opened
    models.getFirst().block();
    models.forEach(RateLimiterVerification::fill);
    models.getFirst().settle();
    int running = 0;
    for (int i = 0; i < CHOICES; i++) {
      models.get(running).gate().open(1);
      models.getFirst().settle();
      executions[running]++;

      running = models.getFirst().gate().running().isEmpty() ? 1 : 0;
      assertThat(running(models.get(0), models.get(1))).hasSize(1);
      assertThat(executions[running] * (running + 1))
          .as("executions by priority of the model that runs now, number %d of %d", running, i)
          .isEqualTo(Math.min(executions[0], executions[1] * 2));
    }
    assertThat(executions[0]).isBetween(18L, 22L);
  }

  @Rule("SCHED-15")
  void executesTheInstanceWithTheLeastExecutionsByPriority() {
    var model = load(1, group(3, 1, false) + group(1, 1, false));
    model.gate().openAll();
    for (int i = 0; i < CHOICES; i++) {
      model.submit("r" + i).await();
      model.settle();
    }

    List<String> ran = model.executions().stream().map(Execution::instance).toList();
    String often = ran.getFirst(); // they have been opened: 1 x 1 is less than 1 x 3
    for (int i = 0; i < CHOICES; i++) {
      List<String> before = ran.subList(0, i);
      int frequent = 1 + Collections.frequency(before, often);
      int rare = 1 + i - Collections.frequency(before, often);
      assertThat(ran.get(i).equals(often) ? frequent : rare * 3)
          .as("executions by priority of instance %s, execution %d", ran.get(i), i)
          .isEqualTo(Math.min(frequent, rare * 3));
    }
    assertThat(IntStream.range(0, CHOICES).filter(i -> ran.get(i).equals(often)).count())
        .isBetween(21L, 25L);
  }

  @Rule("SCHED-16")
  void rejectsAResourceThatIsGlobalForOneModelAndADevicesForAnother() {
    assertRejected(
        asking(1),
        load(1, group(1, 1, true)),
        "Resource \"R1\" is present as both global and device-specific resource in the model"
            + " configuration.");
  }

  @Rule("SCHED-WARM-08")
  void warmsAnInstanceUpOnceItHasItsResources() throws Exception {
    reopen(openScheduler(Map.of("R1", 4)));
    var other = load(1, asking(4));
    String name = freshName();
    var loading = CompletableFuture.supplyAsync(() -> load(name, 1, asking(1) + warmup(1)));
    Gate warming = Gate.of(name);
    warming.awaitBegun(1);

    other.submit("r");
    other.settle();
    assertThat(running(other)).isEmpty();

    warming.open(1);
    other.gate().awaitBegun(1);
    assertThat(warming.running()).isEmpty();

    other.gate().openAll();
    loading.get(60, TimeUnit.SECONDS);
    assertThat(warming.executions()).hasSize(1);
  }

  @Rule({"SCHED-15", "SCHED-WARM-08"})
  void countsAWarmupAsExecutions() {
    String name = freshName();
    Gate.of(name).open(10);
    var warm = load(name, 1, asking(1) + warmup(10));
    var cold = load(1, asking(1));
    fill(warm);
    fill(cold);
    warm.settle();
    warm.gate().open(1);
    warm.settle();

    for (int i = 0; i < 10; i++) {
      assertThat(running(cold)).hasSize(1);
      assertThat(running(warm)).isEmpty();
      cold.gate().open(1);
      cold.settle();
    }
  }
}
