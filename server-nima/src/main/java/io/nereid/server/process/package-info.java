/**
 * What the server has of its process: the signals that it gets, the files that it may open, and the
 * cache with which its JVM starts. What becomes of that is decided by others.
 */
@NullMarked
package io.nereid.server.process;

import org.jspecify.annotations.NullMarked;
