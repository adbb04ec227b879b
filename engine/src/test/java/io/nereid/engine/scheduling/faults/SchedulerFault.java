package io.nereid.engine.scheduling.faults;

import io.nereid.request.SequenceId;
import io.nereid.tck.scheduler.Statistics;
import io.nereid.tck.scheduler.TestRequest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * A fault of a scheduler, and the rule of the TCK that must fail for it.
 *
 * @param rule the rule's id
 * @param sentence what the scheduler does wrong
 * @param config what it takes a model's configuration for
 * @param request what it takes a request for
 * @param statistics what it counts instead
 */
record SchedulerFault(
    String rule,
    String sentence,
    UnaryOperator<String> config,
    UnaryOperator<TestRequest> request,
    UnaryOperator<Statistics> statistics) {
  private static final String CACHED = "response_cache \\{ enable: true \\}";

  /** A scheduler without a fault. */
  static final SchedulerFault NONE = request("", "nothing", UnaryOperator.identity());

  /** All faults. */
  static List<SchedulerFault> all() {
    return List.of(
        config(
            "SCHED-14",
            "Resources have no limit.",
            "rate_limiter \\{\\s.*?\\} priority: \\d+ \\}",
            ""),
        config(
            "SCHED-15",
            "All priorities of instances are 1.",
            "priority: \\d+ \\}",
            "priority: 1 }"),
        config("SCHED-16", "A global resource is a device's.", "global: true", "global: false"),
        request("SCHED-36", "Requests without sequence share one.", SchedulerFault::inSequence7),
        config("SCHED-37", "Direct sequences keep no slot.", "direct \\{ \\}", "oldest { }"),
        config("SCHED-38", "Slots have no order.", "direct \\{", "oldest {"),
        request("SCHED-39", "No sequence times out.", each -> each.withTimeout(Duration.ZERO)),
        config("SCHED-40", "Idle sequences stay.", ": 1000000\\b", ": 3000000000"),
        request("SCHED-41", "A sequence cannot begin again.", SchedulerFault::goesOn),
        config("SCHED-42", "A batch waits for no slot.", "minimum_slot_utilization: 0.5", ""),
        request(
            "SCHED-43",
            "Requests of a sequence run side by side.",
            each -> each.inSequence(id(each.id().hashCode()), true, true)),
        request(
            "SCHED-44",
            "Each request reads the initial state.",
            each ->
                each.inSequence(each.options().sequenceId(), true, each.options().sequenceEnd())),
        config("SCHED-45", "No request is rescheduled.", "iterative_sequence: true", ""),
        config(
            "SCHED-46",
            "An ensemble takes batches as its models do.",
            "(platform: \"ensemble\"\\s+max_batch_size:) 8",
            "$1 4"),
        request(
            "SCHED-47",
            "All steps of an ensemble are executed.",
            each -> new TestRequest(each.id(), each.inputs(), List.of(), each.options())),
        request("SCHED-47", "Steps have no priority.", each -> each.withPriority(0)),
        config("SCHED-48", "Steps have no limit.", "max_inflight_requests: 1", ""),
        config(
            "SCHED-50",
            "A sample is executed once.",
            "(\"s\" batch_size: \\d+) count: \\d+",
            "$1 count: 1"),
        config("SCHED-WARM-01", "Random data are zeros.", "random_data: true", "zero_data: true"),
        config(
            "SCHED-WARM-02",
            "A sample is one request.",
            "(\"s\") batch_size: \\d+",
            "$1 batch_size: 1"),
        config("SCHED-WARM-03", "Open dimensions are 1.", "\\[ -1 \\] zero", "[ 1 ] zero"),
        config("SCHED-WARM-04", "No decoupled model is warmed up.", "model_warmup \\{.*", ""),
        statistics(
            "SCHED-WARM-05",
            "A warm-up is not counted.",
            _ -> new Statistics(0, Map.of(), 0, 0, Map.of(), 0, 0)),
        config(
            "SCHED-WARM-06",
            "A control of a sample is another's.",
            "(\"STOP\" value \\{[^}]*)zero_data: true",
            "$1input_data_file: \"yes\""),
        request("SCHED-WARM-07", "A warm-up leaves its state.", each -> of(each, 10)),
        config("SCHED-WARM-08", "No instance is warmed up.", "model_warmup \\{.*", ""),
        config("SCHED-RAGGED-01", "Ragged inputs are refused.", "allow_ragged_batch: true", ""),
        config("SCHED-RAGGED-02", "Counts do not begin with 0.", "_WITH_ZERO", ""),
        config(
            "SCHED-RAGGED-03",
            "An output is cut by another shape.",
            "(output \\{[^}]*) -1, -1",
            "$1 2, -1"),
        config("SCHED-RAGGED-04", "A shape tensor has rows.", "is_shape_tensor: true", ""),
        config("SCHED-COUNT-02", "Idle sequences go on.", ": 1000 ", ": 3000000000 "),
        config("SCHED-CACHE-01", "No response is cached.", CACHED, ""),
        request(
            "SCHED-CACHE-02",
            "Parameters are not compared.",
            each -> each.withPriority(each.options().priority())),
        request(
            "SCHED-CACHE-03",
            "A failure is cached.",
            each ->
                each.id().equals("second")
                    ? TestRequest.of("first", each.inputs().getFirst())
                    : each),
        request(
            "SCHED-CACHE-04",
            "The response that was used last is evicted.",
            each -> each.id().equals("a again") ? of(each, 9) : each),
        config("SCHED-CACHE-05", "Cached responses have no order.", "preserve_ordering: true", ""),
        config(
            "SCHED-CACHE-06",
            "No ensemble is cached.",
            "(platform: \"ensemble\".*)" + CACHED,
            "$1"),
        config(
            "SCHED-CACHE-07",
            "Every model is cached.",
            "^(?!.*response_cache)",
            "response_cache { enable: true }\n"),
        statistics(
            "SCHED-CACHE-08",
            "Each execution is a miss.",
            each -> counting(each, each.inferenceCount(), each.executionCount())),
        config("SCHED-CACHE-09", "Any model may enable the cache.", CACHED, ""),
        statistics(
            "STAT-13",
            "A hit is an inference.",
            each -> counting(each, each.success(), each.cacheMisses())));
  }

  private static SchedulerFault config(
      String rule, String sentence, String pattern, String replacement) {
    return new SchedulerFault(
        rule,
        sentence,
        text -> text.replaceAll("(?s)" + pattern, replacement),
        UnaryOperator.identity(),
        UnaryOperator.identity());
  }

  private static SchedulerFault request(
      String rule, String sentence, UnaryOperator<TestRequest> request) {
    return new SchedulerFault(
        rule, sentence, UnaryOperator.identity(), request, UnaryOperator.identity());
  }

  private static SchedulerFault statistics(
      String rule, String sentence, UnaryOperator<Statistics> statistics) {
    return new SchedulerFault(
        rule, sentence, UnaryOperator.identity(), UnaryOperator.identity(), statistics);
  }

  private static Statistics counting(Statistics right, long inferences, long misses) {
    return new Statistics(
        right.success(),
        right.failures(),
        inferences,
        right.executionCount(),
        right.batches(),
        right.cacheHits(),
        misses);
  }

  /** A request of one row of that value. */
  private static TestRequest of(TestRequest request, float value) {
    return new TestRequest(
        request.id(),
        List.of(TestRequest.fp32("IN0", value, 1, 16)),
        request.outputs(),
        request.options());
  }

  private static TestRequest inSequence7(TestRequest request) {
    boolean isAlone = request.options().sequenceId().equals(SequenceId.NONE);
    return isAlone ? request.inSequence(id(7), false, false) : request;
  }

  private static TestRequest goesOn(TestRequest request) {
    return request.id().equals("again")
        ? request.inSequence(request.options().sequenceId(), false, false)
        : request;
  }

  private static SequenceId id(long number) {
    return new SequenceId.OfNumber(number);
  }
}
