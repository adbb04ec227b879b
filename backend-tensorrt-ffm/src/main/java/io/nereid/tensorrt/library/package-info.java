/** Search for the native libraries, and why there is none. */
@org.jspecify.annotations.NullMarked
package io.nereid.tensorrt.library;
