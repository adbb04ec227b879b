/**
 * The v2 protocol over gRPC, through classes generated from the TCK's own definition of the
 * messages. Knows a server by its address only. Read {@link io.nereid.tck.grpc.GrpcVerification}
 * first.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.tck.grpc;
