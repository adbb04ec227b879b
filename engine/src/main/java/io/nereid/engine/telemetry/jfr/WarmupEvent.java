package io.nereid.engine.telemetry.jfr;

import io.nereid.request.ModelKey;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** The execution of one warm-up sample by one instance, as often as the sample states. */
@Name("nereid.Warmup")
@Label("Warm-up Sample Executed")
@Description("All executions of one warm-up sample by one instance")
@SuppressWarnings("UnusedVariable") // the recorder reads the fields
public final class WarmupEvent extends VersionEvent {
  @Label("Instance")
  private String instance = "";

  @Label("Sample")
  private String sample = "";

  @Label("Failed")
  private boolean failed;

  /**
   * Records the end of the last execution.
   *
   * @param name the instance's name
   * @param sampleName the sample's name
   * @param hasFailed whether an execution failed, which ends the load
   */
  public void record(ModelKey key, String name, String sampleName, boolean hasFailed) {
    instance = name;
    sample = sampleName;
    failed = hasFailed;
    commit(key);
  }
}
