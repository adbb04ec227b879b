package io.nereid.tck.command.report;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A page of HTML in one file, with its style, its script and its data. It loads nothing, and works
 * without a network.
 */
public final class Page {
  private Page() {}

  /** The page of one run. */
  public static String ofRun(String json) {
    return of("report", List.of(json));
  }

  /** The page that has runs beside each other. */
  public static String ofRuns(List<String> json) {
    return of("matrix", json);
  }

  private static String of(String name, List<String> json) {
    return resource(name + ".html")
        .replace("/*STYLE*/", resource("style.css"))
        .replace("/*SCRIPT*/", resource("common.js") + resource(name + ".js"))
        .replace("[/*DATA*/]", escaped("[" + String.join(",\n", json) + "]"));
  }

  /** JSON as the text of a script element, which nothing in it can end. */
  private static String escaped(String json) {
    return json.replace("<", "\\u003c");
  }

  private static String resource(String name) {
    try (InputStream in = Page.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("resource " + name + " is missing");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
