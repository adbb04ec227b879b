package io.nereid.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.spi.CallMemory;
import io.nereid.spi.CallResponse;
import io.nereid.spi.CallResponses;
import io.nereid.spi.ModelCall;
import io.nereid.spi.ModelCalls;
import io.nereid.text.folder.Pooling;
import io.nereid.text.tokenizer.Encoding;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** The memory of a run, which the graph may read until its call has ended. */
class GraphRunsTest {
  private static final Graph GRAPH =
      new Graph(
          "m/graph", List.of(Graph.IDS), "last_hidden_state", Optional.of(2), Pooling.CLS, 0, 0);

  private final CompletableFuture<CallResponse> response = new CompletableFuture<>();
  private boolean isFreed;

  /** Calls that do not end by themselves. */
  private final ModelCalls calls =
      new ModelCalls() {
        @Override
        public CompletableFuture<CallResponse> inferAsync(ModelCall call) {
          return response;
        }

        @Override
        public CallMemory allocate(String model, long byteSize) {
          return new CallMemory(Arena.ofAuto().allocate(byteSize), () -> isFreed = true);
        }

        @Override
        public CallResponse infer(ModelCall call) {
          throw new AssertionError();
        }

        @Override
        public CallResponses stream(ModelCall call) {
          throw new AssertionError();
        }
      };

  private final GraphRuns runs = new GraphRuns(GRAPH, calls);

  @SuppressWarnings("NullAway") // the row is not written
  private GraphRuns.Run begin() {
    var tokens = new Encoding(new long[] {1, 2}, new long[2]);
    return runs.begin(List.of(new TextRows.Row(null, 0, tokens)));
  }

  @Test
  void aRunThatIsCancelledKeepsItsMemoryUntilItsCallsEnd() {
    GraphRuns.Run run = begin();
    runs.cancel();

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(run::await)
        .satisfies(failure -> assertThat(failure.code()).isEqualTo(StatusCode.CANCELLED));
    assertThat(isFreed).isFalse();
  }

  @Test
  void aRunThatHasFailedFreesItsMemory() {
    GraphRuns.Run run = begin();
    response.completeExceptionally(InferenceException.invalid("no such id"));

    assertThatExceptionOfType(CompletionException.class)
        .isThrownBy(run::await)
        .withCauseInstanceOf(InferenceException.class);
    assertThat(isFreed).isTrue();
  }
}
