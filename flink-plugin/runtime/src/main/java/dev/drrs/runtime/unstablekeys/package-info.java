/** Finds keys whose hash code differs from JVM to JVM. */
package dev.drrs.runtime.unstablekeys;
