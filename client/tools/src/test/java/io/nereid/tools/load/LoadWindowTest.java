package io.nereid.tools.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.tools.load.arrival.ArrivalProcess;
import io.nereid.tools.load.arrival.ArrivalQueue;
import io.nereid.tools.load.transport.Load;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/** The order of a measurement, by a load that sends nothing and waits for nothing. */
class LoadWindowTest {
  /** Of which no request is due. */
  private static final ArrivalProcess IDLE = new ArrivalProcess.OpenLoop(1, 1e-9, 1);

  private static final LoadWindow HOUR =
      new LoadWindow(
          Duration.ofHours(1),
          Duration.ofHours(1),
          LoadWindow.NO_STALLS,
          /* isOfOneLength= */ false);

  private final List<Long> waits = new ArrayList<>();
  private final List<Long> taken = new ArrayList<>();
  private final List<String> events = new ArrayList<>();

  /** Which of its waits are interrupted. */
  private int interrupted = Integer.MAX_VALUE;

  private final class Unsent implements Load {
    private final ArrivalQueue arrivals;

    Unsent(ArrivalQueue arrivals) {
      this.arrivals = arrivals;
    }

    @Override
    public void start() {
      events.add("start");
    }

    @Override
    public void wake() {
      // It takes requests while it waits.
    }

    @Override
    public void awaitUntil(long nanoTime) throws InterruptedException {
      waits.add(nanoTime);
      if (waits.size() == interrupted) {
        throw new InterruptedException();
      }
      if (waits.size() == 1) {
        arrivals.add(nanoTime - 1);
        arrivals.add(nanoTime);
      } else {
        taken.add(arrivals.take(nanoTime));
        taken.add(arrivals.take(nanoTime));
      }
    }

    @Override
    public void finish(long deadlineNanos) {
      events.add("finish");
    }

    @Override
    public void close() {
      events.add("close");
    }
  }

  private RunStatistics run() throws IOException, InterruptedException, TimeoutException {
    return HOUR.run(
        IDLE,
        (arrivals, _) -> new Unsent(arrivals),
        new LoadWindow.Marks() {
          @Override
          public void begin() {
            events.add("begin");
          }

          @Override
          public void end() {
            events.add("end");
          }
        });
  }

  @Test
  void whatWasDueInTheWarmUpAndNotSentIsNeverSent() throws Exception {
    RunStatistics statistics = run();

    assertThat(taken).containsExactly(waits.getFirst(), ArrivalQueue.NONE);
    assertThat(events).containsExactly("start", "begin", "end", "finish", "close");
    assertThat(statistics.windowNanos()).isEqualTo(HOUR.measured().toNanos());
  }

  @Test
  void anInterruptEndsTheWindow() throws Exception {
    interrupted = 2;

    RunStatistics statistics = run();

    assertThat(Thread.interrupted()).isTrue();
    assertThat(events).containsExactly("start", "begin", "end", "finish", "close");
    assertThat(statistics.windowNanos()).isLessThan(HOUR.measured().toNanos());
  }

  @Test
  void anInterruptOfTheWarmUpMeasuresNothing() {
    interrupted = 1;

    assertThatExceptionOfType(InterruptedException.class).isThrownBy(this::run);
    assertThat(events).containsExactly("start", "close");
  }
}
