package io.nereid.engine.telemetry.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A look at all model repositories for changes. */
@Name("nereid.RepositoryPoll")
@Label("Repositories Polled")
@Description("A look at all model repositories for changes, without the loads that follow")
@Category("Nereid")
@StackTrace(false)
@SuppressWarnings("UnusedVariable") // the recorder reads the fields
public final class RepositoryPollEvent extends Event {
  @Label("Models")
  @Description("The models that were found")
  private int models;

  @Label("Changed")
  @Description("The models to load, reload or unload")
  private int changed;

  /**
   * Records the end of the poll.
   *
   * @param found how many models the repositories have
   * @param toChange how many models are to be loaded, reloaded or unloaded
   */
  public void record(int found, int toChange) {
    models = found;
    changed = toChange;
    commit();
  }
}
