package io.nereid.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.error.InferenceException;
import java.net.URI;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class S3LocationTest {
  @ParameterizedTest
  @CsvSource({
    "s3://bucket,                               ,                        bucket, ''",
    "s3://bucket/,                              ,                        bucket, ''",
    "s3://bucket/path/to/models,                ,                        bucket, path/to/models/",
    "s3://bucket//path///models//,              ,                        bucket, path/models/",
    "s3:///bucket/m,                            ,                        bucket, m/",
    "s3://my.bucket-1/m,                        ,                        my.bucket-1, m/",
    "S3://bucket/m,                             ,                        bucket, m/",
    "s3://localhost:9000/bucket,                http://localhost:9000,   bucket, ''",
    "s3://minio.ns.svc:9000/bucket/a/b,         http://minio.ns.svc:9000, bucket, a/b/",
    "s3://http://host:80/bucket/m,              http://host:80,          bucket, m/",
    "s3://https://host:443/bucket/m,            https://host:443,        bucket, m/",
    "s3://https://s3.example.com/bucket/m,      https://s3.example.com,  bucket, m/",
    "s3://https://[::1]:9000/bucket/m,          https://[::1]:9000,      bucket, m/",
    "s3://[::1]:9000/bucket/m,                  http://[::1]:9000,       bucket, m/",
  })
  void eachFormHasAnEndpointABucketAndAPrefix(
      String location, URI endpoint, String bucket, String prefix) {
    assertThat(S3Location.parse(location))
        .isEqualTo(new S3Location(Optional.ofNullable(endpoint), bucket, prefix));
  }

  @ParameterizedTest
  @CsvSource({
    "s3://,                    No bucket name found in path: s3://",
    "s3://host:9000,           No bucket name found in path: s3://host:9000",
    "s3://https://host:9000/,  No bucket name found in path: s3://https://host:9000/",
    "s3://https://:9000/b,     No host name found in path: s3://https://:9000/b",
    "s3://ho st:9000/b,        No host name found in path: s3://ho st:9000/b",
  })
  void aLocationWithoutBucketOrHostIsRejected(String location, String message) {
    assertThatThrownBy(() -> S3Location.parse(location))
        .isInstanceOf(InferenceException.class)
        .hasMessage(message);
  }

  @Test
  void anObjectIsDescribedAsOperatorsWriteIt() {
    assertThat(S3Location.parse("s3://bucket/models/").describe("m/1/model.onnx"))
        .isEqualTo("s3://bucket/models/m/1/model.onnx");
    assertThat(S3Location.parse("s3://host:9000/bucket").describe(""))
        .isEqualTo("s3://http://host:9000/bucket/");
  }
}
