import ArgumentParser
import CommandOutput
import DomainTime
import DoorstepAPI
import Foundation
import NIOHTTP1
import OrderDomain
import StackClient
import WireCoding

/// Places an order as the shop would: a simple order from flags, any order from a file.
struct OrderPlace: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "place",
        abstract: "Place an order, and print its ids, a link to it and the next command.",
        discussion: """
            A repeat of the same order with the same --idempotency-key places it once and prints the first answer; the \
            same order includes the same promise, so use --from or --file then.
            Places are written 55.7085,12.5942: latitude, longitude.
            """)

    @Option(help: "A file with the body of POST /v1/orders; - reads standard input.")
    var file: String?
    @OptionGroup var simple: SimpleOrder
    @Option(help: "The attempt's key, for repeats; random by default, and printed where the answer is lost.")
    var idempotencyKey: String?
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if file != nil, simple.isGiven { throw ValidationError("give either --file or what the order is made of") }
    }

    func run() async throws {
        let body = try await read()
        let client = try PeerClient(.orders, as: .store)
        let key = idempotencyKey ?? UUID().uuidString.lowercased()
        do {
            let data = try await client.exchange(.POST, "/v1/orders", json: body, headers: ["Idempotency-Key": key]).0
            try await output.show(data, of: .orders) { (order: OrderBody) in
                var links: [DeliveryID: String] = [:]
                for delivery in order.deliveries { links[delivery.id] = await Self.link(to: delivery.id, client) }
                return order.placedText(links: links)
            }
        } catch let failure as CommandFailure where failure.mayBeDone {
            throw Self.unanswered(failure, body, key: key)
        }
    }

    /// The failure of an order that may have been placed: its ids and its link are only in the first answer.
    private static func unanswered(_ failure: CommandFailure, _ body: Data, key: String) -> CommandFailure {
        struct Named: Decodable { let reference: String }
        // What the terminal cannot show would be the name of another order, or of none.
        func named(_ text: String?, or placeholder: String) -> String {
            text.flatMap { TerminalAbilities().text($0) == $0 ? OrderBody.quoted($0) : nil } ?? placeholder
        }
        // A body without a reference places nothing, so that the placeholder is of no order.
        let reference = (try? WireJSON.decode(Named.self, from: body))?.reference.safeOnTerminal
        let command = "doorstep order show \(named(reference, or: "REFERENCE"))"
        let shown = failure.unanswered(shownBy: command, isAfterOthers: false)
        return CommandFailure(
            shown.kind,
            "\(shown.message); a repeat of the same body needs `--idempotency-key \(named(key, or: "KEY"))`",
            mayBeDone: true)
    }

    /// The link to text to the customer; nil where it could not be made, which leaves the order placed.
    private static func link(to delivery: DeliveryID, _ client: PeerClient) async -> String? {
        do {
            let answer = try await client.send(
                .POST, "/v1/deliveries/\(delivery)/view-link", body: NoBody?.none, as: ViewLinkBody.self)
            return answer.body.url
        } catch {
            let reason = (error as? CommandFailure)?.message ?? "\(error)"
            CommandFailure.complain("no link to \(delivery): \(reason)".safeOnTerminal)
            return nil
        }
    }

    /// The body of the request; a file's bytes as they are, so that `orders` refuses a property that it does not know.
    private func read() async throws -> Data {
        guard let file else { return try WireJSON.encode(try simple.body(now: try await Stack().clock().now)) }
        let data = try Data(ofFile: file)
        if let fault = WireJSON.formFault(in: data) {
            throw CommandFailure(.usage, "\(file) is not JSON: \(fault)".safeOnTerminal)
        }
        return data
    }
}

