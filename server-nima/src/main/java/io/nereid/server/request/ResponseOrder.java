package io.nereid.server.request;

import io.nereid.error.InferenceException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;

/**
 * Has the answers to requests leave in the order in which the requests came: {@code
 * preserve_ordering}. Each request takes a place; what is answered before its turn is held until
 * all requests before it have had their last word. Whoever {@link #leave}s holds nobody up any
 * more, and gets its own answers at once.
 *
 * <p>From any thread. Receivers are called by one thread at a time, and never under the lock.
 */
public final class ResponseOrder {
  private static final System.Logger LOG = System.getLogger(ResponseOrder.class.getName());

  private final SequencedSet<Place> places = new LinkedHashSet<>();

  /** Answers whose turn has come, for the thread that passes them on. */
  private final Deque<Runnable> due = new ArrayDeque<>();

  private boolean passing;

  /**
   * Takes the next place for a request and puts it before the request's receiver. A request that is
   * called off leaves it.
   *
   * @param promise not answered yet
   */
  public void enter(ResponsePromise promise) {
    Place place;
    synchronized (this) {
      place = new Place(promise.receiver());
      places.add(place);
    }
    promise.receive(place);
    promise.onCancel(place::leave);
  }

  /** Has a request that will not run give its place up, if it has one: nobody waits for it. */
  public static void leave(ResponsePromise promise) {
    if (promise.receiver() instanceof Place place) {
      place.leave();
    }
  }

  /** Passes on what is due, unless another thread is at it. */
  private void pass() {
    while (true) {
      Runnable next;
      synchronized (this) {
        next = passing ? null : due.poll();
        if (next == null) {
          return;
        }
        passing = true;
      }
      try {
        next.run();
      } catch (Throwable thrown) { // one receiver's trouble is not the next one's
        LOG.log(System.Logger.Level.ERROR, "an answer was not delivered", thrown);
      } finally {
        synchronized (this) {
          passing = false;
        }
      }
    }
  }

  /** A request's turn to be answered. */
  private final class Place implements ResponseReceiver {
    private final ResponseReceiver receiver;
    private final List<Runnable> held = new ArrayList<>(1);
    private boolean ended;
    private boolean left;

    Place(ResponseReceiver receiver) {
      this.receiver = receiver;
    }

    @Override
    public void computed(long inputNanos, long inferNanos, long outputNanos) {
      receiver.computed(inputNanos, inferNanos, outputNanos);
    }

    @Override
    public void next(InferenceResponse response) {
      take(() -> receiver.next(response), false);
    }

    @Override
    public void awaitRoom() {
      receiver.awaitRoom();
    }

    @Override
    public void answer(InferenceResponse response) {
      take(() -> receiver.answer(response), true);
    }

    @Override
    public void complete() {
      take(receiver::complete, true);
    }

    @Override
    public void fail(InferenceException failure) {
      take(() -> receiver.fail(failure), true);
    }

    /** Gives the place up: the request will not run, or nobody waits for it. */
    void leave() {
      synchronized (ResponseOrder.this) {
        if (left) {
          return;
        }
        left = true;
        places.remove(this);
        due.addAll(held);
        held.clear();
        advance();
      }
      pass();
    }

    private void take(Runnable answer, boolean last) {
      synchronized (ResponseOrder.this) {
        if (left || isFirst()) {
          due.add(answer);
        } else {
          held.add(answer);
        }
        ended |= last;
        advance();
      }
      pass();
    }

    private boolean isFirst() {
      return !places.isEmpty() && places.getFirst().equals(this);
    }

    /** Lets go of those whose turn has come. */
    private void advance() {
      while (!places.isEmpty()) {
        Place first = places.getFirst();
        due.addAll(first.held);
        first.held.clear();
        if (!first.ended) {
          return;
        }
        places.removeFirst();
      }
    }
  }
}
