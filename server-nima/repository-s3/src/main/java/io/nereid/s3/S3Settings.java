package io.nereid.s3;

import io.nereid.error.InferenceException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.protocols.jsoncore.JsonNode;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.regions.providers.AwsProfileRegionProvider;

/**
 * Credentials and region of a repository, from where Triton takes them: the file that {@code
 * TRITON_CLOUD_CREDENTIAL_PATH} names (user_guide/model_repository.md, "Cloud Storage with
 * Credential file"), else the environment. An empty value is none. Without a key the SDK looks for
 * credentials: in the profile, a web identity token, the container and the machine.
 */
record S3Settings(
    Optional<AwsCredentials> credentials, Optional<String> profile, Optional<String> region) {
  private static final String FILE = "TRITON_CLOUD_CREDENTIAL_PATH";

  /**
   * @throws InferenceException INVALID_ARGUMENT if the credential file cannot be read
   */
  static S3Settings of(String location, Map<String, String> environment) {
    String file = environment.getOrDefault(FILE, "");
    return file.isEmpty() ? of(environment) : of(location, Path.of(file));
  }

  private static S3Settings of(Map<String, String> environment) {
    return of(
        value(environment, "AWS_ACCESS_KEY_ID"),
        value(environment, "AWS_SECRET_ACCESS_KEY"),
        value(environment, "AWS_SESSION_TOKEN"),
        value(environment, "AWS_PROFILE"),
        value(environment, "AWS_REGION").or(() -> value(environment, "AWS_DEFAULT_REGION")));
  }

  private static Optional<String> value(Map<String, String> environment, String name) {
    return Optional.ofNullable(environment.get(name)).filter(value -> !value.isEmpty());
  }

  /** Of the file's entries the one with the longest name that the location begins with applies. */
  private static S3Settings of(String location, Path file) {
    @Nullable JsonNode root; // null if the file is empty
    try (InputStream in = Files.newInputStream(file)) {
      root = JsonNode.parser().parse(in);
    } catch (IOException | RuntimeException unreadable) {
      throw InferenceException.invalid(
          "cannot read the credential file '%s' (%s): %s".formatted(file, FILE, unreadable));
    }
    JsonNode s3 = root != null && root.isObject() ? root.asObject().get("s3") : null;
    if (s3 == null || !s3.isObject()) {
      throw InferenceException.invalid(
          "the credential file '%s' (%s) has no object \"s3\"".formatted(file, FILE));
    }
    JsonNode entry =
        s3.asObject().entrySet().stream()
            .filter(each -> location.startsWith(each.getKey()))
            .max(Comparator.comparingInt(each -> each.getKey().length()))
            .map(Map.Entry::getValue)
            .orElseThrow(() ->
                InferenceException.invalid(
                    "the credential file '%s' (%s) has no entry for '%s'"
                        .formatted(file, FILE, location)));
    return of(
        text(entry, "key_id"),
        text(entry, "secret_key"),
        text(entry, "session_token"),
        text(entry, "profile"),
        text(entry, "region"));
  }

  private static Optional<String> text(JsonNode entry, String field) {
    return entry
        .field(field)
        .filter(JsonNode::isString)
        .map(JsonNode::asString)
        .filter(text -> !text.isEmpty());
  }

  private static S3Settings of(
      Optional<String> keyId,
      Optional<String> secretKey,
      Optional<String> sessionToken,
      Optional<String> profile,
      Optional<String> region) {
    Optional<AwsCredentials> credentials =
        keyId.flatMap(id ->
            secretKey.map(secret ->
                sessionToken.isPresent()
                    ? AwsSessionCredentials.create(id, secret, sessionToken.get())
                    : AwsBasicCredentials.create(id, secret)));
    return new S3Settings(credentials, profile, region);
  }

  AwsCredentialsProvider credentialsProvider() {
    if (credentials.isPresent()) {
      return StaticCredentialsProvider.create(credentials.get());
    }
    var builder = DefaultCredentialsProvider.builder();
    profile.ifPresent(builder::profileName);
    return builder.build();
  }

  /** The region that is set, or the profile's, or {@code us-east-1}, as in Triton. */
  Region clientRegion() {
    if (region.isPresent()) {
      return Region.of(region.get());
    }
    try {
      Region found = new AwsProfileRegionProvider(null, profile.orElse(null)).getRegion();
      return found == null ? Region.US_EAST_1 : found;
    } catch (SdkClientException noneFound) {
      return Region.US_EAST_1;
    }
  }
}
