package io.nereid.server.http.route;

import io.nereid.engine.memory.region.RegionKind;
import io.nereid.error.InferenceException;
import io.nereid.server.security.ApiCategory;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;

/** The route of a request's path. Paths match as a whole, with case and trailing slashes. */
public sealed interface Route {
  List<String> GET = List.of("GET");
  List<String> POST = List.of("POST");
  List<String> GET_AND_POST = List.of("GET", "POST");

  /** The API that the route belongs to; not of {@link Unknown}. */
  default ApiCategory category() {
    return switch (this) {
      case OfModel(_, _, Resource resource) -> resource.category;
      case ServerMetadata(), Models() -> ApiCategory.METADATA;
      case Live(), Ready() -> ApiCategory.HEALTH;
      case Statistics() -> ApiCategory.STATISTICS;
      case RepositoryIndex(), ModelControl(_, _, _) -> ApiCategory.MODEL_REPOSITORY;
      case SharedMemory(_, _, _) -> ApiCategory.SHARED_MEMORY;
      case TraceSettings(_) -> ApiCategory.TRACE;
      case LogSettings() -> ApiCategory.LOGGING;
      case Text(TextApi api, _, _) -> api.category();
      case Console(_) -> ApiCategory.CONSOLE;
      case Unknown() -> throw new AssertionError("404 was sent");
    };
  }

  /** The methods of HTTP that the route has. */
  default List<String> methods() {
    return switch (this) {
      case OfModel(_, _, Resource resource) ->
          resource.category == ApiCategory.INFERENCE ? POST : GET;
      case RepositoryIndex(), ModelControl(_, _, _) -> POST;
      case SharedMemory(_, _, RegionAction action) -> action == RegionAction.STATUS ? GET : POST;
      case Console(ConsolePath path) -> path.isWatch() ? GET_AND_POST : GET;
      case TraceSettings(_), LogSettings() -> GET_AND_POST;
      case Text(TextApi api, _, _) -> api.methods();
      case ServerMetadata(), Models(), Live(), Ready(), Statistics(), Unknown() -> GET;
    };
  }

  /** Whether the route needs no header where its API is restricted. */
  default boolean isOpen() {
    return this instanceof Console(ConsolePath path) && path.query().isEmpty();
  }

  /** The form of the route's failures. */
  default ErrorShape errors() {
    return this instanceof Text(TextApi api, _, _) ? api.errors() : ErrorShape.V2;
  }

  /** {@code /v2}. */
  record ServerMetadata() implements Route {}

  /** {@code /v2/health/live}. */
  record Live() implements Route {}

  /** {@code /v2/health/ready}. */
  record Ready() implements Route {}

  /** {@code /v2/models}. */
  record Models() implements Route {}

  /** {@code /v2/models/stats}. */
  record Statistics() implements Route {}

  /**
   * {@code /v2/models/<model>[/versions/<version>]}, followed by the name of a resource or nothing.
   *
   * @param version digits; empty if the path has none
   */
  record OfModel(String model, String version, Resource resource) implements Route {
    /**
     * The requested version; empty for the newest.
     *
     * @throws InferenceException INVALID_ARGUMENT if the digits exceed a {@code long}
     */
    public OptionalLong versionNumber() {
      if (version.isEmpty()) {
        return OptionalLong.empty();
      }
      try {
        return OptionalLong.of(Long.parseLong(version));
      } catch (NumberFormatException tooLarge) {
        throw InferenceException.invalid(
            ("failed to get model version from specified version string '%s' (details: stol),"
                    + " version should be an integral value > 0")
                .formatted(version));
      }
    }
  }

  /** {@code /v2/repository[/<repository>]/index}. */
  record RepositoryIndex() implements Route {}

  /**
   * {@code /v2/repository[/<repository>]/models/<model>/(load|unload)}.
   *
   * @param repository empty if the path has none
   */
  record ModelControl(String repository, String model, Action action) implements Route {}

  /**
   * {@code /v2/(systemsharedmemory|cudasharedmemory)[/region/<region>]/<action>}.
   *
   * @param region empty if the path has none
   */
  record SharedMemory(RegionKind kind, String region, RegionAction action) implements Route {}

  /**
   * {@code /v2[/models/<model>]/trace/setting}.
   *
   * @param model empty if the path has none
   */
  record TraceSettings(String model) implements Route {}

  /** {@code /v2/logging}. */
  record LogSettings() implements Route {}

  /**
   * A route of text models.
   *
   * @param model empty if the path names none
   * @param version digits; empty if the path has none
   */
  record Text(TextApi api, String model, String version) implements Route {}

  /** {@code /console} and what is below it. */
  record Console(ConsolePath path) implements Route {}

  /** Any other path. */
  record Unknown() implements Route {}

  /** The resources of a model, by the last segment of the path. */
  enum Resource {
    METADATA(ApiCategory.METADATA),
    READY(ApiCategory.HEALTH),
    CONFIG(ApiCategory.MODEL_CONFIG),
    STATS(ApiCategory.STATISTICS),
    INFER(ApiCategory.INFERENCE),
    GENERATE(ApiCategory.INFERENCE),
    GENERATE_STREAM(ApiCategory.INFERENCE);

