package io.nereid.engine.scheduling.faults;

import io.nereid.request.SequenceId;
import io.nereid.tck.scheduler.TestRequest;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * A fault of a scheduler, and the rule of the TCK that must fail for it.
 *
 * @param rule the rule's id
 * @param sentence what the scheduler does wrong
 * @param config what it takes a model's configuration for
 * @param request what it takes a request for
 */
record SchedulerFault(
    String rule,
    String sentence,
    UnaryOperator<String> config,
    UnaryOperator<TestRequest> request) {
  /** A scheduler without a fault. */
  static final SchedulerFault NONE =
      new SchedulerFault("", "nothing", UnaryOperator.identity(), UnaryOperator.identity());

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
        config("SCHED-RAGGED-01", "Ragged inputs are refused.", "allow_ragged_batch: true", ""),
        config("SCHED-RAGGED-02", "Counts do not begin with 0.", "_WITH_ZERO", ""),
        config("SCHED-RAGGED-04", "A shape tensor has rows.", "is_shape_tensor: true", ""));
  }

  private static SchedulerFault config(
      String rule, String sentence, String pattern, String replacement) {
    return new SchedulerFault(
        rule,
        sentence,
        text -> text.replaceAll("(?s)" + pattern, replacement),
        UnaryOperator.identity());
  }

  private static SchedulerFault request(
      String rule, String sentence, UnaryOperator<TestRequest> request) {
    return new SchedulerFault(rule, sentence, UnaryOperator.identity(), request);
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
