package io.nereid.engine.telemetry.jfr;

import io.nereid.request.ModelKey;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

/** The time of a request in a scheduler, from its arrival to its dispatch or rejection. */
@Name("nereid.Queued")
@Label("Request Queued")
@Description("From the arrival of a request at its scheduler until it was dispatched or rejected")
@Category("Nereid")
@StackTrace(false)
@SuppressWarnings("UnusedVariable") // the recorder reads the fields
public final class QueuedEvent extends Event {
  private static final QueuedEvent PROBE = new QueuedEvent();

  @Label("Model")
  private String model = "";

  @Label("Version")
  private long version;

  @Label("Request Id")
  private String requestId = "";

  @Label("Queue Time")
  @Description("Since the server had read the request")
  @Timespan(Timespan.NANOSECONDS)
  private long queueTime;

  @Label("Outcome")
  @Description("DISPATCHED, or why the request was rejected")
  private String outcome = "";

  private QueuedEvent() {}

  /** Begins the event of a request; null if no recording has enabled it. */
  static @Nullable QueuedEvent beginIfOn() {
    if (!PROBE.isEnabled()) {
      return null;
    }
    var event = new QueuedEvent();
    event.begin();
    return event;
  }

  /** Records the end of the time in the queue. */
  public void record(ModelKey key, String id, long queueNanos, String newOutcome) {
    end();
    if (shouldCommit()) {
      model = key.name();
      version = key.version();
      requestId = id;
      queueTime = queueNanos;
      outcome = newOutcome;
      commit();
    }
  }
}
