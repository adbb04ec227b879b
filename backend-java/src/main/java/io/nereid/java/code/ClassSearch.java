package io.nereid.java.code;

import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.reflect.AccessFlag;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * A search for the classes of a version that implement certain types, themselves or by what they
 * extend. It reads class files and loads none.
 */
final class ClassSearch {
  private static final String SUFFIX = ".class";

  /** A class that was read, and what it extends and implements. */
  private record Read(List<String> parents, boolean isPublic, boolean isAbstract) {}

  private final Map<String, Read> classes = new HashMap<>();
  private final Set<String> types;

  /**
   * Reads all classes.
   *
   * @param entries by name, such as {@code com/acme/Model.class}
   * @param types names of interfaces, such as {@code io.nereid.java.JavaModel}
   * @throws IllegalArgumentException if a file is no class; the message names it
   */
  ClassSearch(Map<String, List<byte[]>> entries, Set<String> types) {
    this.types = Set.copyOf(types);
    entries.forEach((name, found) -> {
      if (name.endsWith(SUFFIX) && !name.endsWith("-info" + SUFFIX)) {
        read(name, found.getFirst());
      }
    });
  }

  private void read(String name, byte[] bytes) {
    try {
      ClassModel model = ClassFile.of().parse(bytes);
      List<String> parents = new ArrayList<>();
      model.superclass().ifPresent(type -> parents.add(dotted(type.asInternalName())));
      model.interfaces().forEach(type -> parents.add(dotted(type.asInternalName())));
      classes.put(
          dotted(model.thisClass().asInternalName()),
          new Read(
              parents,
              model.flags().has(AccessFlag.PUBLIC),
              model.flags().has(AccessFlag.ABSTRACT)));
    } catch (IllegalArgumentException noClass) {
      throw new IllegalArgumentException(
          "'%s' is no class file: %s".formatted(name, noClass.getMessage()), noClass);
    }
  }

  private static String dotted(String internalName) {
    return internalName.replace('/', '.');
  }

  /** The names of the public classes that implement one of the types, sorted. */
  Set<String> candidates() {
    return implementing(/* isPublic= */ true);
  }

  /** The names of the classes that would be candidates if they were public, sorted. */
  Set<String> hidden() {
    return implementing(/* isPublic= */ false);
  }

  private Set<String> implementing(boolean isPublic) {
    Set<String> found = new TreeSet<>();
    classes.forEach((name, read) -> {
      if (!read.isAbstract() && read.isPublic() == isPublic && isOne(name, new HashSet<>())) {
        found.add(name);
      }
    });
    return found;
  }

  private boolean isOne(String name, Set<String> seen) {
    if (types.contains(name)) {
      return true;
    }
    Read read = classes.get(name);
    return read != null
        && seen.add(name)
        && read.parents().stream().anyMatch(parent -> isOne(parent, seen));
  }
}
