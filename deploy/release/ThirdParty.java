import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.Node;

/**
 * Writes what the licences of bundled jars ask for into the folder of their SBOM, {@code sbom.xml}
 * by CycloneDX: the list {@code THIRD-PARTY.txt} with the licence of each, and in {@code licenses}
 * the licences and notices that the jars themselves have, or that lie in a folder of texts. Fails
 * if a licence is not known, or a text is missing that must come with the jar.
 *
 * <pre>
 * java -cp &lt;class path&gt; ThirdParty.java &lt;folder&gt; &lt;texts&gt;
 * </pre>
 */
final class ThirdParty {
  /** By SPDX's names: what its licences are called in POMs, as regular expressions. */
  private static final Map<String, Pattern> LICENCES =
      new TreeMap<>(
          Map.of(
              "Apache-2.0", Pattern.compile("apache.*2(\\.0)?.*"),
              "BSD-2-Clause", Pattern.compile("bsd-2-clause"),
              "BSD-3-Clause", Pattern.compile("bsd-3-clause|.*3-clause bsd.*|new bsd.*"),
              "EPL-2.0", Pattern.compile("epl-2\\.0|eclipse public license.*2\\.0"),
              "CC0-1.0", Pattern.compile("cc0-1\\.0|public domain.*cc0"),
              "MIT", Pattern.compile("(the )?mit( license)?"),
              "MIT-0", Pattern.compile("mit-0")));

  /** Those whose text need not come with the jar: it is LICENSE, or nothing is asked for. */
  private static final Set<String> WITHOUT_TEXT = Set.of("Apache-2.0", "MIT-0");

  private static final Pattern TEXT =
      Pattern.compile(
          "(META-INF/)?[^/]*(LICEN[SC]E|NOTICE|COPYING|ThirdPartyNotices)[^/]*(?<!\\.class)");

  private record Component(String group, String name, String version, List<String> licences) {
    String jar() {
      return name + "-" + version;
    }
  }

  private ThirdParty() {}

  public static void main(String[] arguments) throws Exception {
    Path folder = Path.of(arguments[0]);
    Path texts = Path.of(arguments[1]);
    List<Component> components = components(folder.resolve("sbom.xml"));
    List<String> problems = new ArrayList<>();
    var lines = new StringBuilder("The libraries in this distribution, and their licences.\n");
    lines.append("Texts and notices are in the folder licenses.\n\n");
    for (Component each : components) {
      List<String> licences = each.licences().stream().map(ThirdParty::spdx).toList();
      if (licences.isEmpty() || licences.contains("")) {
        problems.add("%s has a licence that is not known: %s".formatted(each, each.licences()));
      }
      boolean hasText = copyTexts(each, texts, folder.resolve("licenses").resolve(each.name()));
      if (!hasText && licences.stream().noneMatch(WITHOUT_TEXT::contains)) {
        problems.add("%s has no text of its licence: add %s.txt".formatted(each, each.name()));
      }
      lines.append(
          "%-50s %-12s %s%n"
              .formatted(
                  each.group() + ":" + each.name(), each.version(), String.join(", ", licences)));
    }
    if (components.isEmpty() || !problems.isEmpty()) {
      throw new IllegalStateException(components.size() + " components, " + problems);
    }
    Files.writeString(folder.resolve("THIRD-PARTY.txt"), lines);
  }

  private static String spdx(String licence) {
    String text = licence.toLowerCase(Locale.ROOT);
    return LICENCES.entrySet().stream()
        .filter(entry -> entry.getValue().matcher(text).matches())
        .map(Map.Entry::getKey)
        .findFirst()
        .orElse("");
  }

  /** Everything but our own modules, in the order of their names. */
  private static List<Component> components(Path sbom) throws Exception {
    var factory = DocumentBuilderFactory.newInstance();
    factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
    var root = factory.newDocumentBuilder().parse(sbom.toFile()).getDocumentElement();
    List<Component> components = new ArrayList<>();
    for (Element list : children(root, "components")) {
      for (Element each : children(list, "component")) {
        List<String> licences = new ArrayList<>();
        for (Element all : children(each, "licenses")) {
          for (Element licence : children(all, "license")) {
            licences.addAll(
                Stream.concat(children(licence, "id").stream(), children(licence, "name").stream())
                    .map(Element::getTextContent)
                    .toList());
          }
        }
        if (!text(each, "group").equals("io.nereid")) {
          components.add(
              new Component(
                  text(each, "group"), text(each, "name"), text(each, "version"), licences));
        }
      }
    }
    return components.stream()
        .collect(
            Collectors.toMap(
                each -> each.group() + each.name(), each -> each, (a, _) -> a, TreeMap::new))
        .values()
        .stream()
        .toList();
  }

  private static List<Element> children(Element parent, String name) {
    List<Element> found = new ArrayList<>();
    for (Node each = parent.getFirstChild(); each != null; each = each.getNextSibling()) {
      if (each instanceof Element element && element.getTagName().equals(name)) {
        found.add(element);
      }
    }
    return found;
  }

  private static String text(Element parent, String name) {
    return children(parent, name).stream().map(Element::getTextContent).findFirst().orElse("");
  }

  /** Copies what a jar says of its licence; true if there is something. */
  private static boolean copyTexts(Component component, Path texts, Path folder)
      throws IOException {
    boolean found = false;
    Path own = texts.resolve(component.name() + ".txt");
    if (Files.exists(own)) {
      Files.createDirectories(folder);
      Files.copy(own, folder.resolve("LICENSE.txt"), StandardCopyOption.REPLACE_EXISTING);
      found = true;
    }
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
      if (Path.of(entry).getFileName().toString().startsWith(component.jar())) {
        try (var jar = new ZipFile(entry)) {
          for (ZipEntry each : jar.stream().toList()) {
            if (TEXT.matcher(each.getName()).matches() && !each.isDirectory()) {
              String name = Path.of(each.getName()).getFileName().toString();
              Files.createDirectories(folder);
              try (InputStream in = jar.getInputStream(each)) {
                Files.write(folder.resolve(name), in.readAllBytes());
              }
              found = true;
            }
          }
        }
      }
    }
    return found;
  }
}
