extension JetStream {
    private struct Nothing: Codable {}

    private struct Done: Decodable { var success: Bool }

    private struct CreateConsumer: Encodable {
        var stream: String
        var config: WireConsumerConfiguration

        enum CodingKeys: String, CodingKey {
            case stream = "stream_name"
            case config
        }
    }

    /// Makes the stream be as described, whether it exists or not.
    /// - Throws: refused when a change is impossible, such as of its storage, or when subjects overlap with another's.
    @discardableResult
    public func createOrUpdateStream(_ configuration: StreamConfiguration) async throws -> StreamInfo {
        let operation = "setting up stream \(configuration.name)"
        try Self.validate(name: configuration.name, operation: operation)
        let wire = WireStreamConfiguration(configuration)
        do {
            return try await call(
                "STREAM.UPDATE.\(configuration.name)", wire, as: WireStreamInfo.self, operation: operation
            ).info
        } catch let error as NatsError where error.code == .notFound {
            return try await call(
                "STREAM.CREATE.\(configuration.name)", wire, as: WireStreamInfo.self, operation: operation
            ).info
        }
    }

    /// The stream as it is; nil if it does not exist.
    /// - Throws: ``NatsError`` for an invalid name, or where the request fails.
    public func streamInfo(_ name: String) async throws -> StreamInfo? {
        let operation = "reading info of stream \(name)"
        try Self.validate(name: name, operation: operation)
        return try await nilIfMissing {
            try await call("STREAM.INFO.\(name)", Nothing(), as: WireStreamInfo.self, operation: operation).info
        }
    }

    /// Deletes the stream with its messages and consumers.
    /// - Returns: false if it did not exist.
    @discardableResult
    /// - Throws: ``NatsError`` for an invalid name, or where the request fails.
    public func deleteStream(_ name: String) async throws -> Bool {
        let operation = "deleting stream \(name)"
        try Self.validate(name: name, operation: operation)
        return try await nilIfMissing {
            try await call("STREAM.DELETE.\(name)", Nothing(), as: Done.self, operation: operation).success
        } ?? false
    }

    /// Makes the durable consumer be as described, whether it exists or not.
    /// - Throws: not found if the stream does not exist; refused when a change is impossible, such as of where it began.
    @discardableResult
    public func createOrUpdateConsumer(
        stream: String, _ configuration: ConsumerConfiguration
    ) async throws -> ConsumerInfo {
        let operation = "setting up consumer \(configuration.durable) of stream \(stream)"
        try Self.validate(name: stream, operation: operation)
        try Self.validate(name: configuration.durable, operation: operation)
        return try await call(
            "CONSUMER.DURABLE.CREATE.\(stream).\(configuration.durable)",
            CreateConsumer(stream: stream, config: WireConsumerConfiguration(configuration)),
            as: WireConsumerInfo.self, operation: operation
        ).info
    }

    /// The consumer as it is; nil if it or its stream does not exist.
    /// - Throws: ``NatsError`` for an invalid name, or where the request fails.
    public func consumerInfo(stream: String, durable: String) async throws -> ConsumerInfo? {
        let operation = "reading info of consumer \(durable) of stream \(stream)"
        try Self.validate(name: stream, operation: operation)
        try Self.validate(name: durable, operation: operation)
        return try await nilIfMissing {
            try await call(
                "CONSUMER.INFO.\(stream).\(durable)", Nothing(), as: WireConsumerInfo.self, operation: operation
            ).info
        }
    }

    /// Deletes the consumer; its stream stays.
    /// - Returns: false if it did not exist.
    @discardableResult
    /// - Throws: ``NatsError`` for an invalid name, or where the request fails.
    public func deleteConsumer(stream: String, durable: String) async throws -> Bool {
        let operation = "deleting consumer \(durable) of stream \(stream)"
        try Self.validate(name: stream, operation: operation)
        try Self.validate(name: durable, operation: operation)
        return try await nilIfMissing {
            try await call("CONSUMER.DELETE.\(stream).\(durable)", Nothing(), as: Done.self, operation: operation)
                .success
        } ?? false
    }

    /// A reader of an existing durable consumer, which sends the server nothing yet.
    public func consumer(stream: String, durable: String) -> PullConsumer {
        PullConsumer(stream: stream, durable: durable, transport: transport)
    }

    private func nilIfMissing<Value>(_ read: () async throws -> Value) async throws -> Value? {
        do {
            return try await read()
        } catch let error as NatsError where error.code == .notFound {
            return nil
        }
    }
}
