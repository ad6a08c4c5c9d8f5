package dev.drrs.runtime.rest;

import java.util.Map;
import org.apache.flink.runtime.webmonitor.RestfulGateway;

/**
 * One request to an endpoint of the plug-in.
 *
 * @param path the path's parameters, decoded
 * @param body empty if there was none
 * @param gateway the leading Dispatcher
 */
record Call(Map<String, String> path, byte[] body, RestfulGateway gateway) {}
