package io.nereid.lookup;

import java.util.AbstractList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.RandomAccess;
import java.util.function.Function;

/**
 * An immutable list of so many named values that a search by name would take long: a model with an
 * input for each column of a table may have hundreds, and each request names them all.
 */
public final class NamedList<T> extends AbstractList<T> implements RandomAccess {
  /** Up to which a search is as fast as a map. */
  private static final int SEARCHED = 16;

  private final List<T> values;
  private final Map<String, T> byName = new HashMap<>();

  private NamedList(List<T> values, Function<T, String> name) {
    this.values = values;
    values.forEach(value -> byName.putIfAbsent(name.apply(value), value));
  }

  /** An immutable copy; of a few values without an index. */
  public static <T> List<T> copyOf(List<T> values, Function<T, String> name) {
    if (values instanceof NamedList) {
      return values;
    }
    List<T> copy = List.copyOf(values);
    return copy.size() > SEARCHED ? new NamedList<>(copy, name) : copy;
  }

  /** The first value of a name in a list that {@link #copyOf} has made. */
  public static <T> Optional<T> find(List<T> values, String wanted, Function<T, String> name) {
    if (values instanceof NamedList<T> indexed) {
      return Optional.ofNullable(indexed.byName.get(wanted));
    }
    for (T value : values) { // on the request path: no stream
      if (name.apply(value).equals(wanted)) {
        return Optional.of(value);
      }
    }
    return Optional.empty();
  }

  @Override
  public T get(int index) {
    return values.get(index);
  }

  @Override
  public int size() {
    return values.size();
  }
}
