package io.nereid.tools.data;

import java.util.List;

/**
 * How the rows of a text file are read.
 *
 * @param ignored names of columns that are left out
 * @param isInOrder whether the only input of a model takes columns in their order, whatever their
 *     names
 * @param mayLack whether a file may lack inputs, also one of arrays
 */
public record TextFormat(
    Header header, char separator, List<String> ignored, boolean isInOrder, boolean mayLack) {
  /** Whether the first line of a CSV has the names of the columns. */
  public enum Header {
    YES,
    NO,
    /** By its content: refused if it has numbers only. */
    UNSAID
  }

  public TextFormat {
    ignored = List.copyOf(ignored);
  }
}
