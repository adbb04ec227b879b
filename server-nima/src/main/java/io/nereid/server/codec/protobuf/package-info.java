/**
 * Readers and writers of the protocol's protobuf messages. Tensors are copied once, between the
 * transport's buffers and off-heap memory. Knows no call and no channel. Runs on gRPC's event loops
 * and on the threads of instances. Read {@link io.nereid.server.codec.protobuf.ProtoRequestParser}
 * first, then {@link io.nereid.server.codec.protobuf.ProtoRequestReader}.
 */
@NullMarked
package io.nereid.server.codec.protobuf;

import org.jspecify.annotations.NullMarked;
