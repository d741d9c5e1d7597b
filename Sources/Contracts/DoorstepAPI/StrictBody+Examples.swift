import Foundation
import OrderDomain

extension PlaceOrderBody: StrictBody {
    public static let example = PlaceOrderBody(
        reference: "G-1042", customer: named("mette"),
        store: Store(
            id: named("nordhavn"), name: "Nordhavn", location: copenhagen, timeZone: "Europe/Copenhagen",
            currency: required(CurrencyCode(rawValue: "DKK")), tracksCouriers: true,
            contact: StoreContact(
                phone: "+4533123456", url: "https://nordhavn.example/help", email: "help@nordhavn.example"),
            corrections: CorrectionLimits(
                dropOffUntil: .atDoor, recipientUntil: .delivered, itemsUntil: .picking, promiseUntil: .pickedUp,
                byCustomer: [.note, .address])),
        promise: evening, door: copenhagen, recipient: Recipient(name: "Mette Holm", phone: "+4520123456"),
        address: Address(
            street: "Nørrebrogade 40", floor: "3. tv", postalCode: "2200", city: "København N", doorCode: "4711"),
        note: "The bell is broken, please knock", handoff: inHand,
        requires: [.pin], language: "da",
        deliveries: [
            Part(
                items: [
                    Line(
                        id: named("milk"), name: "Milk", quantity: 2, ifUnavailable: .ask, class: "dairy",
                        requires: [.age])
                ],
                promise: evening, barcode: "NH-1042-1")
        ])

    private static let copenhagen = Coordinate(clampingLatitude: 55.7089, longitude: 12.5954)
    private static let evening = PromiseBody.example.promise
    private static let inHand = required(Handoff(method: .handToCustomer, verification: .none))
}

extension StatusBody: StrictBody {
    public static let example = StatusBody(
        status: .failed, reason: "rang twice", customerReason: .nobodyHome, nextStep: .redelivery,
        refundMinorUnits: 3_900)
}

extension AssignBody: StrictBody {
    public static let example = AssignBody(
        courier: .described(.init(id: named("jonas"), name: "Jonas", vehicle: .bicycle, phone: "+4520123456")),
        reason: "the first courier is ill", stopsBefore: 2)
}

extension ItemBody: StrictBody {
    public static let example = ItemBody(
        status: .substituteProposed, quantity: 2,
        substitute: .init(name: "Oat milk", quantity: 2, priceDifferenceMinorUnits: 350), answerSeconds: 600,
        refundMinorUnits: 1_250, reason: "the customer called")
}

extension DropOffBody: StrictBody {
    public static let example = DropOffBody(
        door: Coordinate(clampingLatitude: 55.6924, longitude: 12.5446),
        address: AddressChange(
            street: .text("Nørrebrogade 44"), floor: .text("2. th"), postalCode: .text("2200"),
            city: .text("København N"), doorCode: .text("4712")),
        note: .text("The bell is broken, please knock"), reason: "the customer called")
}

extension RecipientBody: StrictBody {
    public static let example = RecipientBody(
        name: .text("Mette Holm"), phone: .text("+4520123456"), reason: "the customer called")
}

extension AddItemsBody: StrictBody {
    public static let example = AddItemsBody(
        items: [
            .init(
                id: named("butter"), name: "Butter", quantity: 1, ifUnavailable: .refund, class: "dairy", requires: [])
        ],
        reason: "the customer called")
}

extension SettleCorrectionBody: StrictBody {
    public static let example = SettleCorrectionBody(settled: .provider, reason: "changed at the provider's portal")
}

extension HoldBody: StrictBody {
    public static let example = HoldBody(reason: "the address is being checked")
}

extension PromiseBody: StrictBody {
    public static let example = PromiseBody(
        start: Date(timeIntervalSince1970: 1_795_284_000), end: Date(timeIntervalSince1970: 1_795_287_600),
        reason: "the customer asked for it")

    fileprivate var promise: Promise { required(Promise(start: start, end: end)) }
}

extension TripBody: StrictBody {
    public static let example = TripBody(stopsBefore: 2, reason: "the courier goes another way")
}

extension GiveFeedbackBody: StrictBody {
    public static let example = GiveFeedbackBody(kind: .missing, items: [named("milk")])
}

extension ErasePersonBody: StrictBody {
    public static let example = ErasePersonBody(endLive: true)
}

extension IssueTokenBody: StrictBody {
    public static let example = IssueTokenBody(customer: named("mette"), lifetimeSeconds: 3_600)
}

extension EnrolPhoneBody: StrictBody {
    public static let example = EnrolPhoneBody(app: .ownTracks, label: "Mira's phone")
}

extension PutFaceBody: StrictBody {
    public static let example = PutFaceBody(
        name: "Nordhavn Market", colours: .init(light: "#0a6b70", dark: "#5fd0d6"),
        contact: StoreContact(
            phone: "+4533123456", url: "https://nordhavn.example/help", email: "help@nordhavn.example"),
        words: ["da": ["page.items": "Dine varer fra os"]])
}

extension CourierMapBody: StrictBody {
    public static let example = CourierMapBody(isShown: false)
}

extension BeginDutyBody: StrictBody {
    public static let example = BeginDutyBody(until: Date(timeIntervalSince1970: 1_795_287_600))
}

extension EndCardBody: StrictBody {
    public static let example = EndCardBody(reason: "it shows another order", device: "phone-1")
}

extension ReasonBody: StrictBody {
    public static let example = ReasonBody(reason: "the customer called")
}

extension PutSourceBody: StrictBody {
    public static let example = PutSourceBody(
        provider: "uber", name: "Uber", store: named("nordhavn"), secret: "c5c26d5a-70d6-46c7-a652-d7c09825ad29",
        acceptsTest: false)
}

extension NewSecretBody: StrictBody {
    public static let example = NewSecretBody(secret: "c5c26d5a-70d6-46c7-a652-d7c09825ad29")
}

extension ProviderReferenceBody: StrictBody {
    public static let example = ProviderReferenceBody(source: named("uber"), reference: "del_Jj2YlVRNT6GJFj7JGGJ0Xw")
}

extension NewEndpointBody: StrictBody {
    public static let example = NewEndpointBody(
        url: "https://shop.example.com/webhooks", events: [.changed], store: named("nordhavn"),
        description: "Order management", signature: .symmetric)
}

extension ChangedEndpointBody: StrictBody {
    public static let example = ChangedEndpointBody(
        url: "https://shop.example.com/webhooks", events: [.changed], description: .text("Order management"),
        enabled: true)
}

extension ReplayBody: StrictBody {
    public static let example = ReplayBody(
        event: named("msg_7f3c_4_picked_up"), from: Date(timeIntervalSince1970: 1_795_284_000),
        to: Date(timeIntervalSince1970: 1_795_287_600))
}

extension TriggerBody: StrictBody {
    public static let example = TriggerBody(type: .changed, endpoint: named("we_7f3c"))
}

private func named<ID: Identifier>(_ text: String) -> ID { required(ID(rawValue: text)) }

private func required<Value>(_ value: Value?) -> Value {
    guard let value else { preconditionFailure("the examples' own values are valid") }
    return value
}
