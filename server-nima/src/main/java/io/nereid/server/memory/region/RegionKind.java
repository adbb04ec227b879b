package io.nereid.server.memory.region;

/** The kinds of regions, which have one space of names. */
public enum RegionKind {
  /** A POSIX shared memory object, {@code shm_open(3)}. */
  SYSTEM("system"),

  /** Memory of a GPU that another process has allocated. */
  CUDA("cuda");

  private final String word;

  RegionKind(String word) {
    this.word = word;
  }

  /** The kind as messages write it. */
  public String word() {
    return word;
  }
}
