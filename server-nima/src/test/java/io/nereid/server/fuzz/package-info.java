/**
 * What fuzz targets share, and their runs on demand. A target is a method with {@code @FuzzTest} in
 * a class whose name ends with {@code FuzzTest}, in the package of what it reads.
 */
@NullMarked
package io.nereid.server.fuzz;

import org.jspecify.annotations.NullMarked;
