package io.nereid.engine.call;

import io.nereid.engine.request.PendingRequest;
import io.nereid.error.InferenceException;
import io.nereid.spi.ModelCalls;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * The rule by which calls cannot wait for each other: a model takes part in a request once. Each
 * request knows the one that it is a part of, so the chain costs nothing until it is asked for.
 */
final class CallChain {
  private CallChain() {}

  /**
   * Checks that a model may be called.
   *
   * @param caller the request that the call is a part of
   * @throws InferenceException INTERNAL if it takes part already, or too many do
   */
  static void require(PendingRequest caller, String called) {
    Deque<String> chain = new ArrayDeque<>();
    boolean takesPart = false;
    for (@Nullable PendingRequest each = caller; each != null; each = each.caller()) {
      String name = each.request().model().name();
      takesPart |= name.equals(called);
      chain.addFirst(name);
    }
    if (takesPart) {
      chain.addLast(called);
      throw InferenceException.internal(
          ("model '%s' cannot be called for a request that it takes part in: the chain of calls is"
                  + " %s")
              .formatted(called, String.join(" -> ", chain)));
    }
    if (chain.size() >= ModelCalls.MAX_DEPTH) {
      throw InferenceException.internal(
          "model '%s' cannot be called: %d models take part in the request already: %s"
              .formatted(called, chain.size(), String.join(" -> ", chain)));
    }
  }
}
