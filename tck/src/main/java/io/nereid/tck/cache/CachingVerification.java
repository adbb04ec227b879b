package io.nereid.tck.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.error.InferenceException;
import io.nereid.request.Parameter;
import io.nereid.request.RequestOptions;
import io.nereid.request.SequenceId;
import io.nereid.tck.Rule;
import io.nereid.tck.RuleCases;
import io.nereid.tck.gate.Reply;
import io.nereid.tck.scheduler.GatedModel;
import io.nereid.tck.scheduler.SchedulerUnderTest;
import io.nereid.tck.scheduler.Statistics;
import io.nereid.tck.scheduler.TestRequest;
import io.nereid.tck.scheduler.TestResponse;
import io.nereid.tck.scheduler.ensemble.EnsembleVerification;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.params.provider.ValueSource;

/** Models whose responses are cached. */
public abstract class CachingVerification extends EnsembleVerification {
  private static final String CACHED = "response_cache { enable: true }\n";

  /** More than any test here needs. */
  private static final int MANY = 100;

  private static final String ANY_SHAPE =
      """
      input { name: "IN0" data_type: TYPE_FP32 dims: [ -1 ] }
      output { name: "OUT0" data_type: TYPE_FP32 dims: [ -1 ] }
      """;

  /**
   * Opens a scheduler without models, with a local response cache; the test closes it.
   *
   * @param entries for how many responses there is room, of one row of {@code IN0} and {@code
   *     OUT0}, 16 FP32 each, as the requests of these tests have them
   */
  protected abstract SchedulerUnderTest openScheduler(int entries);

  @Override
  public final SchedulerUnderTest openScheduler() {
    return openScheduler(MANY);
  }

  /** A request of one row whose content depends on {@code value} only. */
  private static TestRequest request(String id, float value) {
    return TestRequest.of(id, TestRequest.fp32("IN0", value, 1, 16));
  }

  /** Loads a model whose gate is open. */
  private GatedModel loadCached(String config) {
    GatedModel model = load(8, CACHED + config);
    model.gate().openAll();
    return model;
  }

  /** Submits requests one by one, and waits for the response of each, which must be its input. */
  private static void run(GatedModel model, TestRequest... requests) {
    for (TestRequest request : requests) {
      model.assertEchoed(List.of(model.submit(request)));
      model.settle();
    }
  }

  /** Two requests with the same content, one after the other. */
  private static void runTwice(GatedModel model) {
    run(model, request("first", 1), request("second", 1));
  }

  private static void assertLookUps(GatedModel model, long hits, long misses) {
    assertThat(model.statistics().cacheHits()).isEqualTo(hits);
    assertThat(model.statistics().cacheMisses()).isEqualTo(misses);
  }

  private static TestRequest withTwoInputs(String id, float in0, float in1) {
    return TestRequest.of(
        id, TestRequest.fp32("IN0", in0, 1, 16), TestRequest.fp32("IN1", in1, 1, 16));
  }

  private static void assertExecuted(GatedModel model, String... ids) {
    assertThat(model.ids()).isEqualTo(Stream.of(ids).map(List::of).toList());
  }

  @RuleCases({"SCHED-CACHE-01", "STAT-13"})
  @ValueSource(strings = {"", "dynamic_batching {}"})
  void answersAnEqualRequestWithoutAnExecution(String scheduling) {
    var model = loadCached(scheduling);
    runTwice(model);

    assertExecuted(model, "first");
    Statistics statistics = model.statistics();
    assertThat(statistics.success()).isEqualTo(2);
    assertThat(statistics.inferenceCount()).isEqualTo(1);
    assertThat(statistics.executionCount()).isEqualTo(1);
    assertThat(statistics.batches()).isEqualTo(Map.of(1L, 1L));
    assertLookUps(model, 1, 1);
  }

  @Rule("SCHED-CACHE-01")
  void answersWhileEveryInstanceIsBusyAndTheQueueIsFull() {
    var model = load(8, CACHED + "dynamic_batching { default_queue_policy { max_queue_size: 1 } }");
    model.gate().open(1);
    run(model, request("first", 1));
    model.block();
    model.submit(request("queued", 2));

    TestResponse hit = model.submit(request("second", 1));

    assertThat(hit.isDone()).isTrue();
    model.assertEchoed(List.of(hit));
    model.open();
  }

  @Rule("SCHED-CACHE-01")
  void answersARequestWhoseInputsComeInAnotherOrder() {
    var model = loadCached(TWO_INPUTS);
    var in0 = TestRequest.fp32("IN0", 1, 1, 16);
    var in1 = TestRequest.fp32("IN1", 2, 1, 16);
    model.submit(TestRequest.of("first", in0, in1)).await();
    model.settle();

    TestResponse second = model.submit(TestRequest.of("second", in1, in0)).await();

    assertThat(second.responses().getFirst().tensors()).containsOnlyKeys("OUT0", "OUT1");
    assertExecuted(model, "first");
  }

