@NullMarked
package io.nereid.server.grpc.connection;

import org.jspecify.annotations.NullMarked;
