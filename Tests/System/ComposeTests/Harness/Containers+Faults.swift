import TownSupport

/// What is done to containers.
extension Containers {
    /// Ends it as a power cut would.
    func kill9(_ service: String) async throws {
        try await docker.docker(["kill", "--signal", "KILL", try await container(service)])
    }

    /// Starts it again as it was.
    func start(_ service: String) async throws { try await docker.docker(["start", try await container(service)]) }

    /// Everything in it stands still, its connections open.
    func pause(_ service: String) async throws { try await docker.docker(["pause", try await container(service)]) }

    func unpause(_ service: String) async throws { try await docker.docker(["unpause", try await container(service)]) }

    /// Takes it off the network that the stack's parts talk over.
    func disconnect(_ service: String) async throws {
        try await docker.docker(["network", "disconnect", network("backend"), try await container(service)])
    }

    /// Puts it back under its name.
    func reconnect(_ service: String) async throws {
        try await docker.docker([
            "network", "connect", "--alias", service, network("backend"), try await container(service),
        ])
    }

    /// Stops it in order and starts it again.
    func restart(_ service: String) async throws {
        try await docker.docker(["restart", "--time", "20", try await container(service)])
    }

    /// Puts a new container in its place, as an upgrade does.
    func replace(_ service: String) async throws {
        try await docker.compose(["up", "-d", "--no-build", "--no-deps", "--force-recreate", service])
    }

    /// Takes the brokers away with all that they stored, and starts them anew.
    func loseBrokersStores() async throws {
        try await docker.compose(["rm", "--stop", "--force"] + brokers)
        for broker in brokers { try await docker.docker(["volume", "rm", volume(broker)]) }
        try await docker.compose(["up", "-d", "--no-build", "--no-deps"] + brokers)
    }

    /// Waits until a new broker has taken a word from whoever makes streams.
    nonisolated func rebuildStreams() async throws {
        let replicas = settings.isScaled ? ["--replicas", "3"] : []
        try await eventually("the streams are built again") {
            try await docker.tryCompose(
                ["run", "--rm", "-T", "doorstep", "admin", "rebuild-streams", "--yes"] + replicas
            ).succeeded
        }
    }
}
