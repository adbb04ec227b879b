package io.nereid.engine.testing;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The rules for the packages of a module.
 *
 * @param root the package that has all packages of the module below it
 * @param classes those of the module, without its tests
 * @param others the roots of modules whose packages are named in the table of dependencies, too;
 *     the last part of a root comes before their names
 */
public record PackageRules(String root, JavaClasses classes, Set<String> others) {
  private static final Pattern GENERATED = Pattern.compile("io\\.nereid\\.\\w+\\.protobuf.*");
  private static final Pattern ROW = Pattern.compile("^\\| `([\\w.]+)` \\|", Pattern.MULTILINE);

  /**
   * The rules for a module in the class path.
   *
   * @param folder of the module, such as {@code /engine/}
   */
  public static PackageRules of(String root, String folder, String... others) {
    JavaClasses classes =
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .withImportOption(location -> location.contains(folder))
            .importPackages("io.nereid");
    return new PackageRules(root, classes, Set.of(others));
  }

  /** {@code codec.json} for a class of that package; empty for a class of none that is named. */
  private String nameOf(JavaClass each) {
    String name = each.getBaseComponentType().getPackageName();
    if (isGenerated(name)) {
      return "";
    }
    if (name.startsWith(root + ".")) {
      return name.substring(root.length() + 1);
    }
    return others.stream()
        .filter(other -> name.equals(other) || name.startsWith(other + "."))
        .map(other -> name.substring(other.lastIndexOf('.') + 1))
        .findFirst()
        .orElse("");
  }

  private static boolean isGenerated(String packageName) {
    return GENERATED.matcher(packageName).matches();
  }

  /** The packages below the root, and which others each depends on. */
  private Map<String, Set<String>> dependencies() {
    Map<String, Set<String>> dependencies = new TreeMap<>();
    for (JavaClass each : classes) {
      String from = nameOf(each);
      if (!from.isEmpty()) {
        Set<String> targets = dependencies.computeIfAbsent(from, _ -> new TreeSet<>());
        each.getDirectDependenciesFromSelf().stream()
            .map(dependency -> nameOf(dependency.getTargetClass()))
            .filter(target -> !target.isEmpty() && !target.equals(from))
            .forEach(targets::add);
      }
    }
    return dependencies;
  }

  private static Map<String, Set<String>> read(String table) {
    return table
        .lines()
        .map(line -> line.strip().split("\\s+<-\\s+"))
        .collect(
            Collectors.toMap(
                sides -> sides[0],
                sides -> sides.length == 1 ? Set.of() : Set.of(sides[1].split("\\s+")),
                (_, _) -> {
                  throw new IllegalStateException("a package is stated twice");
                },
                TreeMap::new));
  }

  /**
   * Asserts that the packages depend on what is stated, and that all of that is still so.
   *
   * @param table a line for each package: its name below the root, and those that it depends on
   */
  public void assertDependencies(String table) {
    assertThat(dependencies()).isEqualTo(read(table));
  }

  /** Asserts that the section of a page that begins with a line has a row for each package. */
  public void assertDescribed(Path page, String section) throws IOException {
    String text = Files.readString(page);
    String part = text.substring(text.indexOf(section) + section.length());

    assertThat(ROW.matcher(part.substring(0, part.indexOf("\n\n", part.indexOf("\n|")))).results())
        .extracting(row -> row.group(1))
        .containsExactlyInAnyOrderElementsOf(dependencies().keySet());
  }

  /** Asserts that neither packages nor subsystems, each with the packages below it, have cycles. */
  public void assertNoCycles() {
    for (String slices : new String[] {root + ".(**)", root + ".(*).."}) {
      SlicesRuleDefinition.slices().matching(slices).should().beFreeOfCycles().check(classes);
    }
  }

  /** Asserts that each package says what it is for. */
  public void assertPackageInfo() {
    classes.forEach(each -> {
      if (!isGenerated(each.getPackageName())) {
        assertThat(each.getPackage().tryGetPackageInfo())
            .as("package-info of %s", each.getPackageName())
            .isPresent();
      }
    });
  }

  /**
   * Asserts that only some packages use a library.
   *
   * @param packages below the root, separated by spaces; each with those below it
   */
  public void assertOnlyTheseUse(String library, String packages) {
    noClasses()
        .that()
        .resideInAPackage(root + ".*..")
        .and()
        .resideOutsideOfPackages(named(packages))
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(library)
        .check(classes);
  }

  /** Asserts that only some packages call native code; as {@link #assertOnlyTheseUse}. */
  public void assertOnlyTheseCallNativeCode(String packages) {
    noClasses()
        .that()
        .resideOutsideOfPackages(named(packages))
        .should()
        .dependOnClassesThat()
        .haveFullyQualifiedName("java.lang.foreign.Linker")
        .orShould()
        .dependOnClassesThat()
        .haveFullyQualifiedName("java.lang.foreign.SymbolLookup")
        .check(classes);
  }

  private String[] named(String packages) {
    return Arrays.stream(packages.split(" "))
        .filter(name -> !name.isEmpty())
        .map(name -> root + "." + name + "..")
        .toArray(String[]::new);
  }

  /** Asserts that no class can be inherited but some. */
  public void assertFinal(Class<?>... inherited) {
    ArchRuleDefinition.classes()
        .that()
        .resideOutsideOfPackages("io.nereid.*.protobuf..")
        .and()
        .areNotInterfaces()
        .and()
        .areNotEnums()
        .and()
        .haveSimpleNameNotEndingWith("package-info")
        .and()
        .haveSimpleNameNotEndingWith("module-info")
        .and()
        .areNotAnonymousClasses()
        .and()
        .doNotBelongToAnyOf(inherited)
        .should()
        .haveModifier(JavaModifier.FINAL)
        .check(classes);
  }
}
