package io.nereid.exchange;

import io.nereid.error.InferenceException;

/**
 * Who waits for an answer: a connection. Exactly one of the two is called, once, on any thread;
 * neither may block.
 */
public interface ResponseReceiver {
  /** Takes the response. */
  void answer(InferenceResponse response);

  void fail(InferenceException failure);
}
