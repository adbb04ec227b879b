import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarFile;
import java.util.zip.ZipFile;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.Node;

/**
 * Checks a staged Maven repository against what Maven Central asks for: for each POM name,
 * description, URL, licence, developers and SCM, its own or its parent's; no snapshot; beside each
 * jar its sources and its Javadoc; checksums. Signatures are made when it is published. Each jar has
 * a module's name that is not derived from the file's, and packages of its own.
 *
 * <pre>java CheckRelease.java &lt;repository&gt; &lt;version&gt;
 * </pre>
 */
final class CheckRelease {
  private static final List<String> INHERITED = List.of("url", "licenses", "developers", "scm");
  private static final Map<String, List<String>> CHILDREN =
      Map.of(
          "licenses", List.of("license"),
          "developers", List.of("developer"),
          "scm", List.of("url", "connection"));

  private final List<String> problems = new ArrayList<>();
  private final Map<String, Element> projects = new HashMap<>();
  private final Map<String, String> modulesOfPackages = new HashMap<>();

  private CheckRelease() {}

  public static void main(String[] arguments) throws Exception {
    Path repository = Path.of(arguments[0]);
    var check = new CheckRelease();
    List<Path> files;
    try (var walk = Files.walk(repository)) {
      files = walk.filter(Files::isRegularFile).sorted().toList();
    }
    List<Path> poms = files.stream().filter(file -> file.toString().endsWith(".pom")).toList();
    for (Path pom : poms) {
      var factory = DocumentBuilderFactory.newInstance();
      Element project = factory.newDocumentBuilder().parse(pom.toFile()).getDocumentElement();
      check.projects.put(text(project, "artifactId"), project);
    }
    for (Path pom : poms) {
      check.project(pom, arguments[1]);
    }
    for (Path file : files) {
      String name = file.toString();
      if (!name.endsWith(".md5") && !name.endsWith(".sha1")) {
        for (String sum : List.of(".md5", ".sha1")) {
          check.require(Files.exists(Path.of(name + sum)), name + " has no " + sum);
        }
      }
    }
    check.require(!poms.isEmpty(), "no POM in " + repository);
    check.problems.forEach(problem -> System.err.println("release: " + problem));
    System.out.printf("release: %d POMs, %d problems%n", poms.size(), check.problems.size());
    System.exit(check.problems.isEmpty() ? 0 : 1);
  }

  private void project(Path pom, String version) throws IOException {
    Element project = projects.get(artifact(pom));
    String id = artifact(pom);
    for (String own : List.of("modelVersion", "artifactId", "name", "description")) {
      require(!text(project, own).isBlank(), id + " has no " + own);
    }
    for (String name : INHERITED) {
      Element found = child(project, name);
      Element parent = child(project, "parent");
      if (found == null && parent != null) {
        Element inherited = projects.get(text(parent, "artifactId"));
        require(inherited != null, id + ": its parent is not in the repository");
        found = inherited == null ? null : child(inherited, name);
      }
      require(found != null && !found.getTextContent().isBlank(), id + " has no " + name);
      for (String part : CHILDREN.getOrDefault(name, List.of())) {
        require(found != null && child(found, part) != null, id + ": " + name + " has no " + part);
      }
    }
    require(pom.getParent().getFileName().toString().equals(version), id + " is not " + version);
    require(!Files.readString(pom).contains("-SNAPSHOT"), id + " refers to a snapshot");
    if (!text(project, "packaging").equals("pom")) {
      for (String kind : List.of("", "-sources", "-javadoc")) {
        Path jar = pom.resolveSibling("%s-%s%s.jar".formatted(id, version, kind));
        require(Files.exists(jar) && hasFiles(jar), id + ": no " + jar.getFileName());
      }
      module(pom.resolveSibling("%s-%s.jar".formatted(id, version)));
    }
  }

  private void module(Path jar) throws IOException {
    for (ModuleReference found : ModuleFinder.of(jar).findAll()) {
      ModuleDescriptor module = found.descriptor();
      System.out.printf("release: %-40s %s%n", jar.getFileName(), module.name());
      try (var file = new JarFile(jar.toFile())) {
        require(
            !module.isAutomatic()
                || file.getManifest().getMainAttributes().getValue("Automatic-Module-Name") != null,
            jar.getFileName() + " has no name of a module");
      }
      for (String each : module.packages()) {
        String other = modulesOfPackages.putIfAbsent(each, module.name());
        require(other == null, "%s and %s have a package %s".formatted(other, module.name(), each));
      }
    }
  }

  private static String artifact(Path pom) {
    return pom.getParent().getParent().getFileName().toString();
  }

  private static boolean hasFiles(Path jar) throws IOException {
    try (var zip = new ZipFile(jar.toFile())) {
      return zip.stream().anyMatch(entry -> entry.getName().matches(".*\\.(class|java|html)"));
    }
  }

  private void require(boolean fulfilled, String problem) {
    if (!fulfilled) {
      problems.add(problem);
    }
  }

  private static Element child(Element parent, String name) {
    for (Node each = parent.getFirstChild(); each != null; each = each.getNextSibling()) {
      if (each instanceof Element element && element.getTagName().equals(name)) {
        return element;
      }
    }
    return null;
  }

  private static String text(Element parent, String name) {
    Element found = child(parent, name);
    return found == null ? "" : found.getTextContent();
  }
}
