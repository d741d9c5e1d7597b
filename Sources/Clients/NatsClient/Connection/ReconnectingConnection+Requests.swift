internal import FlowControl

extension ReconnectingConnection {
    /// Hands one message to the connection.
    /// - Throws: disconnected at once when there is no connection.
    func publish(
        _ payload: [UInt8], to subject: String, headers: [String: String] = [:], operation: String
    ) async throws {
        guard let connection else { throw notConnected(operation) }
        try await writer.run {
            try connection.publish(payload, to: subject, headers: headers, operation: operation)
        }
    }

    /// Sends a request and waits for the first reply.
    /// - Parameter prefix: the prefix of the reply's subject: the inbox for the server's API, the answers for other
    ///   clients; nil uses the inbox.
    /// - Throws: no responders, not permitted, disconnected or timed out; `CancellationError`.
    func request(
        _ payload: [UInt8], to subject: String, headers: [String: String], below prefix: String? = nil,
        timeout: Duration,
        operation: String
    ) async throws -> NatsMessage {
        let prefix = prefix ?? inbox
        try await waitUntilConnected(within: timeout, operation: operation)
        try await awaitReplies(below: prefix)
        let reply = try await replies.wait(subject: subject, operation: operation, timeout: timeout) { token in
            self.send(
                payload, to: subject, reply: "\(prefix).\(token)", headers: headers, token: token, operation: operation)
        }
        guard reply.serverStatus != "503" else {
            throw NatsError(.noResponders, "no subscriber on \(subject)", operation: operation)
        }
        return reply
    }

    private func send(
        _ payload: [UInt8], to subject: String, reply: String, headers: [String: String], token: UInt64,
        operation: String
    ) {
        writer.enqueue { [self] in
            do throws(NatsError) {
                guard let connection else { throw notConnected(operation) }
                try connection.publish(
                    payload, to: subject, reply: reply, headers: headers, operation: operation)
            } catch {
                replies.complete(token, with: .failure(error))
            }
        }
    }
}

extension PendingReplies {
    /// Waits for one completion, which `start` brings about once it knows the token.
    /// - Throws: the failure, or cancellation as soon as the task is cancelled.
    func wait(
        subject: String, operation: String, timeout: Duration, start: @escaping @Sendable (UInt64) -> Void
    ) async throws -> NatsMessage {
        let wait = CancellableWait<NatsMessage>()
        var token: UInt64?
        do {
            return try await wait.value {
                do throws(NatsError) {
                    let added = try add(subject: subject, operation: operation, timeout: timeout) { reply in
                        wait.end(with: reply.mapError { $0 })
                    }
                    token = added
                    start(added)
                } catch {
                    wait.end(with: .failure(error))
                }
            }
        } catch {
            if let token { forget(token) }
            throw error
        }
    }
}
