package io.nereid.engine.execution;

import static java.util.stream.Collectors.joining;

import io.nereid.engine.execution.batch.BatchExecutions;
import io.nereid.engine.execution.batch.DispatchedBatch;
import io.nereid.engine.execution.batch.ExecutedModel;
import io.nereid.engine.execution.batch.ExecutingInstance;
import io.nereid.engine.execution.batch.ExecutionMeter;
import io.nereid.engine.execution.sequence.SequenceState;
import io.nereid.engine.execution.warmup.WarmupSample;
import io.nereid.engine.request.DroppedResponses;
import io.nereid.engine.request.PendingRequest;
import io.nereid.engine.request.ResponsePromise;
import io.nereid.engine.telemetry.jfr.FlightEvents;
import io.nereid.engine.telemetry.jfr.WarmupEvent;
import io.nereid.error.InferenceException;
import io.nereid.spi.ModelInstance;
import java.util.ArrayList;
import java.util.List;

/**
 * The warm-up of one instance: executes samples on it, without a scheduler. Each execution is
 * allocated by the rate limiter and counted in the statistics like any other. Buffers, controls and
 * states are of the warm-up alone, so nothing of a sample is left when the instance serves. Used by
 * the instance's thread.
 */
record InstanceWarmup(ExecutedModel model, Instance instance, ExecutionMeter meter) {
  private static final System.Logger LOG = System.getLogger(InstanceWarmup.class.getName());

  /**
   * Executes a sample as often as it says, or until the instance is to close.
   *
   * @throws InferenceException INVALID_ARGUMENT with the failures of all requests of the first
   *     execution that has failed
   */
  void execute(ModelInstance opened, WarmupSample sample) {
    WarmupEvent event = FlightEvents.warmup();
    String name = instance.settings().name();
    boolean failed = true;
    var dispatched = new DispatchedBatch();
    ExecutedModel sampled = model.with(sample.config(), sample.states());
    try (var executions = new BatchExecutions(sampled, executing(name), dispatched, meter)) {
      for (long i = 0; i < sample.executions() && !instance.isStopped(); i++) {
        instance.awaitAllocation();
        LOG.log(
            System.Logger.Level.DEBUG,
            "model ''{0}'' instance {1} is running warmup sample ''{2}'' for iteration {3}",
            model.config().name(),
            name,
            sample.name(),
            Long.toString(i + 1));
        execute(opened, sample, sampled, executions);
      }
      failed = false;
    } finally {
      if (event != null) {
        event.record(sample.request().model(), name, sample.name(), failed);
      }
    }
  }

  private ExecutingInstance executing(String name) {
    var health = // for the warm-up alone: a failure fails the warm-up
        new InstanceHealth(model.config().name(), name, _ -> {});
    return new ExecutingInstance(
        name,
        instance.holdsResources(),
        instance.detached,
        health::failure,
        health::batchFailed,
        () -> instance.permit.release(false),
        PendingRequest::close); // a rescheduled request ends here
  }

  private void execute(
      ModelInstance opened,
      WarmupSample sample,
      ExecutedModel sampled,
      BatchExecutions executions) {
    List<String> failures = new ArrayList<>();
    List<SequenceState> states = new ArrayList<>();
    try {
      for (int i = 0; i < sample.batchSize(); i++) {
        SequenceState state = sampled.newState();
        if (state != null) {
          states.add(state);
        }
        executions.dispatched().add(request(sample, failures), state);
      }
      executions.run(opened);
    } finally {
      instance.awaitDetached(); // they read the sample's memory
      states.forEach(SequenceState::close);
    }
    if (!failures.isEmpty()) {
      throw InferenceException.invalid(
          "failed to run warmup sample '%s': %s"
              .formatted(
                  sample.name(), failures.stream().map(text -> text + "; ").collect(joining())));
    }
  }

  private PendingRequest request(WarmupSample sample, List<String> failures) {
    return new PendingRequest(
        sample.request(),
        1,
        List.of(),
        () -> {},
        new ResponsePromise(new DroppedResponses(failure -> failures.add(failure.getMessage()))),
        model.clock().getAsLong(),
        PendingRequest.NEVER);
  }
}
