/**
 * What requests and responses of a server occupy: request memory, and regions that clients share.
 */
@NullMarked
package io.nereid.server.memory;

import org.jspecify.annotations.NullMarked;
