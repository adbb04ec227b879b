import org.jspecify.annotations.NullMarked;

/** A client for servers of the v2 protocol. gRPC is optional. */
@NullMarked
module io.nereid.client {
  requires transitive java.net.http;
  requires com.fasterxml.jackson.core;
  requires static io.nereid.protocol;
  requires static io.grpc;
  requires static io.grpc.stub;
  requires static org.jspecify;

  exports io.nereid.client;
  exports io.nereid.client.rest;
  exports io.nereid.client.grpc;
  exports io.nereid.client.model;

  uses io.nereid.client.TransportProvider;

  provides io.nereid.client.TransportProvider with
      io.nereid.client.rest.RestTransportProvider,
      io.nereid.client.grpc.GrpcTransportProvider;
}
