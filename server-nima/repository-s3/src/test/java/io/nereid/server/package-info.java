/** Tests of whole servers with repositories in object stores. */
@org.jspecify.annotations.NullMarked
package io.nereid.server;
