package io.nereid.trees.format;

import io.nereid.trees.forest.MalformedModelException;

/** Sets of categories as bits, of one tree. */
final class CategorySets {
  /** Libraries know no category from here on: floats no longer have every integer. */
  private static final int END = 1 << 24;

  /** The most words of 32 categories in the sets of a tree, since few categories can take many. */
  private static final long MAX_WORDS = 1 << 22;

  private final int tree;
  private long words;

  CategorySets(int tree) {
    this.tree = tree;
  }

  /** The set of {@code categories[from, to)}. */
  int[] of(int[] categories, int from, int to) throws MalformedModelException {
    int largest = -1;
    for (int i = from; i < to; i++) {
      if (categories[i] < 0 || categories[i] >= END) {
        throw new MalformedModelException(
            "tree %d has the category %d, which must be from 0 to %d"
                .formatted(tree, categories[i], END - 1));
      }
      largest = Math.max(largest, categories[i]);
    }
    int[] set = new int[(largest >> 5) + 1];
    words += set.length;
    if (words > MAX_WORDS) {
      throw new MalformedModelException(
          "tree %d has sets of categories of more than %d bits".formatted(tree, 32 * MAX_WORDS));
    }
    for (int i = from; i < to; i++) {
      set[categories[i] >> 5] |= 1 << categories[i];
    }
    return set;
  }
}
