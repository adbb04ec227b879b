package io.nereid.engine.scheduling;

import io.nereid.engine.request.PendingRequest;
import io.nereid.engine.scheduling.SchedulingEffects.Borrower;

/** The threads that submit requests: as whom each may borrow an instance. Thread-safe. */
final class AwaitingThreads {
  /** No thread has this id. */
  private static final long NOT_SHARED = 0;

  /**
   * The thread that awaits the last request and keeps others waiting; {@link #NOT_SHARED} if none
   * does.
   */
  private volatile long lastShared;

  /**
   * As whom the calling thread may execute the request; {@code NONE} unless it awaits it. A thread
   * that keeps others waiting meanwhile, an event loop its calls or a virtual thread those that
   * want its carrier, must have awaited the request before it, too.
   */
  Borrower borrower(PendingRequest request) {
    boolean isAwaited = request.promise().isAwaitedHere();
    boolean isLoop = isAwaited && request.promise().keepsOthersWaiting();
    Thread caller = Thread.currentThread();
    if (isLoop || (isAwaited && caller.isVirtual())) {
      Borrower same = isLoop ? Borrower.SHARED_THREAD : Borrower.OWN_THREAD;
      return isLast(caller.threadId()) ? same : Borrower.NONE;
    }
    isLast(NOT_SHARED);
    return isAwaited ? Borrower.OWN_THREAD : Borrower.NONE;
  }

  /** Whether the thread was the last one, which it is now. */
  private boolean isLast(long thread) {
    boolean isSame = thread == lastShared;
    if (!isSame) {
      lastShared = thread; // seldom written if nothing is awaited, as by many calls
    }
    return isSame;
  }
}
