package io.nereid.s3;

import io.nereid.spi.repository.ObjectStore;
import io.nereid.spi.repository.ObjectStoreProvider;
import java.util.Map;
import java.util.Set;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;

/** Opens {@code s3://} locations. */
public final class S3StoreProvider implements ObjectStoreProvider {
  private final S3Limits limits;
  private final SdkHttpClient.Builder<?> http;

  /** Called by the service loader. */
  public S3StoreProvider() {
    this(S3Limits.DEFAULT);
  }

  S3StoreProvider(S3Limits limits) {
    this(
        limits,
        UrlConnectionHttpClient.builder()
            .connectionTimeout(limits.connect())
            .socketTimeout(limits.silence()));
  }

  S3StoreProvider(S3Limits limits, SdkHttpClient.Builder<?> http) {
    this.limits = limits;
    this.http = http;
  }

  @Override
  public Set<String> schemes() {
    return Set.of("s3");
  }

  @Override
  public ObjectStore open(String location, Map<String, String> environment) {
    S3Location parsed = S3Location.parse(location);
    S3Settings settings = S3Settings.of(location, environment);
    return new S3Store(client(parsed, settings, environment), parsed, limits);
  }

  /** Retries and the validation of checksums are the server's. */
  private S3Client client(
      S3Location location, S3Settings settings, Map<String, String> environment) {
    S3ClientBuilder builder =
        S3Client.builder()
            .httpClientBuilder(http)
            .overrideConfiguration(client ->
                client
                    .retryStrategy(AwsRetryStrategy.doNotRetry())
                    .apiCallTimeout(limits.response())
                    .addExecutionInterceptor(new S3Documents(limits.documentByteSize())))
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
