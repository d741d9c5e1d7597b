import Foundation
import ServiceRuntime

/// Measures what device streams cost that wait: resident memory each, and processor time of all of them together.
enum StreamsBench {
    static func measure(_ settings: StreamsSettings) async throws -> StreamsReport {
        let stack = try Stack(folder: settings.folder)
        let machine = try Machine(stack: stack)
        let signer = try await TokenSigner(kid: "doorstep-admin", file: stack.tokenKeyFile)
        let expiry = Date().addingTimeInterval(24 * 3600)
        var tokens: [String] = []
        for index in 0..<(settings.streams + StreamsSettings.streamsPerCustomer - 1)
            / StreamsSettings.streamsPerCustomer
        {
            tokens.append(
                try await signer.sign(
                    Identity(subject: "bench-\(index)", role: .customer, expiresAt: expiry), at: Date()))
        }
        func token(_ stream: Int) -> String { tokens[stream / StreamsSettings.streamsPerCustomer] }

        let eventLoop = try EventLoop(stack: stack, storeTokens: [])
        Bench.log("registering \(settings.streams) devices")
        for stream in 0..<settings.streams {
            let call = Request(
                method: "PUT", path: "/v1/devices/phone-\(stream)", body: #"{"transport":"stream"}"#,
                token: token(stream))
            try eventLoop.dispatch.send(call) { answer in
                if answer.status != 200 { eventLoop.fail("registering a device", answer) }
            }
            try eventLoop.run { eventLoop.dispatch.inFlight < 64 }
        }
        try eventLoop.run { eventLoop.dispatch.inFlight == 0 }
        try eventLoop.run(seconds: 5)
        Bench.log("idling for \(settings.seconds) s")
        let idle = ProcessUsage(of: stack)
        try eventLoop.run(seconds: settings.seconds)
        let before = ProcessUsage(of: stack)

        Bench.log("opening \(settings.streams) streams")
        for stream in 0..<settings.streams {
            try eventLoop.streams.open(device: "phone-\(stream)", token: token(stream))
            // Fewer at once than the service takes on.
            try eventLoop.run { eventLoop.streams.opening < 64 }
        }
        try eventLoop.run { eventLoop.streams.opening == 0 }
        // One heartbeat of each, which is when a stream has all that it keeps.
        try eventLoop.run(seconds: 20)
        let open = ProcessUsage(of: stack)
        Bench.log("waiting for \(settings.seconds) s")
        try eventLoop.run(seconds: settings.seconds)
        let after = ProcessUsage(of: stack)
        return StreamsReport(
            machine: machine, streams: settings.streams, seconds: settings.seconds,
            memoryBefore: before.memory, memoryOpen: after.memory, idleCPUSeconds: before.seconds(since: idle),
            cpuSeconds: after.seconds(since: open))
    }
}
