/**
 * What is known of rescales: of those under way, of ended ones, and of those an earlier JobManager
 * was asked for.
 */
package dev.drrs.runtime.history;
