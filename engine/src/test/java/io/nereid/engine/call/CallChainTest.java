package io.nereid.engine.call;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.engine.request.PendingRequest;
import io.nereid.engine.request.RecordedOutcome;
import io.nereid.engine.request.ResponsePromise;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.request.InferenceRequest;
import io.nereid.request.ModelKey;
import io.nereid.request.RequestOptions;
import io.nereid.spi.ModelCalls;
import java.util.List;
import org.junit.jupiter.api.Test;

class CallChainTest {
  private static InferenceRequest of(String model, long version) {
    return new InferenceRequest(
        new ModelKey(model, version), "", List.of(), List.of("OUT"), RequestOptions.NONE);
  }

  private static PendingRequest chain(String first, String... others) {
    PendingRequest request =
        new PendingRequest(
            of(first, 1), 1, List.of(), () -> {}, promise(), 0, PendingRequest.NEVER);
    for (String other : others) {
      request = request.child(of(other, 2), 1, () -> {}, promise(), 0, PendingRequest.NEVER);
    }
    return request;
  }

  private static ResponsePromise promise() {
    return new ResponsePromise(new RecordedOutcome());
  }

  private static void assertRefused(PendingRequest caller, String called, String message) {
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> CallChain.require(caller, called))
        .withMessage(message)
        .matches(refused -> refused.code() == StatusCode.INTERNAL);
  }

  @Test
  void aModelMayBeCalledThatTakesNoPart() {
    assertThatCode(() -> CallChain.require(chain("a", "b"), "c")).doesNotThrowAnyException();
  }

  @Test
  void aModelDoesNotCallItself() {
    assertRefused(
        chain("a"),
        "a",
        "model 'a' cannot be called for a request that it takes part in: the chain of calls is a ->"
            + " a");
  }

  @Test
  void aModelDoesNotCallItselfThroughOthersWhateverTheVersion() {
    assertRefused(
        chain("x", "a", "b", "c"),
        "a",
        "model 'a' cannot be called for a request that it takes part in: the chain of calls is x ->"
            + " a -> b -> c -> a");
  }

  @Test
  void soManyModelsTakePartInARequestAndNoMore() {
    String[] others = new String[ModelCalls.MAX_DEPTH - 2];
    for (int i = 0; i < others.length; i++) {
      others[i] = "m" + i;
    }
    PendingRequest oneBelow = chain("first", others);
    assertThatCode(() -> CallChain.require(oneBelow, "last")).doesNotThrowAnyException();
    PendingRequest atTheLimit =
        oneBelow.child(of("last", 1), 1, () -> {}, promise(), 0, PendingRequest.NEVER);

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> CallChain.require(atTheLimit, "one more"))
        .withMessageStartingWith(
            "model 'one more' cannot be called: 16 models take part in the request already: first"
                + " -> m0 -> ");
  }
}
