package dev.drrs.runtime.rest;

import dev.drrs.runtime.answer.FaultCode;
import dev.drrs.runtime.answer.Faults;
import dev.drrs.runtime.answer.JobAnswer;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.apache.flink.runtime.rest.handler.router.RoutedRequest;
import org.apache.flink.runtime.rest.handler.util.HandlerUtils;
import org.apache.flink.runtime.rpc.exceptions.RpcException;
import org.apache.flink.runtime.webmonitor.RestfulGateway;
import org.apache.flink.runtime.webmonitor.retriever.GatewayRetriever;
import org.apache.flink.shaded.netty4.io.netty.buffer.ByteBuf;
import org.apache.flink.shaded.netty4.io.netty.buffer.ByteBufUtil;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelHandler;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelHandlerContext;
import org.apache.flink.shaded.netty4.io.netty.channel.SimpleChannelInboundHandler;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.FullHttpRequest;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpRequest;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpResponseStatus;
import org.apache.flink.util.ExceptionUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An endpoint of the plug-in on the JobManager's REST port: JSON in, JSON out, every error as the
 * plug-in's list of code and sentence.
 *
 * <p>Not one of Flink's own handler classes, because those answer an exception with its stack
 * trace.
 */
@ChannelHandler.Sharable
abstract class JsonHandler extends SimpleChannelInboundHandler<RoutedRequest<?>> {

    private static final Logger LOG = LoggerFactory.getLogger(JsonHandler.class);

    private final GatewayRetriever<? extends RestfulGateway> leaderRetriever;
    private final Map<String, String> responseHeaders;
    private final long maxBody;

    /** {@code maxBody} is in bytes. */
    JsonHandler(
            GatewayRetriever<? extends RestfulGateway> leaderRetriever,
            Map<String, String> responseHeaders,
            long maxBody) {
        this.leaderRetriever = leaderRetriever;
        this.responseHeaders = responseHeaders;
        this.maxBody = maxBody;
    }

    /**
     * Answers one request; called in a thread of the REST server, which must not be blocked.
     *
     * @return fails with whatever went wrong: it is translated to an answer here
     */
    abstract CompletableFuture<JobAnswer> answer(Call call);

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, RoutedRequest<?> routed) {
        HttpRequest request = routed.getRequest();
        CompletableFuture<JobAnswer> answer;
        try {
            answer = start(routed, request);
        } catch (Exception e) {
            answer = CompletableFuture.failedFuture(e);
        }
        answer.exceptionally(
                        failure ->
                                translate(
                                        request, ExceptionUtils.stripCompletionException(failure)))
                .thenCompose(
                        ready ->
                                HandlerUtils.sendResponse(
                                        ctx,
                                        request,
                                        ready.json(),
                                        HttpResponseStatus.valueOf(ready.httpStatus()),
                                        responseHeaders))
                .whenComplete(
                        (sent, failure) -> {
                            if (failure != null) {
                                LOG.debug(
                                        "The caller of {} went before it was answered",
                                        request.uri(),
                                        failure);
                            }
                        });
    }

    private CompletableFuture<JobAnswer> start(RoutedRequest<?> routed, HttpRequest request) {
        ByteBuf content = ((FullHttpRequest) request).content();
        if (content.readableBytes() > maxBody) {
            return CompletableFuture.completedFuture(
                    Faults.answer(
                            FaultCode.TOO_LARGE,
                            "The body has "
                                    + content.readableBytes()
                                    + " bytes, at most "
                                    + maxBody
                                    + " are taken; raise drrs.rest.max-request-size if a plan needs more."));
        }
        // The buffer is released when this thread leaves the handler: copied for what runs later.
        byte[] body = ByteBufUtil.getBytes(content);
        Optional<? extends RestfulGateway> leader = leaderRetriever.getNow();
        if (leader.isEmpty()) {
            return CompletableFuture.failedFuture(new NoLeaderException("Dispatcher"));
        }
        return answer(new Call(routed.getRouteResult().pathParams(), body, leader.get()));
    }

    private static JobAnswer translate(HttpRequest request, Throwable failure) {
        if (isPassing(failure)) {
            LOG.info("{} {} cannot be answered now", request.method(), request.uri(), failure);
            return Faults.answer(
                    FaultCode.UNAVAILABLE,
                    "The JobManager cannot answer at the moment (leader election or time-out); try again in some seconds.");
        }
        String mark = UUID.randomUUID().toString().substring(0, 8);
        LOG.error("{} {} failed [{}]", request.method(), request.uri(), mark, failure);
        return Faults.answer(
                FaultCode.INTERNAL,
                "The request failed inside the JobManager; its log has the reason under ["
                        + mark
                        + "].");
    }

    private static boolean isPassing(Throwable failure) {
        return ExceptionUtils.findThrowable(
                        failure,
                        cause ->
                                cause instanceof NoLeaderException
                                        || cause instanceof TimeoutException
                                        || cause instanceof RpcException)
                .isPresent();
    }
}
