import ArgumentParser
import DoorstepAPI
import NIOHTTP1
import OrderDomain

/// A correction of a placed delivery, in flags; an empty text removes that text.
struct CorrectionFlags: ParsableArguments {
    @Option(parsing: .unconditional, help: "The door's position, such as 55.7085,12.5942.")
    var door: String?
    @ArgumentParser.Flag(help: "The door is where it was: only its street, postal code or city was misspelt.")
    var sameDoor = false
    @Option(help: "Street and number; with --door or --same-door.")
    var street: String?
    @Option(help: "Floor and side, or a flat's number.")
    var floor: String?
    @Option(help: "The postal code; with --door or --same-door.")
    var postalCode: String?
    @Option(help: "The city; with --door or --same-door.")
    var city: String?
    @Option(help: "The code of the street door.")
    var doorCode: String?
    @Option(help: "A note to the courier.")
    var note: String?
    @Option(help: "The recipient's name.")
    var name: String?
    @Option(help: "The recipient's phone number, for the courier.")
    var phone: String?
    @Option(name: .customLong("item"), help: "A further item, such as 'Oat milk' or '2x Oat milk'; repeat for more.")
    var items: [String] = []
    @Option(help: "The class of the further items, such as alcohol, for which the store may require proofs.")
    var itemClass: String?
    @Option(
        help: """
            Report a step of a person: provider, once the delivery's provider has the new values; decision, to decline \
            the address that the customer asked for.
            """,
        transform: Self.due)
    var settle: CorrectionDue?

    func validate() throws {
        guard changesDropOff || changesRecipient || !items.isEmpty || settle != nil else {
            throw ValidationError("name what is corrected, such as --note or --street with --door")
        }
        guard itemClass == nil || !items.isEmpty else { throw ValidationError("--item-class needs --item") }
        guard door == nil || !sameDoor else { throw ValidationError("give either --door or --same-door") }
        let locates = [street, postalCode, city].contains { $0 != nil }
        guard !locates || door != nil || sameDoor else {
            throw ValidationError("--street, --postal-code and --city need --door or --same-door")
        }
    }

    private var addressTexts: [String?] { [street, floor, postalCode, city, doorCode] }

    /// Whether the door, the address or the note is corrected.
    var changesDropOff: Bool { door != nil || (addressTexts + [note]).contains { $0 != nil } }
    var changesRecipient: Bool { name != nil || phone != nil }

    /// The requests of the correction: further items are last, since no request removes them.
    ///
    /// - Parameter delivery: as it is now.
    func requests(of delivery: DeliveryBody, reason: String?) throws -> [DeliveryRequest] {
        var requests: [DeliveryRequest] = []
        func add(_ what: String, _ method: HTTPMethod, _ path: String, _ body: any Encodable & Sendable) {
            requests.append(DeliveryRequest(what: what, method: method, path: path, body: body))
        }
        if changesDropOff { add("corrected", .PATCH, "/drop-off", try dropOff(of: delivery, reason: reason)) }
        if changesRecipient { add("corrected the recipient", .PATCH, "/recipient", recipient(reason: reason)) }
        if let settle {
            add("settled", .POST, "/correction-due", SettleCorrectionBody(settled: settle, reason: reason))
        }
        if !items.isEmpty {
            let body = try furtherItems(of: delivery, reason: reason)
            add("given \(items.joined(separator: ", "))", .POST, "/items", body)
        }
        return requests
    }

    /// - Parameter delivery: as it is now, for the position of a door that stays.
    func dropOff(of delivery: DeliveryBody, reason: String?) throws -> DropOffBody {
        let address = DropOffBody.AddressChange(
            street: Self.change(street), floor: Self.change(floor), postalCode: Self.change(postalCode),
            city: Self.change(city), doorCode: Self.change(doorCode))
        return DropOffBody(
            door: sameDoor ? delivery.door : try door.map(SimpleOrder.place),
            address: addressTexts.contains { $0 != nil } ? address : nil, note: Self.change(note), reason: reason)
    }

    func recipient(reason: String?) -> RecipientBody {
        RecipientBody(name: Self.change(name), phone: Self.change(phone), reason: reason)
    }

    /// - Parameter delivery: as it is now, whose items are numbered on.
    func furtherItems(of delivery: DeliveryBody, reason: String?) throws -> AddItemsBody {
        let known = Set(delivery.items.map(\.id.rawValue))
        let free = ((delivery.items.count + 1)...).lazy.filter { !known.contains("item-\($0)") }
        return AddItemsBody(
            items: try zip(items, free).map { text, number in
                var line = try SimpleOrder.line(text, number: number)
                line.class = itemClass
                return line
            }, reason: reason)
    }

    private static func change(_ text: String?) -> TextChange? { text.map { TextChange($0.isEmpty ? nil : $0) } }

    private static func due(_ text: String) throws -> CorrectionDue {
        guard let due = CorrectionDue(rawValue: text) else {
            throw ValidationError("a step is one of \(CorrectionDue.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return due
    }
}
