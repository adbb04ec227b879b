package io.nereid.trees.forest;

import java.util.Arrays;

/**
 * The categories that a node sends to the left, in no more memory than a list of them takes.
 *
 * @param values a bit for each category: category {@code c} is bit {@code c % 32} of word {@code c
 *     / 32}; or the categories themselves, ascending
 * @param isListed whether they are the categories themselves
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record CategorySet(int[] values, boolean isListed) {
  public static final CategorySet EMPTY = ofBits(new int[0]);

  /** Libraries know no category from here on: floats no longer have every integer. */
  private static final int END = 1 << 24;

  /** A set of which a file has the bits. */
  public static CategorySet ofBits(int[] words) {
    return new CategorySet(words, false);
  }

  /**
   * The set of {@code categories[from, to)}, which a file lists.
   *
   * @param tree its number, for messages
   */
  public static CategorySet of(int tree, int[] categories, int from, int to)
      throws MalformedModelException {
    int[] sorted = Arrays.copyOfRange(categories, from, to);
    Arrays.sort(sorted);
    if (sorted.length == 0) {
      return EMPTY;
    }
    int largest = sorted[sorted.length - 1];
    if (sorted[0] < 0 || largest >= END) {
      throw new MalformedModelException(
          "tree %d has the category %d, which must be from 0 to %d"
              .formatted(tree, sorted[0] < 0 ? sorted[0] : largest, END - 1));
    }
    int words = (largest >> 5) + 1;
    if (words > sorted.length) {
      return new CategorySet(sorted, true);
    }
    int[] bits = new int[words];
    for (int category : sorted) {
      bits[category >> 5] |= 1 << category;
    }
    return ofBits(bits);
  }
}
