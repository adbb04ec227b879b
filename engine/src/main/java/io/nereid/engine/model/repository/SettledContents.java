package io.nereid.engine.model.repository;

import java.util.Collections;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The contents of a repository on which poll mode acts. A model's contents settle once two
 * consecutive polls have seen the same: when the model appears, when it changes, and when it is no
 * longer there. So a model is not loaded while it is being copied, and {@code rm -r m; mv new m}
 * does not unload it, wherever the polls are. Each change is acted upon one poll later than it
 * could be.
 *
 * <p>A copy that pauses for longer than the time between two polls looks finished. To be safe, copy
 * to a name that begins with a dot, in the repository or in the model's directory, and rename.
 *
 * <pre>{@code
 * poll         contents of m    settled
 * start        A                A (all that is there at the start settles at once)
 * 1            A and part of B  A
 * 2            B                A
 * 3            B                B
 * 4            none             B
 * 5            C                B
 * 6            C                C
 * 7            unreadable       C
 * 8            none             C (the poll before does not count)
 * 9            none             none
 * }</pre>
 *
 * <p>Pure. Not thread-safe.
 */
public final class SettledContents {
  private final SortedMap<String, DirectoryContents> settled;
  private RepositoryContents previous;

  /**
   * @param start all of it settles at once
   */
  public SettledContents(RepositoryContents start) {
    this.settled = new TreeMap<>(start.models());
    this.previous = start;
  }

  /** The settled contents by model. Does not change with the next poll. */
  public SortedMap<String, DirectoryContents> models() {
    return Collections.unmodifiableSortedMap(new TreeMap<>(settled));
  }

  /** Adds what a poll has seen. */
  public void observe(RepositoryContents now) {
    Set<String> names = new TreeSet<>(now.models().keySet());
    names.addAll(settled.keySet());
    names.removeAll(now.unreadable().keySet());
    names.removeAll(previous.unreadable().keySet());
    for (String name : names) {
      DirectoryContents contents = now.models().get(name);
      if (Objects.equals(contents, previous.models().get(name))) {
        if (contents == null) {
          settled.remove(name);
        } else {
          settled.put(name, contents);
        }
      }
    }
    previous = now;
  }
}
