package io.nereid.client.rest;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/** The protocol's paths. */
final class Paths {
  private Paths() {}

  /** A model, or a version of it unless that is empty. */
  static String model(String name, String version) {
    String model = "/v2/models/" + segment(name);
    return version.isEmpty() ? model : model + "/versions/" + segment(version);
  }

  static String repository(String model) {
    return "/v2/repository/models/" + segment(model);
  }

  /** A region, or all if the name is empty. */
  static String regions(boolean cuda, String name) {
    String kind = cuda ? "/v2/cudasharedmemory" : "/v2/systemsharedmemory";
    return name.isEmpty() ? kind : kind + "/region/" + segment(name);
  }

  /** A name as one segment of a path. */
  private static String segment(String name) {
    return URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20").replace("*", "%2A");
  }
}
