/// A device, and the token of its customer.
struct Device {
    let id: String
    let token: String
}

/// The open event streams of all devices.
final class DeviceStreams {
    /// A delivery's card as a push to a device showed it.
    struct CardUpdate {
        let delivery: String
        let version: Int
        /// The whole event's data.
        let data: [UInt8]
    }

    private var streams: [EventStream] = []
    private let poller: Poller
    private let port: Int
    private let firstID: Int

    init(port: Int, poller: Poller, firstID: Int) {
        self.port = port
        self.poller = poller
        self.firstID = firstID
    }

    /// Streams that were asked for and not answered.
    private(set) var opening = 0

    func open(_ device: Device) throws {
        let stream = try EventStream(
            port: port, path: "/v1/devices/\(device.id)/stream", headers: ["Authorization: Bearer \(device.token)"])
        try poller.add(stream.socket.descriptor, id: firstID + streams.count)
        streams.append(stream)
        opening += 1
        try stream.ask()
    }

    /// The pushes that a stream has more of.
    func read(_ index: Int) throws -> [CardUpdate] {
        let wasOpen = streams[index].isOpen
        let shown = try streams[index].read().compactMap { CardUpdate($0) }
        if !wasOpen, streams[index].isOpen { opening -= 1 }
        return shown
    }
}

extension DeviceStreams.CardUpdate {
    /// Nil for a heartbeat and a summary's card.
    fileprivate init?(_ event: [UInt8]) {
        guard let key = event.firstRange(of: "\"delivery\":\""),
            let revision = event.firstRange(of: "\"revision\":{", from: key.upperBound),
            let version = event.firstRange(of: "\"version\":", from: revision.upperBound),
            let number = event.number(at: version.upperBound),
            let end = event[key.upperBound...].firstIndex(of: UInt8(ascii: "\"")),
            let data = event.firstRange(of: "data: ")
        else { return nil }
        self.init(
            delivery: String(decoding: event[key.upperBound..<end], as: UTF8.self), version: number,
            data: Array(event[data.upperBound...]))
    }
}

extension EventLoop {
    /// The most devices and streams opened concurrently: fewer than the service accepts.
    private static let openingMax = 64

    /// Registers devices that receive their cards by a stream.
    func register(_ devices: [Device]) throws {
        for device in devices {
            let call = Request(
                method: "PUT", path: "/v1/devices/\(device.id)", body: #"{"transport":"stream"}"#, token: device.token)
            try dispatch.send(call) { [unowned self] answer in
                if answer.status != 200 { fail("registering a device", answer) }
            }
            try run { dispatch.inFlight < Self.openingMax }
        }
        try settle()
    }

    /// Opens a stream of each device, and waits until all are answered.
    func openStreams(of devices: [Device]) throws {
        for device in devices {
            try streams.open(device)
            try run { streams.opening < Self.openingMax }
        }
        try run { streams.opening == 0 }
    }
}
