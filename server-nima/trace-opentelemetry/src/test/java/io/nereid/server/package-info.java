/** Tests of whole servers whose traces are exported. */
@org.jspecify.annotations.NullMarked
package io.nereid.server;
