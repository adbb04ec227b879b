package io.nereid.engine.telemetry.jfr;

import io.nereid.request.ModelKey;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** A change of the instances of a model version that serves. */
@Name("nereid.InstanceUpdate")
@Label("Instances Updated")
@Description("Instances were added to a model version, or removed from it, while it serves")
@SuppressWarnings("UnusedVariable") // the recorder reads the fields
public final class InstanceUpdateEvent extends VersionEvent {
  @Label("Before")
  private int before;

  @Label("After")
  private int after;

  @Label("Failed")
  private boolean failed;

  /**
   * Records the end of the change.
   *
   * @param oldCount of instances
   * @param newCount the same number if the change failed
   * @param hasFailed whether the instances are as before, because one could not be opened
   */
  public void record(ModelKey key, int oldCount, int newCount, boolean hasFailed) {
    before = oldCount;
    after = newCount;
    failed = hasFailed;
    commit(key);
  }
}
