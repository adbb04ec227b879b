package io.nereid.engine.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.error.StatusCode;
import io.nereid.spi.Batch;
import io.nereid.tensor.Elements;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls of a model whose recursion does not end. */
@Timeout(120)
class CallsOnADeepStackTest extends CallingModels {
  private static final int REQUESTS = 10;

  /** Calls at each depth, so that the stack ends within a call, or between two. */
  private static int dive(Batch batch, int skipped, int depth) {
    if (depth > skipped) {
      batch.calls(0).infer(call("inner", batch).build()).close();
    }
    return depth == Integer.MAX_VALUE ? 0 : dive(batch, skipped, depth + 1) + 1;
  }

  @Test
  void aRecursionThatOverflowsTheStackInACallEndsItsRequestAndNothingElse() throws IOException {
    model(
        "outer",
        "inner",
        (batch, _) -> dive(batch, 100 * input(batch).data().get(Elements.INT, 0), 0));
    model("inner", "", "parameters { key: \"any_thread\" }", adding(1));
    open();

    for (int i = 1; i <= REQUESTS; i++) {
      int skipped = i;
      assertFails(StatusCode.INTERNAL, "StackOverflowError", () -> infer("outer", skipped));
      assertThat(infer("inner", 7)).containsExactly(8);
    }
    engine().unload("outer");
    engine().unload("inner"); // once no call uses it
    assertThat(engine().isReady("inner")).isFalse();
  }
}
