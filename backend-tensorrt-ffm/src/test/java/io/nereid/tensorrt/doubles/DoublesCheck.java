package io.nereid.tensorrt.doubles;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What a test has left behind: objects that were not there before it, and violations. */
final class DoublesCheck {
  private final CudartDouble cuda;
  private final Map<String, Long> before;

  /** Begins a test. */
  DoublesCheck(CudartDouble cuda) {
    this.cuda = cuda;
    this.before = cuda.live();
  }

  /**
   * Ends the test. Objects that are left are forgotten, so that the next test starts without them.
   *
   * @return in words, empty if all is well
   */
  List<String> end() {
    var problems = new ArrayList<String>();
    cuda.violations().forEach(violation -> problems.add("violation: " + violation));
    cuda.live()
        .forEach((kind, count) -> {
          long left = count - before.getOrDefault(kind, 0L);
          if (left != 0) {
            problems.add("%s: %+d".formatted(kind, left));
          }
        });
    if (!problems.isEmpty()) {
      cuda.forgetObjects();
    }
    return problems;
  }
}
