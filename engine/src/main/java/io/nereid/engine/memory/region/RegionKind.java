package io.nereid.engine.memory.region;

/** The kinds of regions, which have one space of names. */
public enum RegionKind {
  /** A POSIX shared memory object, {@code shm_open(3)}. */
  SYSTEM("system", "system"),

  /** Memory of a GPU that another process has allocated. */
  CUDA("cuda", "CUDA");

  private final String word;
  private final String title;

  RegionKind(String word, String title) {
    this.word = word;
    this.title = title;
  }

  /** The kind as messages write it. */
  public String word() {
    return word;
  }

  /** The kind as messages write it that tell one from the other. */
  String title() {
    return title;
  }
}
