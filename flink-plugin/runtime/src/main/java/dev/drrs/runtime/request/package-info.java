/**
 * What a job is asked for: requests, their checks and plans, those under way, and what follows
 * after a failover.
 */
package dev.drrs.runtime.request;
