package io.nereid.engine.call;

import io.nereid.engine.request.ResponsePromise;

/** A call that has not ended. Thread-safe. */
interface RunningCall {
  ResponsePromise promise();

  /** Its request has ended, and does not read the inputs any more. */
  void inputsFree();

  /** Cancels it; does not wait. */
  default void cancel() {
    promise().cancel();
  }
}
