package io.nereid.server;

import java.util.logging.LogManager;

/**
 * A log manager that keeps its handlers while the process ends. The JDK's own takes them away in a
 * shutdown hook that runs beside ours, and the last lines of an orderly stop would be lost. Named
 * by a system property, so it is public.
 */
public final class ServerLogManager extends LogManager {
  @Override
  public void reset() {
    // Handlers are set once, by Logging.
  }
}
