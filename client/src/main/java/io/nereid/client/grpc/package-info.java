/**
 * Calls over gRPC, by the stubs of {@code io.nereid:nereid-protocol} and whatever transport of
 * grpc-java the application has. Begin with {@link ChannelTransport}. Protobuf is known here and
 * nowhere else; without gRPC on the class path none of this is loaded but the provider.
 *
 * <p>Callers that wait read their responses themselves; others get them on the channel's executor.
 */
@NullMarked
package io.nereid.client.grpc;

import org.jspecify.annotations.NullMarked;
