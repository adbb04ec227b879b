package io.nereid.server.doctor;

import io.nereid.engine.backend.BackendCatalog;
import io.nereid.engine.model.lint.LintSettings;
import io.nereid.server.frontend.Listener;
import java.util.List;

/**
 * The server that is to be started.
 *
 * @param poolBytes the most that tensors may take
 * @param listeners of the front ends that are to be served
 * @param openings what the server opens before it serves
 * @param repositories may be none
 * @param configs how configurations are read; without backends
 */
public record DoctorSettings(
    long poolBytes,
    List<Listener> listeners,
    List<Opening> openings,
    List<String> repositories,
    LintSettings configs,
    BackendCatalog backends) {
  public DoctorSettings {
    listeners = List.copyOf(listeners);
    openings = List.copyOf(openings);
    repositories = List.copyOf(repositories);
  }
}
