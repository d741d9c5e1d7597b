import AsyncHTTPClient
import EmulatorAPI
import Foundation
import NIOCore
import NIOHTTP1
import ServiceRuntime
import Synchronization
import WireCoding

/// Measures how long a change takes from its answer until an emulated phone shows it: outbox, broker, dispatch, and a push
/// over TLS that the stand-in for Apple's service accepts and the phone applies.
struct PhonesBench: Sendable {
    /// Callers of `orders`, each with a token of its own, so that none meets its rate limit.
    private static let storeTokens = 32
    /// Requests at once while orders are placed and moved.
    private static let concurrency = 16
    private static let setUpSecondsMax = 120.0
    /// Seconds without a change before the load, so that the cards' throttle of one push a second does not count.
    private static let quietSeconds = 2.0

    private let settings: PhonesSettings
    private let orders: String
    private let emulator: String
    private let tokens: [String]
    private let screens = PhoneScreens()

    static func measure(_ settings: PhonesSettings) async throws -> PhonesReport {
        let stack = try Stack(folder: settings.folder)
        guard let emulator = stack.phonesURL else {
            throw BenchFailure("the stack has no phones; start it with DOORSTEP_PHONES=1")
        }
        let machine = try Machine(stack: stack)
        let signer = try await TokenSigner(kid: "doorstep-admin", file: stack.tokenKeyFile)
        var tokens: [String] = []
        for index in 0..<storeTokens { tokens.append(try await Bench.token(signer, .store, "bench-\(index)")) }
        var customers: [String] = []
        for index in 0..<settings.phones {
            customers.append(try await Bench.token(signer, .customer, "bench-\(index)"))
        }
        let bench = PhonesBench(
            settings: settings, orders: "http://127.0.0.1:\(stack.ordersPort)", emulator: emulator, tokens: tokens)
        return try await bench.measure(stack, machine, customers)
    }

    private init(settings: PhonesSettings, orders: String, emulator: String, tokens: [String]) {
        self.settings = settings
        self.orders = orders
        self.emulator = emulator
        self.tokens = tokens
    }

    private func measure(_ stack: Stack, _ machine: Machine, _ customers: [String]) async throws -> PhonesReport {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = settings.phones + Self.storeTokens
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        let result: Result<PhonesReport, any Error>
        do {
            result = .success(
                try await withThrowingTaskGroup(of: Void.self) { group in
                    Bench.log("adding \(settings.phones) phones")
                    for (index, token) in customers.enumerated() {
                        try await addPhone(index, token, client)
                        group.addTask { try await watch(index, client) }
                    }
                    let deliveries = try await placeOrders(client)
                    let before = ProcessUsage(of: stack)
                    Bench.log("packing \(deliveries.count) deliveries, \(settings.rate) a second")
                    let arrivals = try await load(deliveries, client)
                    let after = ProcessUsage(of: stack)
                    group.cancelAll()
                    return PhonesReport(
                        machine: machine, phones: settings.phones, rate: settings.rate, sent: deliveries.count,
                        arrivals: arrivals,
                        cpuMillisecondsPerChange: after.millisecondsPerChange(
                            since: before, changes: arrivals.arrived))
                })
        } catch {
            result = .failure(error)
        }
        try await client.shutdown()
        return try result.get()
    }

    // MARK: Phones

    private func addPhone(_ index: Int, _ token: String, _ client: HTTPClient) async throws {
        var phone = NewEmulatedPhoneBody(id: "phone-\(index)", bundleID: PushServer.bundleID)
        phone.customerToken = token
        // The service's own budgets are what is used up first.
        phone.frequentBudget = 1_000_000
        let body = String(decoding: try JSONEncoder().encode(phone), as: UTF8.self)
        _ = try await call(.POST, "\(emulator)/phones", body: body, client: client, expecting: [201])
    }

    /// Reads what the phone shows until the task is cancelled.
    private func watch(_ index: Int, _ client: HTTPClient) async throws {
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
    private func placeOrders(_ client: HTTPClient) async throws -> [String] {
        Bench.log("placing an order of \(Workload.deliveriesPerCustomer) deliveries for each")
        let date = Date()
        let placed = try await concurrently(Array(0..<settings.phones)) { index in
            let order = try Workload.order(
                reference: "P-\(index)", customer: "bench-\(index)", store: "nordhavn", now: date,
                deliveries: Workload.deliveriesPerCustomer)
            let answer = try await call(
                .POST, "\(orders)/v1/orders", body: order, token: tokens[index % tokens.count],
                headers: [("Idempotency-Key", "bench-\(index)")], client: client, expecting: [201])
            return try WireJSON.decode(Workload.Placed.self, from: Data(answer.body)).deliveries.map(\.id)
        }
        let deliveries = placed.flatMap { $0 }
        for status in ["accepted", "picking"] {
            _ = try await concurrently(Array(deliveries.enumerated())) { index, delivery in
                try await call(
                    .POST, "\(orders)/v1/deliveries/\(delivery)/status", body: #"{"status":"\#(status)"}"#,
                    token: tokens[index % tokens.count], client: client, expecting: [200])
            }
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

    /// Packs the deliveries, at the rate however slow the answers are, and waits for what has not arrived.
    ///
    /// That changes the phase of a card, which goes out at once; what a store finds meanwhile may wait for 15 seconds.
    private func load(_ deliveries: [String], _ client: HTTPClient) async throws -> ChangeLatencies {
        screens.begin(deliveries)
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, delivery) in deliveries.enumerated() {
                try await Task.sleep(until: start + .seconds(Double(number) / settings.rate))
                group.addTask { try await pack(number, delivery, client) }
            }
            try await group.waitForAll()
        }
        let end = now() + .seconds(OpenLoad.stragglerSeconds)
        while screens.arrivals.arrived < deliveries.count, now() < end { try await Task.sleep(for: .milliseconds(10)) }
        return screens.arrivals
    }

    private func pack(_ number: Int, _ delivery: String, _ client: HTTPClient) async throws {
        let due = now()
        let answer = try await call(
            .POST, "\(orders)/v1/deliveries/\(delivery)/status", body: #"{"status":"staged"}"#,
            token: tokens[number % tokens.count], client: client, expecting: [200])
        screens.answer(number, version: answer.version, dueAt: due, at: now())
    }

    // MARK: Requests

    private struct Answer: Sendable {
        let body: [UInt8]
        /// Of the delivery, from the entity tag; 0 without one.
        let version: Int
    }

    private func call(
        _ method: HTTPMethod, _ url: String, body: String, token: String? = nil, headers: [(String, String)] = [],
        client: HTTPClient, expecting statuses: Set<UInt>
    ) async throws -> Answer {
        var request = HTTPClientRequest(url: url)
        request.method = method
        request.headers.add(name: "Content-Type", value: "application/json")
        if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        request.body = .bytes(ByteBuffer(string: body))
        let response = try await client.execute(request, timeout: .seconds(60))
        let bytes = try await response.body.collect(upTo: 1 << 20)
        guard statuses.contains(response.status.code) else {
            throw BenchFailure("\(method) \(url): \(response.status) \(String(buffer: bytes))")
        }
        let tag = response.headers.first(name: "ETag") ?? ""
        return Answer(
            body: Array(buffer: bytes), version: Int(tag.drop { !$0.isNumber }.prefix { $0.isNumber }) ?? 0)
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
