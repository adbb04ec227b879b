package io.nereid.spi;

import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import java.time.Duration;

/**
 * Calls of other models that a model makes on its own behalf and not for a request: in {@link
 * Backend#load}, {@link Model#open}, or by threads of the backend.
 *
 * <pre>{@code
 * try (OwnCalls.Session calls = own.begin(Duration.ofSeconds(5))) {
 *   CallResponse vocabulary = calls.infer(ModelCall.to("vocabulary").input("ALL", all).build());
 *   ...
 * }
 * }</pre>
 *
 * <p>A session is what a request is for other {@link ModelCalls}: it has a deadline, keeps the
 * versions that it has called, and ends its calls and responses with its close. Which models may be
 * called, who may wait, and the rule against deadlocks are the same: the model takes part in each
 * of its sessions. Calls have no client, no id, priority 0 and no trace.
 *
 * <p>When the model is closed, its calls are cancelled before {@link Model#close} is called, so
 * threads that wait for one return, and no session begins. Sessions that are open then are closed
 * once {@link Model#close} has returned. Until then a session that is not closed keeps the versions
 * that it has called from being unloaded. Thread-safe. Only the server and the kit implement it.
 */
public interface OwnCalls {
  /** The most sessions that a version of a model may have open. */
  int MAX_SESSIONS = 1000;

  /** Calls that end together. Thread-safe. */
  interface Session extends ModelCalls, AutoCloseable {
    /**
     * Cancels the calls that run, waits until their inputs are not read any more, and closes
     * responses and memory that are open. Has no effect the second time.
     */
    @Override
    void close();
  }

  /**
   * Begins a session.
   *
   * @param atMost until the deadline of its calls
   * @return to be closed by the caller
   * @throws InferenceException INVALID_ARGUMENT if an instance of the model may hold resources of
   *     the rate limiter, which the called models may wait for; RESOURCE_EXHAUSTED if {@link
   *     #MAX_SESSIONS} are open; UNAVAILABLE if the model is being closed
   */
  Session begin(Duration atMost);

  /**
   * Loads a part: a model of another backend that this version alone calls, such as the graph of
   * which it prepares the inputs. It reads the files of this version, has the instances that this
   * model's {@code instance_group} says, and its {@code optimization}; it is healthy or not with
   * this version, is measured by its own name, and is closed once {@link Model#close} has returned.
   * No repository has it and no client can ask for it. Called by {@link Backend#load} only, on its
   * thread and within its limit of time.
   *
   * @param part its name is one for this version; what its configuration lacks, the part's backend
   *     completes
   * @return completed; its name is the one to call, {@code <model>/<part>}
   * @throws InferenceException why it does not load
   * @throws IllegalStateException once the load has returned, or if there is a part of that name
   */
  default ModelConfig loadPart(ModelConfig part) {
    throw InferenceException.unsupported(
        "part '%s' is not loaded: these calls have no parts".formatted(part.name()));
  }
}
