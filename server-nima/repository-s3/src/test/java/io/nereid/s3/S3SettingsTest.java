package io.nereid.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.error.InferenceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.regions.Region;

class S3SettingsTest {
  @TempDir private Path directory;

  private S3Settings fromFile(String location, String json) throws IOException {
    Path file = Files.writeString(directory.resolve("credentials.json"), json);
    return S3Settings.of(
        location,
        Map.of(
            "TRITON_CLOUD_CREDENTIAL_PATH", file.toString(),
            "AWS_ACCESS_KEY_ID", "ignored",
            "AWS_SECRET_ACCESS_KEY", "ignored"));
  }

  @Test
  void theEnvironmentHasKeysProfileAndRegion() {
    var environment =
        new HashMap<>(
            Map.of(
                "AWS_ACCESS_KEY_ID", "id",
                "AWS_SECRET_ACCESS_KEY", "secret",
                "AWS_DEFAULT_REGION", "eu-central-1",
                "AWS_PROFILE", "profile"));
    assertThat(S3Settings.of("s3://bucket", environment))
        .isEqualTo(
            new S3Settings(
                Optional.of(AwsBasicCredentials.create("id", "secret")),
                Optional.of("profile"),
                Optional.of("eu-central-1")));

    environment.put("AWS_SESSION_TOKEN", "token");
    environment.put("AWS_REGION", "us-west-2");
    assertThat(S3Settings.of("s3://bucket", environment))
        .isEqualTo(
            new S3Settings(
                Optional.of(AwsSessionCredentials.create("id", "secret", "token")),
                Optional.of("profile"),
                Optional.of("us-west-2")));
  }

  @Test
  void aKeyWithoutSecretIsNoCredential() {
    assertThat(S3Settings.of("s3://bucket", Map.of("AWS_ACCESS_KEY_ID", "id")).credentials())
        .isEmpty();
  }

  @Test
  void withoutASettingTheRegionIsTritonsDefault() {
    assertThat(
            new S3Settings(Optional.empty(), Optional.of("no such profile"), Optional.empty())
                .clientRegion())
        .isEqualTo(Region.US_EAST_1);
  }

  @ParameterizedTest
  @CsvSource({
    "s3://other/m,                     default",
    "s3://bucket-002/m,                bucket",
    "s3://bucket-002/special/m,        special",
    "s3://https://host:443/bucket/m,   host",
  })
  void theEntryWithTheLongestMatchingNameOfTheFileApplies(String location, String keyId)
      throws IOException {
    S3Settings settings =
        fromFile(
            location,
            """
            {
              "gs": {"": "a file of Google's"},
              "s3": {
                "": {"secret_key": "s", "key_id": "default", "region": "r", "profile": ""},
                "s3://bucket-002": {"secret_key": "s", "key_id": "bucket", "session_token": ""},
                "s3://bucket-002/special": {"secret_key": "s", "key_id": "special"},
                "s3://https://host:443/bucket": {"secret_key": "s", "key_id": "host"}
              }
            }
            """);

    assertThat(settings.credentials()).contains(AwsBasicCredentials.create(keyId, "s"));
    assertThat(settings.profile()).isEmpty();
  }

  @Test
  void aFileWithoutAMatchingEntryIsAnError() {
    assertThatThrownBy(() -> fromFile("s3://bucket", "{\"s3\": {\"s3://other\": {}}}"))
        .isInstanceOf(InferenceException.class)
        .hasMessage(
            "the credential file '%s/credentials.json' (TRITON_CLOUD_CREDENTIAL_PATH) has no entry"
                + " for 's3://bucket'",
            directory);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "{}", "[]", "{\"s3\": 1}"})
  void aFileWithoutEntriesForS3IsAnError(String json) {
    assertThatThrownBy(() -> fromFile("s3://bucket", json))
        .isInstanceOf(InferenceException.class)
        .hasMessageEndingWith("has no object \"s3\"");
  }

  @ParameterizedTest
  @ValueSource(strings = {"{", "not JSON"})
  void aFileThatIsNotJsonIsAnError(String json) {
    assertThatThrownBy(() -> fromFile("s3://bucket", json))
        .isInstanceOf(InferenceException.class)
        .hasMessageStartingWith("cannot read the credential file '");
  }

  @Test
  void aMissingFileIsAnError() {
    assertThatThrownBy(
            () -> S3Settings.of("s3://b", Map.of("TRITON_CLOUD_CREDENTIAL_PATH", "/missing")))
        .isInstanceOf(InferenceException.class)
        .hasMessageContaining("NoSuchFile");
  }
}
