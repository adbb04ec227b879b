package io.nereid.tck.execution;

import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.tck.support.Outcome;
import io.nereid.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The results of one call of execute.
 *
 * @param answers by request, in order
 * @param states by request and output name: the new states of its sequence
 * @param found against the contract of {@link io.nereid.spi.Results}
 * @param inputsUntouched whether the inputs' bytes are as they were
 * @param after what the test did before, to which a failure is due; empty if it did nothing
 */
public record ExecutedBatch(
    boolean decoupled,
    List<List<Outcome>> answers,
    List<Map<String, Tensor>> states,
    Violations found,
    boolean inputsUntouched,
    String after) {
  /** The change after which closed memory need not be that of an earlier batch. */
  public static final String CLOSED = "another instance or copy of the model was closed";

  private static final String ANSWERED = "BACKEND-EXEC-01";
  private static final String KEPT = "BACKEND-MEMORY-03";

  /** This execution, whose failures are those of what came before it. */
  public ExecutedBatch after(String change) {
    return new ExecutedBatch(decoupled, answers, states, found, inputsUntouched, change);
  }

  /** The violations of the contract. */
  public List<String> violations() {
    return found.texts();
  }

  /**
   * Fails if a rule is broken, or a request has failed, or has not one response.
   *
   * @throws BrokenRule with the rule
   */
  public ExecutedBatch requireSound() {
    found.requireNone();
    for (int i = 0; i < answers.size(); i++) {
      responses(i);
    }
    return this;
  }

  /** The tensors of the single response to a request, by name. */
  public Outcome.Outputs outputs(int request) {
    var responses = responses(request);
    if (responses.size() != 1) {
      throw failed("request %d got %d responses".formatted(request, responses.size()), null);
    }
    return responses.getFirst();
  }

  /** The responses to a request: one, unless the model is decoupled. */
  public List<Outcome.Outputs> responses(int request) {
    found.requireNone();
    List<Outcome.Outputs> responses = new ArrayList<>();
    for (Outcome answer : answers.get(request)) {
      switch (answer) {
        case Outcome.Outputs outputs -> responses.add(outputs);
        case Outcome.Failure failure ->
            throw failed(
                "request %d failed: %s".formatted(request, failure.exception().getMessage()),
                failure.exception());
      }
    }
    if (!decoupled && responses.size() != 1) {
      throw failed("request %d got %d responses".formatted(request, responses.size()), null);
    }
    return responses;
  }

  /** Whether the only answer to a request is that it is invalid. */
  public boolean isRefused(int request) {
    return answers.get(request).size() == 1
        && answers.get(request).getFirst() instanceof Outcome.Failure(InferenceException failure)
        && failure.code() == StatusCode.INVALID_ARGUMENT;
  }

  private AssertionError failed(String what, @Nullable Throwable cause) {
    if (isOfClosedMemory(cause) && !after.equals(CLOSED)) {
      return new BrokenRule(KEPT, what, cause);
    }
    return after.isEmpty()
        ? new BrokenRule(ANSWERED, what, cause)
        : new AssertionError("%s, after %s".formatted(what, after), cause);
  }

  /** Whether a failure is due to the exception of the JDK for a segment whose arena is closed. */
  private static boolean isOfClosedMemory(@Nullable Throwable failure) {
    return failure != null
        && failure.getCause() instanceof IllegalStateException cause
        && "Already closed".equals(cause.getMessage());
  }
}
