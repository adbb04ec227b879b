/**
 * A client that sends what a server usually gets, so that the JVM learns for an AOT cache which
 * classes and methods a start and requests need. Depends only on the server's ports and the example
 * models. It is a process of its own, so the cache has none of its classes. Read {@link
 * io.nereid.training.Training}.
 */
@NullMarked
package io.nereid.training;

import org.jspecify.annotations.NullMarked;
