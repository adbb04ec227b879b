package io.nereid.trees.forest;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.stream.DoubleStream;

/** The rules of nodes as they are added; see {@link SplitRules}. */
final class RuleList {
  /** So that an index stays an {@code int} whatever an array grows to. */
  private static final int MAX_WORDS = 1 << 29;

  private final IntList ruleOf = new IntList();
  private final List<TreeNodes.Rule> kinds = new ArrayList<>();
  private final DoubleStream.Builder bounds = DoubleStream.builder();
  private final BitSet missingFirst = new BitSet();
  private final BitSet isListed = new BitSet();
  private final IntList setAt = new IntList();
  private final IntList sets = new IntList();

  RuleList() {
    kinds.add(TreeNodes.Rule.LEAF); // rule 0 is none
    bounds.accept(0);
    setAt.add(0);
    setAt.add(0);
  }

  /** Adds a node without a rule. */
  void none() {
    ruleOf.add(0);
  }

  /** Adds a node with a rule. */
  void add(TreeNodes tree, int node) throws MalformedModelException {
    int[] set = tree.sets[node].values();
    if (sets.size() > MAX_WORDS - set.length) {
      throw new MalformedModelException(
          "its sets of categories take more than %d words".formatted(MAX_WORDS));
    }
    ruleOf.add(kinds.size());
    missingFirst.set(kinds.size(), tree.missingLeft[node]);
    isListed.set(kinds.size(), tree.sets[node].isListed());
    kinds.add(tree.rules[node]);
    bounds.accept(tree.bounds[node]);
    for (int word : set) {
      sets.add(word);
    }
    setAt.add(sets.size());
  }

  SplitRules build() {
    boolean[] missing = new boolean[kinds.size()];
    boolean[] listed = new boolean[kinds.size()];
    for (int i = 0; i < missing.length; i++) {
      missing[i] = missingFirst.get(i);
      listed[i] = isListed.get(i);
    }
    return new SplitRules(
        kinds.size() == 1 ? new int[0] : ruleOf.toArray(),
        kinds.toArray(TreeNodes.Rule[]::new),
        bounds.build().toArray(),
        missing,
        setAt.toArray(),
        listed,
        sets.toArray());
  }
}
