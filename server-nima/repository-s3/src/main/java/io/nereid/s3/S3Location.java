package io.nereid.s3;

import io.nereid.error.InferenceException;
import java.net.URI;
import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Where a repository is. The forms are Triton's (user_guide/model_repository.md, "S3"): {@code
 * s3://bucket/path}, {@code s3://host:port/bucket/path} for a store of one's own over HTTP, and
 * {@code s3://https://host:port/bucket/path} for one over HTTPS. Slashes at the end and repeated
 * slashes are ignored.
 *
 * @param endpoint of a store of one's own; empty for Amazon's
 * @param prefix what the keys of all objects begin with: empty, or a path that ends with a slash
 */
record S3Location(Optional<URI> endpoint, String bucket, String prefix) {
  private static final String SCHEME = "s3://";
  private static final Pattern ENDPOINT =
      Pattern.compile("(?<scheme>https?://)?(?<host>[^/]+?)(?<port>:[0-9]+)?/(?<rest>.*)");

  /**
   * @throws InferenceException INVALID_ARGUMENT if there is no bucket, or the endpoint is no host
   */
  static S3Location parse(String location) {
    if (!location.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
      throw new IllegalArgumentException("not an S3 location: " + location);
    }
    String rest = location.substring(SCHEME.length());
    Matcher matcher = ENDPOINT.matcher(rest + "/");
    Optional<URI> endpoint = Optional.empty();
    if (matcher.matches() && (matcher.group("scheme") != null || matcher.group("port") != null)) {
      endpoint = Optional.of(endpoint(location, matcher));
      rest = matcher.group("rest");
    }
    String path =
        Arrays.stream(rest.split("/", -1))
            .filter(segment -> !segment.isEmpty())
            .collect(Collectors.joining("/"));
    int slash = path.indexOf('/');
    String bucket = slash < 0 ? path : path.substring(0, slash);
    if (bucket.isEmpty()) {
      throw InferenceException.invalid("No bucket name found in path: " + location);
    }
    return new S3Location(endpoint, bucket, slash < 0 ? "" : path.substring(slash + 1) + "/");
  }

  private static URI endpoint(String location, Matcher matcher) {
    String scheme = matcher.group("scheme") == null ? "http://" : matcher.group("scheme");
    String port = matcher.group("port") == null ? "" : matcher.group("port");
    try {
      URI endpoint = URI.create(scheme + matcher.group("host") + port);
      if (endpoint.getHost() != null) {
        return endpoint;
      }
    } catch (IllegalArgumentException _) {
      // the same as a URI without host
    }
    throw InferenceException.invalid("No host name found in path: " + location);
  }

  /** An object as operators write it, for messages. */
  String describe(String key) {
    return SCHEME + endpoint.map(uri -> uri + "/").orElse("") + bucket + "/" + prefix + key;
  }
}