extension OrderBody {
    /// The ids of the placed order, a link to each of its deliveries, and the next command.
    ///
    /// - Parameter links: by delivery; those that could not be made are absent.
    func placedText(links: [DeliveryID: String]) -> String {
        var lines = ["order \(id)"]
        for delivery in deliveries {
            lines.append("delivery \(delivery.id)")
            if let link = links[delivery.id] { lines.append("link \(link)") }
        }
        // A reference names one delivery; of several, the first.
        let name = deliveries.count == 1 ? reference : deliveries.first?.id.rawValue ?? reference
        lines.append("")
        if !links.isEmpty { lines.append("Text the link to the customer; it shows the delivery in any browser.") }
        lines.append("Next:")
        lines.append("    doorstep order set-status \(Self.quoted(name)) --status accepted")
        return lines.map(\.safeOnTerminal).joined(separator: "\n")
    }

    /// A text as one word of a shell.
    fileprivate static func quoted(_ text: String) -> String {
        let isPlain = text.wholeMatch(of: /[A-Za-z0-9][A-Za-z0-9._-]*/) != nil
        return isPlain ? text : "'\(text.replacing("'", with: "'\\''"))'"
    }
}

/// An order with one delivery, given in flags.
struct SimpleOrder: ParsableArguments {
    @Option(help: "The order's number for the shop and the customer.")
    var reference: String?
    @Option(help: "The customer's id.")
    var customer: String?
    @Option(help: "The store's id.")
    var store = Self.usual.store
    @Option(help: "The store's name for customers.")
    var storeName = Self.usual.storeName
    @Option(parsing: .unconditional, help: "The store's position.")
    var storeAt = Self.usual.storeAt
    @Option(help: "The store's time zone.")
    var timeZone = Self.usual.timeZone
    @Option(help: "The ISO 4217 code of the store's amounts.")
    var currency = Self.usual.currency
    @Option(parsing: .unconditional, help: "The door's position.")
    var door: String?
    @Option(help: "The recipient's name.")
    var name: String?
    @Option(help: "The recipient's phone number, for the courier.")
    var phone: String?
    @Option(help: "Street and number.")
    var street: String?
    @Option(help: "Floor and side, or a flat's number.")
    var floor: String?
    @Option(help: "The postal code.")
    var postalCode: String?
    @Option(help: "The city.")
    var city: String?
    @Option(help: "The code of the street door.")
    var doorCode: String?
    @Option(help: "A note to the courier.")
    var note: String?
    @Option(name: .customLong("item"), help: "An item, such as 'Oat milk' or '2x Oat milk'; repeat for more.")
    var items: [String] = []
    @Option(help: "The promise's start: 20:30 in the store's time zone, or 2026-11-21T18:24:00Z.")
    var from: StoreTime?
    @Option(help: "Minutes from now until the promise begins, without --from; \(Self.usual.minutes) by default.")
    var inMinutes: Int?
    @Option(help: "The promise's duration in minutes.")
    var windowMinutes = Self.usual.minutes
    @Option(
        name: .customLong("require"),
        help: "A proof at the door: pin, photo, signature, age or barcode; repeat for more.")
    var requires: [String] = []
    @Option(help: "The text of the bag's barcode, for --require barcode.")
    var barcode: String?
    @Option(help: "The language that the customer reads, such as da or pt-BR.")
    var language: String?
    @ArgumentParser.Flag(help: "Leave the order at the door.")
    var leaveAtDoor = false

    /// An order's options where none is given.
    private static let usual = (
        store: "nordhavn", storeName: "Nordhavn", storeAt: "55.7085,12.5942", timeZone: "Europe/Copenhagen",
        currency: "DKK", minutes: 30
    )

    var isGiven: Bool {
        let texts = [
            reference, customer, door, name, phone, street, floor, postalCode, city, doorCode, note, barcode, language,
        ]
        let usual = Self.usual
        let isUsual =
            (store, storeName, storeAt, timeZone, currency)
            == (usual.store, usual.storeName, usual.storeAt, usual.timeZone, usual.currency)
            && windowMinutes == usual.minutes
        return texts.contains { $0 != nil } || !items.isEmpty || !requires.isEmpty || from != nil || inMinutes != nil
            || leaveAtDoor || !isUsual
    }

    func validate() throws {
        guard phone == nil || name != nil else { throw ValidationError("--phone needs --name") }
        guard from == nil || inMinutes == nil else { throw ValidationError("give either --from or --in-minutes") }
        guard street != nil || [floor, postalCode, city, doorCode].allSatisfy({ $0 == nil }) else {
            throw ValidationError("--floor, --postal-code, --city and --door-code need --street")
        }
    }

