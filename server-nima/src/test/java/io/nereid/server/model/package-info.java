/** Servers of models of each kind, and of models that are replaced, cached or call others. */
@NullMarked
package io.nereid.server.model;

import org.jspecify.annotations.NullMarked;
