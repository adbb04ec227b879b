/** The messages of the v2 protocol and of model configurations, and gRPC's stubs of them. */
module io.nereid.protocol {
  requires transitive com.google.protobuf;
  requires static io.grpc;
  requires static io.grpc.protobuf;
  requires static io.grpc.stub;
  requires static com.google.common;

  exports io.nereid.protocol.config;
  exports io.nereid.protocol.inference;
}
