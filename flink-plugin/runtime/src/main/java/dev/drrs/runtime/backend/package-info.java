/**
 * What a keyed state backend has to offer so that its key groups can be moved: {@link
 * dev.drrs.runtime.backend.StateBackendSupport}.
 */
package dev.drrs.runtime.backend;
