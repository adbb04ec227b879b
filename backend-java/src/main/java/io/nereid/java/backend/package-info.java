/**
 * The backend {@code java}: which code may run, models and their requests. Read {@link
 * io.nereid.java.backend.JavaBackend} first.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.java.backend;