    /// - Parameter now: domain time, which the promise counts from.
    func body(now: Date) throws -> PlaceOrderBody {
        guard let reference, let customer, let door, !items.isEmpty else {
            throw CommandFailure(.usage, "an order needs --reference, --customer, --door and an --item, or a --file")
        }
        guard let customer = CustomerID(rawValue: customer), let store = StoreID(rawValue: store) else {
            throw CommandFailure(.usage, "an id is 1 to 64 letters, digits, - and _")
        }
        guard let zone = TimeZone(identifier: timeZone) else {
            throw CommandFailure(.usage, "\(timeZone) is no time zone, such as Europe/Copenhagen")
        }
        let start =
            from.map { $0.date(in: zone, now: now) }
            ?? now.addingTimeInterval(Double(inMinutes ?? Self.usual.minutes) * 60)
        guard let promise = Promise(start: start, end: start.addingTimeInterval(Double(windowMinutes) * 60)) else {
            throw CommandFailure(.usage, "--window-minutes must be above 0")
        }
        return PlaceOrderBody(
            reference: reference, customer: customer,
            store: Store(
                id: store, name: storeName, location: try Self.place(storeAt), timeZone: timeZone,
                currency: try Self.currency(currency)),
            promise: promise, door: try Self.place(door), recipient: name.map { Recipient(name: $0, phone: phone) },
            address: street.map {
                Address(street: $0, floor: floor, postalCode: postalCode, city: city, doorCode: doorCode)
            },
            note: note,
            handoff: Handoff(method: leaveAtDoor ? .leaveAtDoor : .handToCustomer, verification: .none),
            requires: requires.isEmpty ? nil : try requires.map(Self.proof), language: language,
            deliveries: [
                .init(items: try items.enumerated().map { try Self.line($1, number: $0 + 1) }, barcode: barcode)
            ])
    }

    private static func currency(_ text: String) throws -> CurrencyCode {
        guard let code = CurrencyCode(rawValue: text), code.isKnown else {
            throw CommandFailure(.usage, "\(text) is no ISO 4217 code, such as DKK")
        }
        return code
    }

    private static func proof(_ text: String) throws -> ProofKind {
        guard let kind = ProofKind(rawValue: text) else {
            let names = ProofKind.allCases.map(\.rawValue).joined(separator: ", ")
            throw CommandFailure(.usage, "\(text) is no proof; say one of \(names)")
        }
        return kind
    }

    static func place(_ text: String) throws -> Coordinate {
        let numbers = text.split(separator: ",").map { Double($0.trimmingCharacters(in: .whitespaces)) }
        guard numbers.count == 2, let latitude = numbers[0], let longitude = numbers[1],
            let place = Coordinate(latitude: latitude, longitude: longitude)
        else { throw CommandFailure(.usage, "\(text) is no place; write it as 55.7085,12.5942") }
        return place
    }

    static func line(_ text: String, number: Int) throws -> PlaceOrderBody.Line {
        guard let id = ItemID(rawValue: "item-\(number)") else { preconditionFailure("item-1 is an identifier") }
        guard let counted = text.firstMatch(of: /^\s*(\d+)\s*[xX×]\s+(.+)$/) else {
            return .init(id: id, name: text, quantity: 1, ifUnavailable: .ask)
        }
        guard let quantity = pieces(counted.output.1) else {
            throw CommandFailure(.usage, "\(text): 1 to 999 pieces of an item are ordered".safeOnTerminal)
        }
        return .init(id: id, name: String(counted.output.2), quantity: quantity, ifUnavailable: .ask)
    }

    /// The number in digits of any script; nil where it is not 1 to 999.
    private static func pieces(_ digits: Substring) -> Int? {
        var number = 0
        for digit in digits {
            guard let value = digit.wholeNumberValue, value < 10, number < 100 else { return nil }
            number = number * 10 + value
        }
        return number > 0 ? number : nil
    }
}
