package io.nereid.engine.scheduling.ensemble.graph;

/**
 * A disagreement between an ensemble and the model of a step.
 *
 * @param step the index of the step; -1 if the outputs of the ensemble are concerned
 * @param place what is concerned
 * @param name the mapped input or output of the step's model; empty unless one is concerned
 * @param message Triton's text
 */
public record DependencyProblem(int step, Place place, String name, String message) {
  /** A part of a step. */
  public enum Place {
    MODEL,
    INPUT,
    OUTPUT
  }
}
