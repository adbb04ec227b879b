/** Files that only the user of this process can access. */
@NullMarked
package io.nereid.engine.file;

import org.jspecify.annotations.NullMarked;
