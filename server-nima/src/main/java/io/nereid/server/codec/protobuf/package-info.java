/**
 * gRPC messages: inference requests and responses whose tensors are copied once between the
 * transport's buffers and off-heap memory. Knows no call and no channel. Run by gRPC's event loops
 * and by the instances' threads. Read {@link io.nereid.server.codec.protobuf.ProtoRequestParser}
 * first, then {@link io.nereid.server.codec.protobuf.ProtoRequestReader}.
 */
@NullMarked
package io.nereid.server.codec.protobuf;

import org.jspecify.annotations.NullMarked;
