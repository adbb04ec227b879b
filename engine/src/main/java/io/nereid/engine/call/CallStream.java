package io.nereid.engine.call;

import io.nereid.engine.request.AwaitedResponses;
import io.nereid.engine.request.InferenceResponse;
import io.nereid.engine.request.ResponsePromise;
import io.nereid.engine.request.Ticket;
import io.nereid.engine.request.WaitingLimit;
import io.nereid.error.InferenceException;
import io.nereid.spi.CallResponse;
import io.nereid.spi.CallResponses;
import java.util.Optional;

/** The responses of a call, taken by the thread that has begun it. */
final class CallStream implements CallResponses, RunningCall {
  private final OpenCalls calls;
  private final CallTerms terms;
  private final AwaitedResponses responses = new AwaitedResponses(new WaitingLimit(MAX_WAITING));

  CallStream(OpenCalls calls, CallTerms terms) {
    this.calls = calls;
    this.terms = terms;
  }

  @Override
  public ResponsePromise promise() {
    return responses.promise();
  }

  @Override
  public void inputsFree() {
    calls.ended(this);
  }

  @Override
  public Optional<CallResponse> next() {
    Callback.requireMayWait("CallResponses.next");
    InferenceResponse next;
    try {
      next = responses.take(terms.hasDeadline() ? terms.leftNanos() : Ticket.NEVER);
    } catch (InferenceException failure) {
      calls.awaitEnd(this);
      throw terms.explain(failure);
    }
    if (next == null) {
      calls.awaitEnd(this);
      return Optional.empty();
    }
    return Optional.of(calls.response(next));
  }

  @Override
  public void close() {
    calls.forget(this);
    responses.close();
    calls.awaitEnd(this);
  }
}