    final ApiCategory category;

    Resource(ApiCategory category) {
      this.category = category;
    }
  }

  /** What may be done with a model of a repository. */
  enum Action {
    LOAD,
    UNLOAD
  }

  /** What may be done with shared memory regions. */
  enum RegionAction {
    STATUS,
    REGISTER,
    UNREGISTER
  }

  /** Parses a raw path, which begins with a slash and has no query. */
  static Route parse(String rawPath) {
    return switch (rawPath) {
      case "/v2" -> new ServerMetadata();
      case "/v2/health/live" -> new Live();
      case "/v2/health/ready" -> new Ready();
      case "/v2/models" -> new Models();
      case "/v2/models/stats" -> new Statistics(); // a model of that name has no metadata route
      case "/v2/trace/setting" -> new TraceSettings("");
      case "/v2/logging" -> new LogSettings();
      default -> {
        Route found = ofSegments(rawPath.substring(1).split("/", -1));
        yield found instanceof Unknown ? ConsolePath.route(rawPath) : found;
      }
    };
  }

  private static Route ofSegments(String[] segments) {
    if (segments.length < 3 || !segments[0].equals("v2")) {
      return new Unknown();
    }
    return switch (segments[1]) {
      case "models" -> model(segments);
      case "repository" -> repository(segments);
      case "systemsharedmemory" -> sharedMemory(RegionKind.SYSTEM, segments);
      case "cudasharedmemory" -> sharedMemory(RegionKind.CUDA, segments);
      default -> new Unknown();
    };
  }

  private static Route model(String[] segments) {
    int next = 3;
    String version = "";
    if (segments.length > 4 && segments[3].equals("versions")) {
      version = segments[4];
      next = 5;
      if (!isDigits(version)) {
        return new Unknown();
      }
    }
    if (segments[2].isEmpty()) {
      return new Unknown();
    }
    String model = decode(segments[2]);
    if (segments.length == 5 && segments[3].equals("trace") && segments[4].equals("setting")) {
      return new TraceSettings(model);
    }
    if (segments.length > next + 1) {
      return text(model, version, segments, next);
    }
    if (segments.length == next) {
      return new OfModel(model, version, Resource.METADATA);
    }
    return switch (segments[next]) {
      case "ready" -> new OfModel(model, version, Resource.READY);
      case "config" -> new OfModel(model, version, Resource.CONFIG);
      case "stats" -> new OfModel(model, version, Resource.STATS);
      case "infer" -> new OfModel(model, version, Resource.INFER);
      case "generate" -> new OfModel(model, version, Resource.GENERATE);
      case "generate_stream" -> new OfModel(model, version, Resource.GENERATE_STREAM);
      default -> text(model, version, segments, next);
    };
  }

  private static Route text(String model, String version, String[] segments, int next) {
    String[] rest = Arrays.copyOfRange(segments, next, segments.length);
    return TextApi.route("/" + String.join("/", rest), model, version);
  }

  private static Route repository(String[] segments) {
    String last = segments[segments.length - 1];
    boolean named = segments.length % 2 == 0; // the repository's name is one segment more
    if (named && segments[2].isEmpty()) {
      return new Unknown();
    }
    int next = named ? 3 : 2;
    if (segments.length == next + 1) {
      return last.equals("index") ? new RepositoryIndex() : new Unknown();
    }
    if (segments.length != next + 3
        || !segments[next].equals("models")
        || segments[next + 1].isEmpty()) {
      return new Unknown();
    }
    String repository = named ? decode(segments[2]) : "";
    String model = decode(segments[next + 1]);
    return switch (last) {
      case "load" -> new ModelControl(repository, model, Action.LOAD);
      case "unload" -> new ModelControl(repository, model, Action.UNLOAD);
      default -> new Unknown();
    };
  }

  private static Route sharedMemory(RegionKind kind, String[] segments) {
    String region = "";
    if (segments.length == 5 && segments[2].equals("region") && !segments[3].isEmpty()) {
      region = decode(segments[3]);
    } else if (segments.length != 3) {
      return new Unknown();
    }
    return switch (segments[segments.length - 1]) {
      case "status" -> new SharedMemory(kind, region, RegionAction.STATUS);
      case "register" -> new SharedMemory(kind, region, RegionAction.REGISTER);
      case "unregister" -> new SharedMemory(kind, region, RegionAction.UNREGISTER);
      default -> new Unknown();
    };
  }

  private static boolean isDigits(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) < '0' || text.charAt(i) > '9') {
        return false;
      }
    }
    return !text.isEmpty();
  }

  /** Percent-decodes a segment; returns a malformed one unchanged. */
  static String decode(String segment) {
    if (segment.indexOf('%') < 0) {
      return segment;
    }
    try {
      return URLDecoder.decode(segment.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException notEncoded) {
      return segment;
    }
  }
}
