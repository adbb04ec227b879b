/** Tests of the search for libraries, with fake ones. */
@org.jspecify.annotations.NullMarked
package io.nereid.tensorrt.library;
