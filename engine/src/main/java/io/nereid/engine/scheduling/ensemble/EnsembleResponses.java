package io.nereid.engine.scheduling.ensemble;

import io.nereid.engine.request.InferenceResponse;
import io.nereid.engine.request.PendingRequest;
import io.nereid.engine.request.RequestErrors;
import io.nereid.engine.scheduling.ensemble.graph.EnsemblePlan;
import io.nereid.engine.telemetry.trace.RequestTrace;
import io.nereid.error.InferenceException;
import io.nereid.request.Parameter;
import io.nereid.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The responses to an ensemble's request: one for each iteration that has all requested outputs, in
 * the order of the iterations. The newest is held back while it may be the last.
 */
final class EnsembleResponses {
  private static final System.Logger LOG = System.getLogger(EnsembleResponses.class.getName());

  private final EnsembleSignature signature;
  private final EnsemblePlan plan;
  private final PendingRequest outer;
  private final TensorValues values;
  private final EnsembleStatistics statistics;
  private int made;
  private @Nullable InferenceResponse held;

  EnsembleResponses(
      EnsembleSignature signature,
      EnsemblePlan plan,
      PendingRequest outer,
      TensorValues values,
      EnsembleStatistics statistics) {
    this.signature = signature;
    this.plan = plan;
    this.outer = outer;
    this.values = values;
    this.statistics = statistics;
  }

  /**
   * Sends a response for each complete iteration.
   *
   * @param more whether steps are pending, so that no response is known to be the last
   */
  void collect(boolean more) {
    while (values.hasAll(plan.outputs(), made)) {
      sendHeld();
      held = make(made);
      made++;
    }
    if (more && signature.isDecoupled()) {
      sendHeld();
    }
  }

  private void sendHeld() {
    if (held != null) {
      InferenceResponse response = held;
      held = null;
      statistics.responding(outer);
      outer.promise().next(response);
    }
  }

  private InferenceResponse make(int iteration) {
    var outputs = new ArrayList<Tensor>(plan.outputs().size());
    Map<String, Parameter> parameters = Map.of();
    for (int output : plan.outputs()) {
      TensorValue value = values.get(output, iteration);
      Tensor tensor = value.tensor();
      if (tensor == null) {
        logMissing(output);
      } else {
        outputs.add(signature.output(output, value, tensor));
        SequenceMark mark = value.mark();
        if (mark != null && parameters.isEmpty()) {
          parameters = mark.parameters();
        }
      }
    }
    RequestTrace trace = outer.trace();
    if (trace != null) {
      trace.responded(outputs);
    }
    List<Runnable> releases = values.take(plan.outputs(), iteration);
    return new InferenceResponse(
        outer.request().model(), outer.request().id(), parameters, outputs, releases);
  }

  /** Logs that an output is optional for its step, which has not made it. */
  private void logMissing(int output) {
    if (LOG.isLoggable(System.Logger.Level.DEBUG)) {
      LOG.log(
          System.Logger.Level.DEBUG,
          "{0}Composing models did not output tensor {1}", // Triton's text
          RequestErrors.prefix(outer.request().id()),
          signature.outputName(output));
    }
  }

  /** Whether a request whose steps have ended has got the responses that it needs. */
  boolean areComplete() {
    return made > 0 || signature.isDecoupled();
  }

  /** Ends the request with the response held back, or with a failure. */
  void end(@Nullable InferenceException failure) {
    InferenceResponse response = held;
    held = null;
    if (failure != null || response != null) {
      statistics.responding(outer);
    }
    if (failure != null) {
      if (response != null) {
        response.close();
      }
      outer.promise().fail(failure);
    } else if (response != null) {
      outer.promise().answer(response);
    } else {
      outer.promise().complete();
    }
  }
}
