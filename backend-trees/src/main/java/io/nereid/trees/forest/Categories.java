package io.nereid.trees.forest;

import java.util.List;

/**
 * The categories of a feature as the data had them; the trees know them by their index.
 *
 * @param areNumbers whether they are numbers, as texts that {@link Double#parseDouble} reads
 * @param areCut whether the texts are not those of the data: the library has stored parts of them
 */
public record Categories(List<String> texts, boolean areNumbers, boolean areCut) {
  public Categories {
    texts = List.copyOf(texts);
  }
}
