package io.nereid.engine.memory;

import java.util.Set;

/** Whether the system's calls have the constants that this program knows. */
public final class Linux {
  /** Those whose constants are those of {@code asm-generic}. */
  private static final Set<String> ARCHITECTURES = Set.of("amd64", "aarch64");

  private Linux() {}

  /**
   * Whether this is Linux on an architecture whose constants are known.
   *
   * @param system the system property {@code os.name}
   * @param architecture the system property {@code os.arch}
   */
  public static boolean isKnown(String system, String architecture) {
    return system.equals("Linux") && ARCHITECTURES.contains(architecture);
  }
}
