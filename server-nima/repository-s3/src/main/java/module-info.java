import org.jspecify.annotations.NullMarked;

/** Model repositories in S3. It exports nothing; the server finds its provider. */
@NullMarked
@SuppressWarnings("module") // the service is called S3
module io.nereid.repository.s3 {
  requires io.nereid.api;
  requires java.xml;
  requires software.amazon.awssdk.auth;
  requires software.amazon.awssdk.awscore;
  requires software.amazon.awssdk.core;
  requires software.amazon.awssdk.http;
  requires software.amazon.awssdk.http.urlconnection;
  requires software.amazon.awssdk.protocols.jsoncore;
  requires software.amazon.awssdk.regions;
  requires software.amazon.awssdk.services.s3;
  requires static org.jspecify;

  provides io.nereid.spi.repository.ObjectStoreProvider with
      io.nereid.s3.S3StoreProvider;
}
