package io.nereid.engine.model.repository;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Changes of a repository in all orders of their edits, with polls at all sets of points between
 * the edits: only complete states settle.
 */
class SettledCopyTest {
  static Stream<RepositoryChange> copies() {
    return RepositoryChange.copies();
  }

  static Stream<RepositoryChange> renamings() {
    return RepositoryChange.renamings();
  }

  @ParameterizedTest
  @MethodSource("copies")
  void copiedFilesSettleOnlyTogetherIfNoTwoPollsSeeTheSamePartOfThem(RepositoryChange change) {
    change.forEachOrder(order -> settle(change, order, 1));
  }

  @ParameterizedTest
  @MethodSource("renamings")
  void filesThatAreRenamedIntoPlaceSettleTogetherWhereverThePollsAre(RepositoryChange change) {
    change.forEachOrder(order -> settle(change, order, 3));
  }

  /** Polls up to {@code maxPolls} times before the edits, between any two of them, and after. */
  private static void settle(RepositoryChange change, List<Edit> order, int maxPolls) {
    List<RepositoryContents> states = states(change, order);
    List<@Nullable DirectoryContents> contents = new ArrayList<>();
    states.forEach(state -> contents.add(state.models().get("m")));
    Set<@Nullable DirectoryContents> complete = Collections.newSetFromMap(new IdentityHashMap<>());
    complete.addAll(contents);
    complete.removeIf(
        model -> !isSame(model, contents.getFirst()) && !isSame(model, contents.getLast()));
    int[] polls = new int[states.size()];
    do {
      var settled = new SettledContents(states.getFirst());
      for (int state = 0; state < polls.length; state++) {
        for (int poll = 0; poll < polls[state]; poll++) {
          settled.observe(states.get(state));
          @Nullable DirectoryContents now = settled.models().get("m");
          if (!complete.contains(now)) { // as the same object
            throw new AssertionError(
                "%s settled; edits %s, polls %s".formatted(now, order, Arrays.toString(polls)));
          }
        }
      }
      settled.observe(states.getLast());
      settled.observe(states.getLast());
      assertThat(settled.models().get("m")).isEqualTo(contents.getLast());
    } while (increment(polls, maxPolls));
  }

  private static boolean isSame(@Nullable DirectoryContents now, @Nullable DirectoryContents then) {
    return now == null ? then == null : then != null && now.changesSince(then).isEmpty();
  }

  /** The contents of the repository before the edits and after each of them. */
  private static List<RepositoryContents> states(RepositoryChange change, List<Edit> order) {
    List<RepositoryContents> states = new ArrayList<>();
    try (var repository = new MemoryRepository()) {
      change.start().forEach(repository::apply);
      states.add(repository.repository().contents());
      for (Edit edit : order) {
        repository.apply(edit);
        states.add(repository.repository().contents());
      }
    }
    return states;
  }

  /** Counts up in base {@code max + 1}; returns false after the last number. */
  private static boolean increment(int[] digits, int max) {
    for (int place = 0; place < digits.length; place++) {
      if (digits[place] < max) {
        digits[place]++;
        return true;
      }
      digits[place] = 0;
    }
    return false;
  }
}
