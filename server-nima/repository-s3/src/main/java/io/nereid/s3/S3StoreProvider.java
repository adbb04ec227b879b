package io.nereid.s3;

import io.nereid.spi.repository.ObjectStore;
import io.nereid.spi.repository.ObjectStoreProvider;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;

/** Opens {@code s3://} locations. */
public final class S3StoreProvider implements ObjectStoreProvider {
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

  /** The longest time without a byte; then the server resumes the download. */
  private static final Duration READ_TIMEOUT = Duration.ofSeconds(30);

  @Override
  public Set<String> schemes() {
    return Set.of("s3");
  }

  @Override
  public ObjectStore open(String location, Map<String, String> environment) {
    S3Location parsed = S3Location.parse(location);
    S3Settings settings = S3Settings.of(location, environment);
    return new S3Store(client(parsed, settings, environment), parsed);
  }

  /** Retries and the validation of checksums are the server's. */
  private static S3Client client(
      S3Location location, S3Settings settings, Map<String, String> environment) {
    S3ClientBuilder builder =
        S3Client.builder()
            .httpClientBuilder(
                UrlConnectionHttpClient.builder()
                    .connectionTimeout(CONNECT_TIMEOUT)
                    .socketTimeout(READ_TIMEOUT))
            .overrideConfiguration(client -> client.retryStrategy(AwsRetryStrategy.doNotRetry()))
            .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
            .credentialsProvider(settings.credentialsProvider())
            .region(settings.clientRegion());
    boolean otherEndpoint =
        environment.containsKey("AWS_ENDPOINT_URL")
            || environment.containsKey("AWS_ENDPOINT_URL_S3");
    if (location.endpoint().isPresent()) {
      builder.endpointOverride(location.endpoint().get()).forcePathStyle(true);
    } else if (otherEndpoint) { // the SDK reads the variables
      builder.forcePathStyle(true);
    } else {
      builder.crossRegionAccessEnabled(true); // a bucket may be in another region
    }
    return builder.build();
  }
}
