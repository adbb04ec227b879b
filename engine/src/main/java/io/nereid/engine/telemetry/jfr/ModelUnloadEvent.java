package io.nereid.engine.telemetry.jfr;

import io.nereid.request.ModelKey;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;

/**
 * The end of a model version, from the moment when it accepts no more requests until it is closed.
 */
@Name("nereid.ModelUnload")
@Label("Model Unloaded")
@Description("From when a model version accepts no more requests until it is closed")
public final class ModelUnloadEvent extends VersionEvent {
  /** Records that the version is closed. */
  public void closed(ModelKey key) {
    commit(key);
  }
}
