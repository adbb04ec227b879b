/** Tests of calls over REST, against servers that are sockets. */
@NullMarked
package io.nereid.client.rest;

import org.jspecify.annotations.NullMarked;
