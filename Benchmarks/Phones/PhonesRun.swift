import APIClient
import AsyncHTTPClient
import EmulatorAPI
import Foundation
import NIOCore
import NIOHTTP1
import WireCoding

/// Emulated phones with two deliveries each, and the changes that they show.
struct PhonesRun: Sendable {
    /// Requests at once while orders are placed and moved.
    private static let concurrency = 16
    private static let setUpSecondsMax = 120.0
    /// Seconds without a change before the load, so that the cards' throttle of one push a second does not count.
    private static let quietSeconds = 2.0

    let client: HTTPClient
    /// The origin of `orders`.
    let orders: String
    /// The origin of the emulator's control side.
    let emulator: String
    /// The stores' tokens, used in turn.
    let tokens: [String]
    let rate: Double
    private let screens = PhoneScreens()

    // MARK: Phones

    func addPhone(_ index: Int, _ token: String) async throws {
        var phone = NewEmulatedPhoneBody(id: "phone-\(index)", bundleID: PushServer.bundleID)
        phone.customerToken = token
        // The service's own budgets are used up first.
        phone.frequentBudget = 1_000_000
        let body = String(decoding: try JSONEncoder().encode(phone), as: UTF8.self)
        _ = try await client.call(.POST, "\(emulator)/phones", body: body).require(.created, "adding a phone")
    }

    /// Reads the phone's screen until the task is cancelled.
    func watch(_ index: Int) async throws {
        let request = HTTPClientRequest(url: "\(emulator)/phones/phone-\(index)/stream")
        do {
            let response = try await client.execute(request, timeout: .hours(1))
            var received = ByteBuffer()
            for try await part in response.body {
                received.writeImmutableBuffer(part)
                while let line = received.readLine() {
                    guard line.hasPrefix("data: ") else { continue }
                    let phone = try JSONDecoder().decode(EmulatedPhoneBody.self, from: Data(line.utf8.dropFirst(6)))
                    screens.show(phone, at: now())
                }
            }
        } catch  where Task.isCancelled {
            return
        }
    }

    // MARK: Deliveries

    /// - Returns: the deliveries, each in picking and on its phone.
    func placeOrders(customers: Int) async throws -> [String] {
        Bench.log("placing an order of \(Workload.deliveriesPerCustomer) deliveries for each")
        let placed = try await concurrently(Array(0..<customers)) { index in
            let order = try Workload.order(
                reference: "P-\(index)", customer: "bench-\(index)", store: Workload.store,
                deliveries: Workload.deliveriesPerCustomer)
            let answer = try await client.call(
                .POST, "\(orders)/v1/orders", body: order, token: tokens[index % tokens.count],
                headers: ["Idempotency-Key": "bench-\(index)"]
            ).require(.created, "placing an order")
            return try WireJSON.decode(Workload.Placed.self, from: answer.body).deliveries.map(\.id)
        }
        let deliveries = placed.flatMap { $0 }
        for status in ["accepted", "picking"] {
            _ = try await concurrently(Array(deliveries.enumerated())) { try await move($0, $1, to: status) }
        }
        let end = now() + .seconds(Self.setUpSecondsMax)
        while screens.count < deliveries.count {
            guard now() < end else {
                throw BenchFailure("\(screens.count) of \(deliveries.count) deliveries are on their phones")
            }
            try await Task.sleep(for: .milliseconds(100))
        }
        try await Task.sleep(for: .seconds(Self.quietSeconds))
        return deliveries
    }

    /// Packs the deliveries, at the given rate, and waits for changes that have not arrived.
    ///
    /// Packing changes the phase of a card, which is pushed at once; a found item may wait for 15 seconds.
    func load(_ deliveries: [String]) async throws -> ChangeLatencies {
        screens.begin(deliveries)
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, delivery) in deliveries.enumerated() {
                try await Task.sleep(until: start + .seconds(Double(number) / rate))
                group.addTask {
                    let due = now()
                    let version = try await move(number, delivery, to: "staged")
                    screens.answer(number, version: version, dueAt: due, at: now())
                }
            }
            try await group.waitForAll()
        }
        let end = now() + .seconds(OpenLoad.stragglerSeconds)
        while screens.arrivals.arrived < deliveries.count, now() < end { try await Task.sleep(for: .milliseconds(10)) }
        return screens.arrivals
    }

    /// - Returns: the version of the delivery, from the entity tag; 0 without one.
    private func move(_ number: Int, _ delivery: String, to status: String) async throws -> Int {
        let request = Request.move(delivery, to: status)
        let answer = try await client.call(
            .POST, orders + request.path, body: request.body, token: tokens[number % tokens.count]
        ).require(.ok, "moving a delivery to \(status)")
        let tag = answer.headers.first(name: "ETag") ?? ""
        return Int(tag.drop { !$0.isNumber }.prefix { $0.isNumber }) ?? 0
    }

    /// Results in the order of the elements.
    private func concurrently<Element: Sendable, Value: Sendable>(
        _ elements: [Element], _ action: @escaping @Sendable (Element) async throws -> Value
    ) async throws -> [Value] {
        try await withThrowingTaskGroup(of: (Int, Value).self) { group in
            var values = [Value?](repeating: nil, count: elements.count)
            for (index, element) in elements.enumerated() {
                if index >= Self.concurrency, let (done, value) = try await group.next() { values[done] = value }
                group.addTask { (index, try await action(element)) }
            }
            for try await (index, value) in group { values[index] = value }
            return values.compactMap { $0 }
        }
    }
}

extension ByteBuffer {
    /// The bytes before the next line feed, without it; nil while there is none.
    fileprivate mutating func readLine() -> String? {
        guard let end = readableBytesView.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        let line = readString(length: end - readerIndex)
        moveReaderIndex(forwardBy: 1)
        discardReadBytes()
        return line
    }
}
