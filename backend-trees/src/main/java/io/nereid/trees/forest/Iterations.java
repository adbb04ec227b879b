package io.nereid.trees.forest;

/**
 * The iterations of a training, each of which has added trees, and those that predictions use.
 *
 * @param treeAt by iteration: its first tree; one more entry than there are iterations
 * @param best the iteration that early stopping found to be the best; -1 if the file names none. It
 *     may not be one of the iterations
 * @param usesBest whether the library's prediction ends with the best iteration
 * @param begin the first that predictions use
 * @param end the one behind the last that they use
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Iterations(int[] treeAt, int best, boolean usesBest, int begin, int end) {
  /** All iterations, of which each has added as many trees. */
  public static Iterations of(int trees, long treesEach) throws MalformedModelException {
    if (treesEach < 1 || trees % treesEach != 0) {
      throw new MalformedModelException(
          "it has %d trees, which is no multiple of the %d that an iteration adds"
              .formatted(trees, treesEach));
    }
    int[] treeAt = new int[(int) (trees / treesEach) + 1];
    for (int i = 0; i < treeAt.length; i++) {
      treeAt[i] = (int) (i * treesEach);
    }
    return of(treeAt);
  }

  /** All iterations. */
  public static Iterations of(int[] treeAt) {
    return new Iterations(treeAt, -1, /* usesBest= */ false, 0, treeAt.length - 1);
  }

  /** The same with the best iteration. */
  public Iterations withBest(int iteration, boolean isUsed) {
    return new Iterations(treeAt, iteration, isUsed, begin, end);
  }

  /** The same, of which predictions use some. */
  Iterations used(int first, int last) {
    return new Iterations(treeAt, best, usesBest, first, last);
  }

  /** The number of iterations, used or not. */
  public int count() {
    return treeAt.length - 1;
  }

  /** The number of those that predictions use. */
  public int used() {
    return end - begin;
  }

  int firstTree() {
    return treeAt[begin];
  }

  /** The tree behind the last. */
  int endTree() {
    return treeAt[end];
  }

  void check(int trees) throws MalformedModelException {
    boolean ascends = treeAt.length > 0 && treeAt[0] == 0 && treeAt[treeAt.length - 1] == trees;
    for (int i = 1; i < treeAt.length; i++) {
      ascends &= treeAt[i - 1] <= treeAt[i];
    }
    if (!ascends) {
      throw new MalformedModelException(
          "the first trees of its iterations do not ascend from 0 to its %d trees"
              .formatted(trees));
    }
  }
}
