package io.nereid.server.mutation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A bug to plant: one piece of a class's source replaced by another.
 *
 * @param file of the source, in a folder of sources, without its ending
 * @param finder what must find it
 * @param original white space in it stands for any white space
 */
public record Mutation(
    String file, String finder, String description, String original, String replacement) {
  private static final Pattern HEADING = Pattern.compile("([\\w/]+) \\| ([\\w-]+) \\| (.+)");

  /**
   * Reads a table. Each bug has a heading, {@code file | finder | description}, and under it the
   * original's lines, each behind a {@code -}, and the replacement's, each behind a {@code +}.
   */
  public static List<Mutation> parse(String table) {
    return Arrays.stream(table.split("\n\n+"))
        .map(block -> block.lines().filter(line -> !line.startsWith("//")).toList())
        .filter(lines -> !lines.isEmpty())
        .map(Mutation::parse)
        .toList();
  }

  private static Mutation parse(List<String> lines) {
    Matcher heading = HEADING.matcher(lines.getFirst());
    if (!heading.matches()) {
      throw new IllegalArgumentException("not a heading: " + lines.getFirst());
    }
    return new Mutation(
        heading.group(1), heading.group(2), heading.group(3), side(lines, '-'), side(lines, '+'));
  }

  private static String side(List<String> lines, char mark) {
    return lines.stream()
        .filter(line -> line.charAt(0) == mark)
        .map(line -> line.substring(1).strip())
        .collect(Collectors.joining("\n"));
  }

  /**
   * The source with the bug.
   *
   * @throws IllegalStateException if the original is not there, or more than once
   */
  public String plantedIn(Path sources) throws IOException {
    String source;
    try (var tree = Files.walk(sources)) {
      source =
          Files.readString(
              tree.filter(path -> path.endsWith(className() + ".java")).findFirst().orElseThrow());
    }
    String words =
        Arrays.stream(original.strip().split("\\s+"))
            .map(Pattern::quote)
            .collect(Collectors.joining("\\s+"));
    List<Integer> ends = new ArrayList<>();
    Matcher place = Pattern.compile(words).matcher(source);
    while (place.find()) {
      ends.add(place.end());
    }
    if (ends.size() != 1) {
      throw new IllegalStateException(
          "%s has %d places of: %s".formatted(file, ends.size(), original));
    }
    return place.replaceFirst(Matcher.quoteReplacement(replacement));
  }

  /** The simple name of the class. */
  public String className() {
    return file.substring(file.lastIndexOf('/') + 1);
  }

  @Override
  public String toString() {
    return file + ": " + description;
  }
}
