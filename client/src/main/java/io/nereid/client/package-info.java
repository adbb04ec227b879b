/**
 * Calls to a server of the v2 protocol, without a word of how they travel: a {@link
 * ClientTransport} does that, found by the scheme of the server's address. Begin with {@link
 * NereidClient}.
 *
 * <p>The package has more than forty files since it is what programs import, transports of their
 * own among them: to divide it would break their imports.
 *
 * <p>Requests, responses and tensors are immutable and can be used by any thread. Nothing here may
 * know HTTP, JSON, gRPC or protobuf.
 */
@NullMarked
package io.nereid.client;

import org.jspecify.annotations.NullMarked;
