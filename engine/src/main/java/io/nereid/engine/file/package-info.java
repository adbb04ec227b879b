/** Files that only the user of this process can access, and directories that are one process's. */
@NullMarked
package io.nereid.engine.file;

import org.jspecify.annotations.NullMarked;
