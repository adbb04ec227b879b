package io.nereid.tck.execution;

import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The memory that a backend has given for outputs, until it is released. Thread-safe. */
final class GivenMemory {
  private final Violations violations;
  private final List<Given> all = new ArrayList<>();

  GivenMemory(Violations violations) {
    this.violations = violations;
  }

  private static final class Given {
    final Tensor output;
    final Runnable release;
    byte @Nullable [] content;

    Given(Tensor output, Runnable release) {
      this.output = output;
      this.release = release;
    }
  }

  /** Takes an output and its release. */
  synchronized void add(Tensor output, Runnable release) {
    all.add(new Given(output, release));
  }

  /** Notes what the memory contains, once all of it is written. */
  synchronized void note() {
    for (Given given : all) {
      MemorySegment data = given.output.data();
      if (data.scope().isAlive() && data.isAccessibleBy(Thread.currentThread())) {
        given.content = data.toArray(ValueLayout.JAVA_BYTE);
      }
    }
  }

  /** Checks that the memory is open and as it was noted. */
  synchronized void requireUnchanged() {
    for (Given given : all) {
      MemorySegment data = given.output.data();
      byte[] content = given.content;
      if (!data.scope().isAlive()) {
        violations.add(
            "BACKEND-MEMORY-04",
            "output '%s' was freed before its release".formatted(given.output.name()));
      } else if (content != null && data.mismatch(MemorySegment.ofArray(content)) != -1) {
        violations.add(
            "BACKEND-MEMORY-11",
            "the memory that was given as output '%s' changed before its release"
                .formatted(given.output.name()));
      }
    }
  }

  /** The segments that were given and are not released. */
  synchronized List<MemorySegment> segments() {
    return all.stream().map(given -> given.output.data()).toList();
  }

  /** Releases all, once. */
  void release() {
    List<Given> released;
    synchronized (this) {
      released = List.copyOf(all);
      all.clear();
    }
    for (int i = 0; i < released.size(); i++) {
      Given given = released.get(i);
      try {
        given.release.run();
      } catch (Throwable thrown) { // as the server does, which has other memory to release
        violations.add(
            "BACKEND-MEMORY-12",
            "the release of output '%s' throws %s".formatted(given.output.name(), thrown));
      }
      for (Given left : released.subList(i + 1, released.size())) {
        if (!left.output.data().scope().isAlive()) {
          violations.add(
              "BACKEND-MEMORY-04",
              "output '%s' was freed by the release of output '%s'"
                  .formatted(left.output.name(), given.output.name()));
        }
      }
    }
  }
}
