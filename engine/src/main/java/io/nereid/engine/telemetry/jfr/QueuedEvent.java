package io.nereid.engine.telemetry.jfr;

import io.nereid.request.ModelKey;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Timespan;

/** The time of a request in a scheduler, from its arrival to its dispatch or rejection. */
@Name("nereid.Queued")
@Label("Request Queued")
@Description("From the arrival of a request at its scheduler until it was dispatched or rejected")
@SuppressWarnings("UnusedVariable") // the recorder reads the fields
public final class QueuedEvent extends VersionEvent {
  static final QueuedEvent PROBE = new QueuedEvent();

  @Label("Request Id")
  private String requestId = "";

  @Label("Queue Time")
  @Description("Since the server had read the request")
  @Timespan(Timespan.NANOSECONDS)
  private long queueTime;

  @Label("Outcome")
  @Description("DISPATCHED, or why the request was rejected")
  private String outcome = "";

  /** Records the end of the time in the queue. */
  public void record(ModelKey key, String id, long queueNanos, String newOutcome) {
    end();
    if (shouldCommit()) {
      requestId = id;
      queueTime = queueNanos;
      outcome = newOutcome;
      commit(key);
    }
  }
}
