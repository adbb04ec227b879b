package io.nereid.java;

import io.nereid.error.InferenceException;
import java.lang.System.Logger.Level;

/**
 * What the code of a model calls in place of {@link System#exit}, which does not return: the exit
 * waits for the requests, and so would wait for the one whose thread has called it.
 */
public final class ModelExit {
  private static final System.Logger LOG = System.getLogger(ModelExit.class.getName());

  private ModelExit() {}

  /**
   * Has another thread end the process.
   *
   * @throws InferenceException UNAVAILABLE, always
   */
  public static void exit(int status) {
    String stops =
        "the server stops: the code of a model has called System.exit(%d)".formatted(status);
    LOG.log(Level.ERROR, stops, new IllegalStateException("System.exit"));
    Thread.ofPlatform()
        .name("exit")
        .inheritInheritableThreadLocals(false) // nor the class loader of the model
        .start(() -> System.exit(status));
    throw InferenceException.unavailable(stops);
  }

  /** The same in place of {@link Runtime#exit}. */
  public static void exit(Runtime unused, int status) {
    exit(status);
  }
}
