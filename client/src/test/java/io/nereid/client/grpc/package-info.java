/** Tests of messages. */
@NullMarked
package io.nereid.client.grpc;

import org.jspecify.annotations.NullMarked;
