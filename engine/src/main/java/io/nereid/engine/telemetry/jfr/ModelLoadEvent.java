package io.nereid.engine.telemetry.jfr;

import io.nereid.request.ModelKey;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** The load of a model version, from its first read until it can serve or has failed. */
@Name("nereid.ModelLoad")
@Label("Model Loaded")
@Description("The load of a model version, with its warm-up")
@SuppressWarnings("UnusedVariable") // the recorder reads the fields
public final class ModelLoadEvent extends VersionEvent {
  @Label("Instances")
  private int instances;

  @Label("Failed")
  private boolean failed;

  @Label("Reason")
  @Description("Why the load failed")
  private String reason = "";

  /** Records that the version can serve. */
  public void loaded(ModelKey key, int instanceCount) {
    instances = instanceCount;
    commit(key);
  }

  /** Records that the version cannot serve. */
  public void failed(ModelKey key, String failure) {
    failed = true;
    reason = failure;
    commit(key);
  }
}
