package io.nereid.tensorrt.builder;

import org.jspecify.annotations.Nullable;

/** What is told of the progress of a build. Several threads of TensorRT may call it at once. */
public interface ProgressListener {
  /**
   * A phase starts.
   *
   * @param parent the phase that it is part of; null if there is none
   * @param steps at least 1
   */
  void phaseStarted(String phase, @Nullable String parent, int steps);

  /**
   * A step of a phase is done.
   *
   * @param step from 0
   * @return whether the build goes on
   */
  boolean stepDone(String phase, int step);

  /** A phase is over, maybe before all its steps are done. */
  void phaseFinished(String phase);
}
