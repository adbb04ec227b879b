package io.nereid.engine.telemetry.jfr;

import io.nereid.request.ModelKey;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A change of the instances of a model version that serves. */
@Name("nereid.InstanceUpdate")
@Label("Instances Updated")
@Description("Instances were added to a model version, or removed from it, while it serves")
@Category("Nereid")
@StackTrace(false)
@SuppressWarnings("UnusedVariable") // the recorder reads the fields
public final class InstanceUpdateEvent extends Event {
  @Label("Model")
  private String model = "";

  @Label("Version")
  private long version;

  @Label("Before")
  private int before;

  @Label("After")
  private int after;

  @Label("Failed")
  private boolean failed;

  private InstanceUpdateEvent() {}

  /** Begins the event of a change. */
  static InstanceUpdateEvent started() {
    var event = new InstanceUpdateEvent();
    event.begin();
    return event;
  }

  /**
   * Records the end of the change.
   *
   * @param oldCount of instances
   * @param newCount the same number if the change failed
   * @param hasFailed whether the instances are as before, because one could not be opened
   */
  public void record(ModelKey key, int oldCount, int newCount, boolean hasFailed) {
    model = key.name();
    version = key.version();
    before = oldCount;
    after = newCount;
    failed = hasFailed;
    commit();
  }
}
