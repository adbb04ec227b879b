package io.nereid.tck.backend.defects;

import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * A defect, and the rule that sees it.
 *
 * @param rule the id
 * @param defect what the backend does, in the words of the table in the documentation
 * @param specimen makes the backend; each test class gets one
 */
record Planted(String rule, String defect, Supplier<Specimen> specimen) {
  /** All defects, in the order of the table. */
  static List<Planted> all() {
    return Stream.of(
            LifecycleDefects.all(),
            ExecutionDefects.all(),
            MemoryDefects.all(),
            ThreadDefects.all(),
            DeclarationDefects.all(),
            FlowDefects.all(),
            DetachedDefects.all(),
            LeakDefects.all(),
            LateMemoryDefects.all(),
            BlockingDefects.all(),
            SequenceDefects.all(),
            ValueDefects.all(),
            ExtremeDefects.all())
        .flatMap(List::stream)
        .toList();
  }

  static Planted of(String rule, String defect, Supplier<Specimen> specimen) {
    return new Planted("BACKEND-" + rule, defect, specimen);
  }
}
