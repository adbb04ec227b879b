package io.nereid.tensorrt;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

/** Holds the first thread that passes a point of a name, until a test opens it. */
final class Gate implements AutoCloseable {
  private final String point;
  private final AtomicBoolean passed = new AtomicBoolean();
  private final CountDownLatch arrived = new CountDownLatch(1);
  private final CountDownLatch opened = new CountDownLatch(1);

  Gate(String point) {
    this.point = point;
  }

  /** Waits if this is the point that the gate is for, and no thread has passed it yet. */
  void pass(String name) {
    if (name.equals(point) && passed.compareAndSet(false, true)) {
      arrived.countDown();
      await(opened);
    }
  }

  /** Waits until the thread is held. */
  void awaitArrival() {
    await(arrived);
  }

  private static void await(CountDownLatch latch) {
    try {
      if (!latch.await(60, SECONDS)) {
        throw new AssertionError("a gate was not reached or opened");
      }
    } catch (InterruptedException stopped) {
      throw new AssertionError(stopped);
    }
  }

  /** Opens the gate for good. */
  void open() {
    opened.countDown();
  }

  /** Opens the gate, whatever the test has come to. */
  @Override
  public void close() {
    open();
  }
}
