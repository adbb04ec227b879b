package io.nereid.engine.request;

import io.nereid.error.InferenceException;

/**
 * What a request fails with if its code throws something that is no answer. The client is answered,
 * and the thread that serves it goes on, whatever was thrown: heap that is used up is that of many
 * requests, and a stack is free once it is unwound.
 */
public final class UnexpectedFailures {
  private UnexpectedFailures() {}

  /**
   * The failure to answer with; logs what is a bug or a lack of heap.
   *
   * @param log of the class that caught it
   * @param what failed, such as {@code ModelInfer}
   */
  public static InferenceException of(System.Logger log, String what, Throwable thrown) {
    if (thrown instanceof InferenceException failure) {
      return failure;
    }
    try {
      log.log(System.Logger.Level.ERROR, what + " failed unexpectedly", thrown);
    } catch (Throwable stillNoMemory) { // or no stack
      // the answer matters more
    }
    return thrown instanceof OutOfMemoryError
        ? InferenceException.exhausted("the server has no memory left for this now")
        : InferenceException.unexpected(thrown);
  }

  /** As {@link #of}, for a request that has been executed: its client is not to send it again. */
  public static InferenceException ofExecuted(System.Logger log, String what, Throwable thrown) {
    return of(log, what, thrown).withoutRetryAfter();
  }
}
