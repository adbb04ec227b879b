package io.nereid.tck.support;

import java.util.ArrayList;
import java.util.List;

/** Violations by a backend, in the order of its calls. */
final class Violations {
  private final List<String> texts = new ArrayList<>();

  /** Records a violation and returns it, to be thrown. */
  IllegalStateException add(String text, Object... arguments) {
    String violation = text.formatted(arguments);
    texts.add(violation);
    return new IllegalStateException(violation);
  }

  List<String> texts() {
    return List.copyOf(texts);
  }
}
