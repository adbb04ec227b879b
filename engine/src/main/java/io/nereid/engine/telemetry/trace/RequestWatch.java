package io.nereid.engine.telemetry.trace;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The slowest requests of each of the last minutes and those that failed last, of a model or of
 * all, until the watch ends. Guarded by its owner.
 */
final class RequestWatch {
  /** Requests of each kind that are kept of a minute. */
  static final int KEPT = 20;

  /** Minutes that are kept, with the present one. */
  static final int MINUTES = 5;

  private static final long MINUTE = Duration.ofMinutes(1).toNanos();

  /**
   * The requests that have ended in a minute.
   *
   * @param number of the minute
   * @param slowest the fastest of them first
   * @param failed the oldest of them first
   */
  private record Minute(
      long number, PriorityQueue<RecentRequest> slowest, Deque<RecentRequest> failed) {
    Minute(long number) {
      this(
          number,
          new PriorityQueue<>(Comparator.comparingLong(RecentRequest::nanos)),
          new ArrayDeque<>());
    }

    boolean isSlow(long nanos) {
      return slowest.size() < KEPT || slowest.element().nanos() < nanos;
    }
  }

  /** The newest first. */
  private final Deque<Minute> minutes = new ArrayDeque<>();

  private long endNanos;

  /** Has the watch end {@code time} from now. */
  void renew(long now, Duration time) {
    endNanos = now + time.toNanos();
  }

  /** Until the watch ends; not above 0 if it has. */
  long leftNanos(long now) {
    return endNanos - now;
  }

  /**
   * A request has ended.
   *
   * @param nanos that it took
   * @param request makes what is kept of it; called only if it is kept
   */
  void ended(long now, long nanos, boolean hasFailed, Supplier<RecentRequest> request) {
    Minute minute = minute(now);
    if (hasFailed) {
      add(minute.failed, request.get());
    } else if (minute.isSlow(nanos)) {
      minute.slowest.add(request.get());
      if (minute.slowest.size() > KEPT) {
        minute.slowest.remove();
      }
    }
  }

  private static void add(Deque<RecentRequest> failed, RecentRequest request) {
    failed.addLast(request);
    if (failed.size() > KEPT) {
      failed.removeFirst();
    }
  }

  private Minute minute(long now) {
    long number = Math.floorDiv(now, MINUTE);
    Minute newest = minutes.peekFirst();
    if (newest == null || newest.number != number) {
      forget(number);
      newest = new Minute(number);
      minutes.addFirst(newest);
    }
    return newest;
  }

  private void forget(long present) {
    minutes.removeIf(minute -> minute.number <= present - MINUTES);
  }

  /** The slowest requests, the slowest first. */
  List<RecentRequest> slowest(long now) {
    return kept(now, minute -> minute.slowest.stream())
        .sorted(Comparator.comparingLong(RecentRequest::nanos).reversed())
        .limit(KEPT)
        .toList();
  }

  /** The requests that failed last, the last one first. */
  List<RecentRequest> failed(long now) {
    return kept(now, minute -> minute.failed.reversed().stream()).limit(KEPT).toList();
  }

  private Stream<RecentRequest> kept(long now, Function<Minute, Stream<RecentRequest>> requests) {
    forget(Math.floorDiv(now, MINUTE));
    return minutes.stream().flatMap(requests);
  }
}
