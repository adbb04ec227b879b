package io.nereid.server.frontend;

import java.net.SocketAddress;

/**
 * Both ends of a connection. One address and port of a client may have a connection to each address
 * of the server.
 */
public record Endpoints(SocketAddress remote, SocketAddress local) {}
