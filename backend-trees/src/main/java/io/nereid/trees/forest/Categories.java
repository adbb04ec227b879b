package io.nereid.trees.forest;

import java.util.List;

/**
 * The categories of a feature as the data had them; the trees know them by their index.
 *
 * @param areNumbers whether they are numbers, as texts that {@link Double#parseDouble} reads
 */
public record Categories(List<String> texts, boolean areNumbers) {
  public Categories {
    texts = List.copyOf(texts);
  }
}
