package io.nereid.spi;

import io.nereid.spi.metrics.BackendMetrics;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What the server gives a backend: its options, its folder, its log and its metrics. The server and
 * the kit implement it, so it may get further methods. Valid until {@link Backend#close} has
 * returned; thread-safe.
 */
public interface BackendContext {
  /** The backend's name, as {@link BackendProvider#name} has it. */
  String name();

  /**
   * The operator's options, from {@code --backend-config=<backend>,<key>=<value>} and, for all
   * backends, {@code --backend-config=<key>=<value>}; the backend's own take precedence. Once
   * {@link BackendProvider#open} has returned, the server warns of those of the backend's own that
   * were not read, since their keys may be misspelt.
   */
  TypedOptions options();

  /**
   * The absolute path of the folder that the backend's jars lie in, {@code
   * <backend-directory>/<folder>}, with whatever else was put there: {@link System#load} takes the
   * path of a library in it, and {@link System#loadLibrary} finds one by its name. Empty if the
   * backend was found on the class path.
   */
  Optional<Path> folder();

  /**
   * The backend's log. Its lines are in the server's from level INFO on, with the backend's name,
   * in the server's format. In a program that embeds the engine they go where those of {@link
   * System.Logger} go; the logger's name is {@code io.nereid.backend.<name>}.
   */
  System.Logger logger();

  /** The backend's metrics, which the server shows with its own. */
  BackendMetrics metrics();
}
