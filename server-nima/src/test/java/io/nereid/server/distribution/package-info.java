/** What is built: the jar, its manifests, and the classes of libraries that were upgraded. */
@NullMarked
package io.nereid.server.distribution;

import org.jspecify.annotations.NullMarked;
