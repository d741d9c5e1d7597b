internal import CNats

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// The C library's options for one connect; freed afterwards, for the library keeps its own copy.
struct ConnectionOptions: ~Copyable {
    let pointer: OpaquePointer

    private init(owning pointer: OpaquePointer) { self.pointer = pointer }

    /// Options as configured.
    static func make(_ configuration: NatsConfiguration) throws(NatsError) -> ConnectionOptions {
        var created: OpaquePointer?
        try check(natsOptions_Create(&created), "creating options")
        guard let created else { throw NatsError(.other, "no options", operation: "creating options") }
        let options = ConnectionOptions(owning: created)
        try options.setServers(configuration.servers)
        try options.setIdentity(configuration)
        try options.setPace(configuration)
        return options
    }

    deinit { natsOptions_Destroy(pointer) }

    /// Sends failures and the end of the connection to the ``ConnectionEvents`` behind `context`.
    borrowing func report(to context: UnsafeMutableRawPointer) {
        natsOptions_SetErrorHandler(pointer, natsClientFailed, context)
        natsOptions_SetClosedCB(pointer, natsClientConnectionEnded, context)
    }

    private borrowing func setServers(_ servers: [String]) throws(NatsError) {
        let copies = servers.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        var pointers = copies.map { UnsafePointer<CChar>($0) }
        try Self.check(natsOptions_SetServers(pointer, &pointers, Int32(pointers.count)), "servers")
        // In the order given: the first is the nearest.
        try Self.check(natsOptions_SetNoRandomize(pointer, true), "servers")
    }

    private borrowing func setIdentity(_ configuration: NatsConfiguration) throws(NatsError) {
        try Self.check(natsOptions_SetName(pointer, configuration.name), "name")
        if let user = configuration.user {
            try Self.check(natsOptions_SetUserInfo(pointer, user, configuration.password ?? ""), "user")
        }
        if let file = configuration.credentialsFile {
            try Self.check(natsOptions_SetUserCredentialsFromFiles(pointer, file, nil), "credentialsFile")
        }
        if let file = configuration.tlsCAFile {
            try Self.check(natsOptions_SetSecure(pointer, true), "tlsCAFile")
            try Self.check(natsOptions_LoadCATrustedCertificates(pointer, file), "tlsCAFile")
        }
    }

    private borrowing func setPace(_ configuration: NatsConfiguration) throws(NatsError) {
        try Self.check(natsOptions_SetTimeout(pointer, configuration.connectTimeout.milliseconds), "connectTimeout")
        try Self.check(natsOptions_SetWriteDeadline(pointer, configuration.writeTimeout.milliseconds), "writeTimeout")
        try Self.check(natsOptions_SetPingInterval(pointer, configuration.pingInterval.milliseconds), "pingInterval")
        try Self.check(natsOptions_SetMaxPingsOut(pointer, 2), "pingInterval")
        // The client has its own reconnect loop, so that one place fails requests, restores subscriptions and logs.
        try Self.check(natsOptions_SetAllowReconnect(pointer, false), "reconnecting")
        // Without it a small write waits about a millisecond for company.
        try Self.check(natsOptions_SetSendAsap(pointer, true), "sending")
    }

    private static func check(_ status: natsStatus, _ key: String) throws(NatsError) {
        guard status == NATS_OK else {
            throw NatsError(status: status, operation: "configuring NATS (\(key))")
        }
    }
}
