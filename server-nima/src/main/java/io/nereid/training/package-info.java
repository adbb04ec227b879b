/**
 * A client that sends what a server usually gets, so that the JVM learns for an AOT cache which
 * classes and methods a start and requests need. Depends only on the server's ports and the example
 * models. It does not use the module {@code client}, whose classes the cache would have for each
 * server that never calls them. Read {@link io.nereid.training.Training}.
 */
@NullMarked
package io.nereid.training;

import org.jspecify.annotations.NullMarked;
