/**
 * Keyed state and timers of the hashmap state backend. Everything else speaks to {@link
 * dev.drrs.runtime.backend.StateBackendSupport}; only {@link
 * dev.drrs.runtime.supported.StateBackends} names {@link dev.drrs.runtime.heap.HeapBackend}.
 *
 * <p>Old owner: maps of key groups are taken out of their tables, and written entry by entry on a
 * transfer thread, with the descriptions that a savepoint has. New owner: a transfer thread builds
 * maps, which the mailbox puts into the tables.
 */
package dev.drrs.runtime.heap;
