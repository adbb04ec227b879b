package io.nereid.engine.model.control;

/** The values of {@code --model-control-mode}. */
public enum ControlMode {
  /** All models load when the server starts; later changes are ignored. */
  NONE,
  /** All models load when the server starts; the repositories are then polled for changes. */
  POLL,
  /** The start-up models load when the server starts; clients load and unload models. */
  EXPLICIT
}
