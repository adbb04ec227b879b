package io.nereid.engine.telemetry.jfr;

import io.nereid.request.ModelKey;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** The dispatch of a batch to an instance. */
@Name("nereid.BatchFormed")
@Label("Batch Formed")
@Description("A scheduler has dispatched a batch to an instance")
@Category("Nereid")
@StackTrace(false)
@SuppressWarnings("UnusedVariable") // the recorder reads the fields
public final class BatchFormedEvent extends Event {
  /** Tells whether events are recorded without an allocation. */
  private static final BatchFormedEvent PROBE = new BatchFormedEvent();

  @Label("Model")
  private String model = "";

  @Label("Version")
  private long version;

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

  private BatchFormedEvent() {}

  /** Whether a recording has enabled this event. */
  static boolean isOn() {
    return PROBE.isEnabled();
  }

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
    event.model = model.name();
    event.version = model.version();
    event.instance = instance;
    event.size = size;
    event.rows = rows;
    event.reason = reason;
    event.oldestAge = oldestAgeNanos;
    event.commit();
  }
}