  @Rule("SCHED-CACHE-02")
  void executesARequestOfOtherContent() {
    var model = loadCached("");
    run(model, request("first", 1));

    run(model, request("second", 2));

    assertExecuted(model, "first", "second");
  }

  @Rule("SCHED-CACHE-02")
  void executesARequestOfAnotherShapeWithTheSameBytes() {
    var model = loadCached(ANY_SHAPE);
    run(model, TestRequest.of("one row", TestRequest.fp32("IN0", 1, 1, 16)));

    run(model, TestRequest.of("two rows", TestRequest.fp32("IN0", 1, 2, 8)));

    assertExecuted(model, "one row", "two rows");
  }

  @Rule("SCHED-CACHE-02")
  void executesARequestWhoseInputsHaveExchangedTheirContents() {
    var model = loadCached(TWO_INPUTS);
    run(model, withTwoInputs("first", 1, 2), withTwoInputs("second", 2, 1));

    assertExecuted(model, "first", "second");
  }

  @Rule("SCHED-CACHE-02")
  void executesARequestForOtherOutputs() {
    var model = loadCached(TWO_INPUTS);
    var both = withTwoInputs("both", 1, 2);
    var one = withTwoInputs("one", 1, 2).wanting("OUT1");
    run(model, both);

    TestResponse response = model.submit(one).await();

    assertThat(response.responses().getFirst().tensors()).containsOnlyKeys("OUT1");
    assertExecuted(model, "both", "one");
  }

  @Rule("SCHED-CACHE-02")
  void executesARequestWithOtherParameters() {
    var model = loadCached("");
    run(model, request("first", 1));
    var none = RequestOptions.NONE;
    var options =
        new RequestOptions(
            none.sequenceId(), false, false, 0, 0, Map.of("mode", new Parameter.OfLong(1)));

    run(model, new TestRequest("second", request("", 1).inputs(), List.of(), options));

    assertExecuted(model, "first", "second");
  }

  @Rule("SCHED-CACHE-02")
  void executesEveryRequestOfASequence() {
    var model = loadCached("");
    run(model, request("first", 1));
    var sequence = new SequenceId.OfNumber(5);

    run(model, request("second", 1).inSequence(sequence, true, false));
    run(model, request("third", 1).inSequence(sequence, false, true));

    assertExecuted(model, "first", "second", "third");
    assertThat(model.statistics().cacheMisses()).isEqualTo(1);
  }

  @Rule("SCHED-CACHE-03")
  void cachesNoFailure() {
    var model = loadCached("");
    model.gate().reply("first", Reply.failure(InferenceException.invalid("as it was told")));
    model.submit(request("first", 1)).await();
    model.settle();

    run(model, request("second", 1));

    assertExecuted(model, "first", "second");
  }

  @Rule("SCHED-CACHE-03")
  void cachesNothingOfACancelledRequest() {
    var model = load(8, CACHED);
    TestResponse cancelled = model.submit(request("first", 1));
    model.gate().awaitBegun(1);
    cancelled.cancel();
    model.open();

    run(model, request("second", 1));

    assertExecuted(model, "first", "second");
  }

  @Rule("SCHED-CACHE-04")
  void evictsTheResponseThatWasUnusedForLongest() {
    reopen(openScheduler(2));
    var model = loadCached("");
    run(model, request("a", 1), request("b", 2), request("a again", 1), request("c", 3));
    assertExecuted(model, "a", "b", "c");

    run(model, request("a once more", 1), request("c again", 3));
    assertExecuted(model, "a", "b", "c");
    run(model, request("b again", 2));

    assertExecuted(model, "a", "b", "c", "b again");
  }

  @Rule("SCHED-CACHE-04")
  void executesRequestsWhoseResponsesAreLargerThanTheCache() {
    reopen(openScheduler(2));
    var model = loadCached(ANY_SHAPE);
    var input = TestRequest.fp32("IN0", 1, 1, 10_000);

    run(model, TestRequest.of("first", input));
    run(model, TestRequest.of("second", input));

    assertExecuted(model, "first", "second");
    assertThat(model.statistics().cacheMisses()).isEqualTo(2);
    assertThat(model.statistics().failed()).isZero();
  }

