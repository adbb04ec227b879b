package io.nereid.engine.telemetry.jfr;

import io.nereid.request.ModelKey;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Timespan;

/** The dispatch of a batch to an instance. */
@Name("nereid.BatchFormed")
@Label("Batch Formed")
@Description("A scheduler has dispatched a batch to an instance")
@SuppressWarnings("UnusedVariable") // the recorder reads the fields
public final class BatchFormedEvent extends VersionEvent {
  /** Tells whether events are recorded without an allocation. */
  static final BatchFormedEvent PROBE = new BatchFormedEvent();

  @Label("Instance")
  private String instance = "";

  @Label("Requests")
  private int size;

  @Label("Rows")
  private long rows;

  @Label("Reason")
  private String reason = "";

  @Label("Age of the Oldest Request")
  @Timespan(Timespan.NANOSECONDS)
  private long oldestAge;

  /**
   * Records an event.
   *
   * @param instance the instance's name
   * @param size the number of requests
   * @param reason why the batch was dispatched
   * @param oldestAgeNanos since the arrival of the oldest request
   */
  public static void record(
      ModelKey model, String instance, int size, long rows, String reason, long oldestAgeNanos) {
    var event = new BatchFormedEvent();
    event.instance = instance;
    event.size = size;
    event.rows = rows;
    event.reason = reason;
    event.oldestAge = oldestAgeNanos;
    event.commit(model);
  }
}
