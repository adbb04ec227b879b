/** Plants bugs in copies of our own classes, for tests of whether tests would find them. */
@NullMarked
package io.nereid.server.mutation;

import org.jspecify.annotations.NullMarked;
