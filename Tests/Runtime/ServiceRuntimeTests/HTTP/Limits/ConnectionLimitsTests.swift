import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import ServiceRuntime

@Suite("Limits of one connection")
struct ConnectionLimitsTests {
    private let head = HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/any")

    private func makeChannel(_ configuration: HTTPConfiguration = HTTPConfiguration()) throws -> EmbeddedChannel {
        let connections = Connections(configuration: configuration, metrics: MetricsRegistry())
        let channel = EmbeddedChannel(
            handler: ConnectionLimits(connections: connections, bodyTimeout: TimeAmount(configuration.bodyTimeout)))
        try channel.connect(to: SocketAddress(ipAddress: "10.0.0.1", port: 1)).wait()
        return channel
    }

    @Test("Connections of one IPv6 network count together, and those of another one by themselves")
    func network() throws {
        var configuration = HTTPConfiguration()
        configuration.addressConnectionsMax = 2
        let connections = Connections(configuration: configuration, metrics: MetricsRegistry())
        let accepted = try ["2001:db8:1:1::1", "2001:db8:1:1::2", "2001:db8:1:1::3", "2001:db8:1:2::1"].map { address in
            let channel = EmbeddedChannel()
            try channel.connect(to: SocketAddress(ipAddress: address, port: 1)).wait()
            let isAccepted = connections.open(channel)
            // A connection without a request would yield to the next one.
            connections.begin(channel)
            return isAccepted
        }
        #expect(accepted == [true, true, false, true])
    }

    @Test("A body that is not whole after its time fails its request")
    func bodyTime() throws {
        let channel = try makeChannel()
        try channel.writeInbound(HTTPRequestPart.head(head))
        channel.embeddedEventLoop.advanceTime(by: .seconds(9))
        try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(string: "{")))
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(999))
        try channel.throwIfErrorCaught()
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
        #expect(throws: BodyTimedOut.self) { try channel.throwIfErrorCaught() }
    }

    @Test("A request that has arrived whole may take as long as it takes")
    func wholeBody() throws {
        let channel = try makeChannel()
        try channel.writeInbound(HTTPRequestPart.head(head))
        try channel.writeInbound(HTTPRequestPart.end(nil))
        channel.embeddedEventLoop.advanceTime(by: .seconds(60))
        try channel.throwIfErrorCaught()
    }

    @Test("An answer before the request has arrived says that the connection closes, and it does")
    func earlyAnswer() throws {
        let channel = try makeChannel()
        try channel.writeInbound(HTTPRequestPart.head(head))
        try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .unauthorized)))
        try channel.writeOutbound(HTTPResponsePart.end(nil))
        let written = try #require(try channel.readOutbound(as: HTTPResponsePart.self))
        guard case .head(let response) = written else {
            Issue.record("no head was written")
            return
        }
        #expect(response.headerFields[.connection] == "close")
        _ = try channel.readInbound(as: HTTPRequestPart.self)
        try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(string: "more")))
        #expect(try channel.readInbound(as: HTTPRequestPart.self) == nil)
        channel.embeddedEventLoop.advanceTime(by: ConnectionLimits.lingering)
        #expect(!channel.isActive)
    }

    @Test("An answer to a whole request leaves the connection open")
    func lateAnswer() throws {
        let channel = try makeChannel()
        for _ in 1...2 {
            try channel.writeInbound(HTTPRequestPart.head(head))
            try channel.writeInbound(HTTPRequestPart.end(nil))
            try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .unauthorized)))
            try channel.writeOutbound(HTTPResponsePart.end(nil))
        }
        channel.embeddedEventLoop.advanceTime(by: .seconds(60))
        #expect(channel.isActive)
    }
}