  @Rule("SCHED-CACHE-05")
  void keepsTheOrderWhereTheModelPreservesIt() {
    var model = load(8, CACHED + "dynamic_batching { preserve_ordering: true }\n" + TWO_INSTANCES);
    model.gate().open(1);
    run(model, request("cached", 1));
    TestResponse before = model.submit(request("before", 2));
    model.gate().awaitBegun(2);

    TestResponse hit = model.submit(request("hit", 1));
    TestResponse after = model.submit(request("after", 3));

    model.settle();
    assertThat(hit.responses()).isEmpty();
    model.open();
    model.assertEchoed(List.of(before, hit, after));
    assertThat(before.isBefore(hit)).isTrue();
    assertThat(hit.isBefore(after)).isTrue();
    assertExecuted(model, "cached", "before", "after");
  }

  @Rule("SCHED-CACHE-06")
  void answersARequestOfAnEnsembleWithoutItsModels() {
    GatedModel model = loadOpen();
    GatedModel chain = loadEnsemble(CACHED + steps(step(model.name(), "IN0", "OUT0")));
    runTwice(chain);

    assertExecuted(model, "first");
    assertThat(model.statistics().success()).isEqualTo(1);
    assertThat(chain.statistics().success()).isEqualTo(2);
    assertThat(chain.statistics().inferenceCount()).isEqualTo(1);
    assertLookUps(chain, 1, 1);
  }

  @Rule("SCHED-CACHE-06")
  void answersAStepFromTheCacheOfItsModel() {
    GatedModel first = loadOpen();
    GatedModel second = loadCached("");
    GatedModel chain =
        loadEnsemble(steps(step(first.name(), "IN0", "x"), step(second.name(), "x", "OUT0")));
    runTwice(chain);

    assertExecuted(first, "first", "second");
    assertExecuted(second, "first");
    assertThat(second.statistics().cacheHits()).isEqualTo(1);
    assertThat(chain.statistics().inferenceCount()).isEqualTo(2);
  }

  @Rule("SCHED-CACHE-07")
  void executesEveryRequestOfAModelThatDoesNotEnableTheCache() {
    GatedModel model = loadOpen();
    runTwice(model);

    assertExecuted(model, "first", "second");
    assertLookUps(model, 0, 0);
  }

  @Rule("SCHED-CACHE-07")
  void findsNoResponseOfAnotherModel() {
    GatedModel one = loadCached("");
    GatedModel other = loadCached("");
    run(one, request("first", 1));

    run(other, request("second", 1));

    assertExecuted(other, "second");
  }

  @Rule("SCHED-CACHE-07")
  void findsNoResponseOfAnEarlierLoad() {
    String name = freshName();
    GatedModel before = load(name, 8, CACHED);
    before.gate().openAll();
    run(before, request("first", 1));

    GatedModel loadedAgain = load(name, 8, CACHED);
    run(loadedAgain, request("second", 1));

    assertExecuted(loadedAgain, "first", "second"); // both loads have the same gate
    assertThat(loadedAgain.statistics().cacheHits()).isZero();
  }

  @Rule("SCHED-CACHE-08")
  void cachesOneOfTwoEqualResponses() {
    var model = load(1, CACHED + TWO_INSTANCES);
    TestResponse first = model.submit(request("first", 1));
    TestResponse second = model.submit(request("second", 1));
    model.gate().awaitBegun(2);

    model.open();

    model.assertEchoed(List.of(first, second));
    run(model, request("third", 1));
    assertThat(model.statistics().executionCount()).isEqualTo(2);
    assertLookUps(model, 1, 1);
  }

  private static void assertNotCached(ThrowingCallable load, String model, String reason) {
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(load)
        .withMessageContaining(
            "Response Cache does not currently support model %s with %s. Please disable the"
                + " response cache.",
            model, reason);
  }

  @Rule("SCHED-CACHE-09")
  void loadsNoSequenceModelWhoseResponsesAreCached() {
    String name = freshName();
    String sequences = "sequence_batching { %s }".formatted(CONTROLS);
    assertNotCached(
        () -> load(name, 8, CACHED + sequences), name, "sequence batching scheduler type");
  }

  @Rule("SCHED-CACHE-09")
  void loadsNoDecoupledModelWhoseResponsesAreCached() {
    String name = freshName();
    assertNotCached(
        () -> load(name, 8, CACHED + DECOUPLED), name, "'decoupled' transaction policy");
  }

  @Rule("SCHED-CACHE-09")
  void loadsNoEnsembleOfADecoupledModelWhoseResponsesAreCached() {
    GatedModel model = load(8, DECOUPLED);
    assertNotCached(
        () -> loadEnsemble(CACHED + steps(step(model.name(), "IN0", "OUT0"))),
        ensemble,
        "'decoupled' transaction policy");
  }
}
