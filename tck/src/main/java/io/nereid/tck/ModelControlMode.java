package io.nereid.tck;

/** When a server loads models: Triton's option {@code --model-control-mode}. */
public enum ModelControlMode {
  /** All models at start. */
  NONE,
  /** All models at start, and whatever changes in the repositories, looked up every second. */
  POLL,
  /** The models that are named at start, then those that clients ask for. */
  EXPLICIT
}
