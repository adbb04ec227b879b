package io.nereid.text;

import io.nereid.error.InferenceException;
import io.nereid.spi.CallMemory;
import io.nereid.spi.CallResponse;
import io.nereid.spi.ModelCall;
import io.nereid.spi.ModelCalls;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.text.tokenizer.Encoding;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The runs of the graph for one batch or request, by calls on behalf of a request or of the model.
 * Used by one thread; any may cancel.
 */
final class GraphRuns {
  private final Graph graph;
  private final ModelCalls calls;
  private final AtomicReference<@Nullable CompletableFuture<CallResponse>> running =
      new AtomicReference<>();

  GraphRuns(Graph graph, ModelCalls calls) {
    this.graph = graph;
    this.calls = calls;
  }

  /** A run that has begun. */
  record Run(List<TextRows.Row> rows, CallMemory memory, CompletableFuture<CallResponse> response) {
    /**
     * Waits for its end.
     *
     * @return to be closed by the caller
     * @throws InferenceException CANCELLED after {@link GraphRuns#cancel}
     */
    CallResponse await() {
      CallResponse made;
      try {
        made = response.join();
      } catch (CancellationException cancelled) {
        throw InferenceException.cancelled(); // the graph may read the memory until the calls end
      } catch (CompletionException failed) {
        memory.close();
        throw failed;
      }
      memory.close();
      return made;
    }

    /** Does not wait; the memory is the request's until its end. */
    void cancel() {
      response.cancel(true);
    }
  }

  /** Cancels the run that was begun last; does not wait. */
  void cancel() {
    CompletableFuture<CallResponse> present = running.get();
    if (present != null) {
      present.cancel(true);
    }
  }

  /**
   * Has the graph run rows, which are padded on the right.
   *
   * @param rows the longest first
   */
  Run begin(List<TextRows.Row> rows) {
    int length = rows.getFirst().length();
    long byteSize = (long) rows.size() * length * Long.BYTES;
    Shape shape = Shape.of(rows.size(), length);
    List<String> inputs = graph.inputs();
    CallMemory memory = calls.allocate(graph.model(), byteSize * inputs.size());
    ModelCall.Builder call = ModelCall.to(graph.model()).output(graph.output());
    for (int i = 0; i < inputs.size(); i++) {
      MemorySegment input = memory.segment().asSlice(i * byteSize, byteSize);
      fill(inputs.get(i), input, rows, length);
      call.input(inputs.get(i), DataType.INT64, shape, input);
    }
    CompletableFuture<CallResponse> future = calls.inferAsync(call.build());
    running.set(future);
    return new Run(rows, memory, future);
  }

  private void fill(String name, MemorySegment target, List<TextRows.Row> rows, int length) {
    for (int i = 0; i < rows.size(); i++) {
      Encoding tokens = rows.get(i).tokens();
      long at = (long) i * length * Long.BYTES;
      int count = tokens.length();
      switch (name) {
        case Graph.IDS -> MemorySegment.copy(tokens.ids(), 0, target, Elements.LONG, at, count);
        case Graph.TYPES ->
            MemorySegment.copy(tokens.typeIds(), 0, target, Elements.LONG, at, count);
        case Graph.MASK -> {
          for (int k = 0; k < count; k++) {
            target.set(Elements.LONG, at + (long) k * Long.BYTES, 1);
          }
        }
        default -> {
          for (int k = 0; k < count; k++) {
            target.set(Elements.LONG, at + (long) k * Long.BYTES, (long) graph.firstPosition() + k);
          }
        }
      }
      long padding = name.equals(Graph.IDS) ? graph.padId() : 0;
      for (int k = count; k < length; k++) {
        target.set(Elements.LONG, at + (long) k * Long.BYTES, padding);
      }
    }
  }
}
