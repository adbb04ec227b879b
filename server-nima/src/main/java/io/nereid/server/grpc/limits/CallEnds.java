package io.nereid.server.grpc.limits;

import io.grpc.Status;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * The calls of a connection that the server is about to end. Each end sends a status and frees what
 * waits for the client, and a client may have a thousand calls that end for the same reason; so a
 * turn of the event loop ends at most {@link #MAX_ENDS} of them. For one thread.
 */
public final class CallEnds {
  /** Calls of a connection that end in a turn. */
  public static final int MAX_ENDS = 16;

  private final BiConsumer<Integer, Status> end;
  private final Consumer<Runnable> nextTurn;

  /** The status of each call, by its stream, in the order in which they are to end. */
  private final SequencedMap<Integer, Status> waiting = new LinkedHashMap<>();

  private boolean scheduled;

  /**
   * @param end ends the call of a stream, if there still is one
   * @param nextTurn runs a task in the next turn of the event loop
   */
  public CallEnds(BiConsumer<Integer, Status> end, Consumer<Runnable> nextTurn) {
    this.end = end;
    this.nextTurn = nextTurn;
  }

  /**
   * Ends a call in a later turn.
   *
   * @return whether it was not about to end before
   */
  public boolean add(int streamId, Status status) {
    boolean added = waiting.putIfAbsent(streamId, status) == null;
    if (!scheduled) {
      scheduled = true;
      nextTurn.accept(this::endSome);
    }
    return added;
  }

  private void endSome() {
    try {
      for (int i = 0; i < MAX_ENDS && !waiting.isEmpty(); i++) {
        Map.Entry<Integer, Status> next = Objects.requireNonNull(waiting.pollFirstEntry());
        end.accept(next.getKey(), next.getValue());
      }
    } finally {
      scheduled = !waiting.isEmpty();
      if (scheduled) {
        nextTurn.accept(this::endSome);
      }
    }
  }
}
