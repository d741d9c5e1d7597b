import TestSupport

/// Faults and operations on the containers.
extension ComposeStack {
    /// Sends SIGKILL.
    func kill9(_ service: String) async throws {
        try await docker.docker(["kill", "--signal", "KILL", try await container(service)])
    }

    /// Starts the stopped container again.
    func start(_ service: String) async throws { try await docker.docker(["start", try await container(service)]) }

    /// Freezes all its processes; its connections stay open.
    func pause(_ service: String) async throws { try await docker.docker(["pause", try await container(service)]) }

    func unpause(_ service: String) async throws { try await docker.docker(["unpause", try await container(service)]) }

    /// Disconnects it from the backend network.
    func disconnect(_ service: String) async throws {
        try await docker.docker(["network", "disconnect", network("backend"), try await container(service)])
    }

    /// Connects it again under its name.
    func reconnect(_ service: String) async throws {
        try await docker.docker([
            "network", "connect", "--alias", service, network("backend"), try await container(service),
        ])
    }

    /// Restarts it gracefully.
    func restart(_ service: String) async throws {
        try await docker.docker(["restart", "--time", "20", try await container(service)])
    }

    /// Recreates the container, as an upgrade does.
    func replace(_ service: String) async throws {
        try await docker.compose(["up", "-d", "--no-build", "--no-deps", "--force-recreate", service])
    }

    /// Returns when the primary acknowledges nothing that its standby has not.
    nonisolated func standbyHasEverything() async throws {
        try await eventually("the standby has everything") {
            let (succeeded, output) = try await docker.tryCompose(
                [
                    "exec", "-T", "postgres", "psql", "--username", "doorstep", "--no-align", "--tuples-only",
                    "--command",
                    "SELECT sync_state FROM pg_stat_replication",
                ])
            return succeeded && output.contains("sync") && !output.contains("async")
        }
    }

    /// Promotes the standby, and returns when it takes writes.
    func promoteStandby() async throws {
        let (succeeded, output) = try await docker.shell(in: "postgres-2", "pg_ctl -D $PGDATA -w promote")
        guard succeeded else { throw Docker.Failed(description: output) }
    }

    /// Removes the brokers and their volumes, and starts new ones.
    func deleteBrokerVolumes() async throws {
        try await docker.compose(["rm", "--stop", "--force"] + brokers)
        for broker in brokers { try await docker.docker(["volume", "rm", volume(broker)]) }
        try await docker.compose(["up", "-d", "--no-build", "--no-deps"] + brokers)
    }

    /// Retries `rebuild-streams` until the new broker accepts it.
    nonisolated func rebuildStreams(_ options: [String] = []) async throws {
        let replicas = settings.isScaled ? ["--replicas", "3"] : []
        try await eventually("the streams are built again") {
            try await docker.tryCompose(
                ["run", "--rm", "-T", "doorstep-admin", "rebuild-streams", "--yes"] + replicas + options
            ).succeeded
        }
    }
}
