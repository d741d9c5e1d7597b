import DoorstepAPI
import Foundation
import LiveActivity
import Messages
import OpenAPITesting
import OrderDomain
import Testing
import WireCoding

/// A Swift type that is a schema of the same name in the OpenAPI documents.
struct DocumentedType: Sendable, CustomTestStringConvertible {
    let name: String
    /// Raw values of an enumeration, as JSON; nil for every other type.
    let cases: [JSONValue]?
    private let codec: @Sendable (Data) throws -> Codec

    /// A value as it was decoded and encoded again.
    struct Codec {
        let encoded: JSONValue
        /// Stored properties of a structure, and which of them are not nil.
        let stored: Set<String>
        let present: Set<String>
    }

    var testDescription: String { name }

    /// - Parameter unwritten: properties that a value keeps for itself.
    init<Value: Codable & SendableMetatype>(_ type: Value.Type, unwritten: Set<String> = []) {
        self.init(type, cases: nil, unwritten: unwritten)
    }

    init<Value: Codable & CaseIterable & RawRepresentable<String> & SendableMetatype>(cases type: Value.Type) {
        self.init(type, cases: Value.allCases.map { .string($0.rawValue) })
    }

    private init<Value: Codable & SendableMetatype>(
        _ type: Value.Type, cases: [JSONValue]?, unwritten: Set<String> = []
    ) {
        // Without the module: `BoardBody.Row`.
        name = String(reflecting: type).split(separator: ".").dropFirst().joined(separator: ".")
        self.cases = cases
        codec = { data in
            let value = try WireJSON.decode(type, from: data)
            let encoded = try JSONDecoder().decode(JSONValue.self, from: WireJSON.encode(value))
            let mirror = Mirror(reflecting: value)
            guard mirror.displayStyle == .struct else { return Codec(encoded: encoded, stored: [], present: []) }
            let children = mirror.children.compactMap { child in child.label.map { ($0, child.value) } }
                .filter { !unwritten.contains($0.0) }
            let present = children.filter { !isNil($0.1) }
            return Codec(encoded: encoded, stored: Set(children.map(\.0)), present: Set(present.map(\.0)))
        }
    }

    /// - Throws: what decoding throws.
    func roundTrip(_ value: JSONValue) throws -> Codec { try codec(JSONEncoder().encode(value)) }
}

private func isNil(_ value: Any) -> Bool {
    let mirror = Mirror(reflecting: value)
    return mirror.displayStyle == .optional && mirror.children.isEmpty
}

extension DocumentedType {
    /// Every type of ours that travels over HTTP.
    static let all: [DocumentedType] = [
        .init(OrderID.self), .init(DeliveryID.self), .init(CustomerID.self), .init(StoreID.self), .init(CourierID.self),
        .init(ItemID.self), .init(ActivityID.self),
        .init(cases: StatusCode.self), .init(cases: CourierStatus.self), .init(cases: Flag.self),
        .init(cases: OrderDomain.Phase.self), .init(cases: Holder.self), .init(cases: Vehicle.self),
        .init(cases: Verb.self), .init(cases: ItemStatus.self), .init(cases: UnavailablePreference.self),
        .init(cases: CustomerReason.self), .init(cases: NextStep.self),
        .init(cases: HandoffMethod.self), .init(cases: HandoffVerification.self), .init(cases: Milestone.self),
        .init(cases: ProofKind.self), .init(ProofStateBody.self), .init(cases: ProofStateBody.State.self),
        .init(GiveProofBody.self), .init(cases: GiveProofBody.AgeCheck.self),
        .init(cases: BoardBody.Risk.self), .init(cases: OperatorScope.self), .init(cases: TrackerApp.self),
        .init(cases: ReportBody.Kind.self),
        .init(cases: PushPayload.Event.self), .init(DutyBody.Cause.self),
        .init(Coordinate.self), .init(Store.self), .init(StoreContact.self),
        .init(StoreContactLinks.self), .init(Promise.self), .init(Handoff.self), .init(Bag.self),
        .init(Recipient.self), .init(Address.self), .init(Substitute.self), .init(Item.self), .init(DeliveryLink.self),
        .init(Estimate.self),
        .init(PlaceOrderBody.self), .init(PlaceOrderBody.Part.self), .init(PlaceOrderBody.Line.self),
        .init(OrderBody.self), .init(OrdersBody.self), .init(DevicesBody.self), .init(DevicesBody.Found.self),
        .init(CustomerPhoneBody.self), .init(CustomerPhoneBody.Token.self), .init(CustomerPhoneBody.StartFailure.self),
        .init(CustomerPhoneBody.Circuit.self), .init(CustomerPhoneBody.Card.self), .init(CustomerPhoneBody.Push.self),
        .init(CustomerPhoneBody.Measure.self), .init(CustomerPhoneBody.Count.self),
        .init(DeliveryBody.self), .init(StatusBody.self), .init(AssignBody.self),
        .init(AssignBody.Choice.self), .init(CourierBody.self), .init(ItemBody.self),
        .init(ItemBody.SubstituteBody.self), .init(cases: CorrectedField.self), .init(cases: CorrectionDue.self),
        .init(cases: CustomerCorrection.self), .init(CorrectionLimits.self), .init(CorrectionBody.self),
        .init(DropOffBody.self), .init(DropOffBody.AddressChange.self), .init(RecipientBody.self),
        .init(AddItemsBody.self), .init(SettleCorrectionBody.self), .init(HoldBody.self),
        .init(PromiseBody.self), .init(TripBody.self), .init(PutFaceBody.self), .init(FaceBody.self),
        .init(FaceBody.Colours.self), .init(FaceBody.Logo.self),
        .init(cases: DeliveryFeedback.Kind.self), .init(GiveFeedbackBody.self), .init(FeedbackBody.self),
        .init(FeedbackBody.NamedItem.self), .init(DayReportBody.Feedback.self),
        .init(PreviewBody.self), .init(BoardBody.self), .init(BoardBody.Counts.self), .init(BoardBody.Row.self),
        .init(BoardBody.Cards.self),
        .init(ContactsBody.self), .init(ContactsBody.Row.self), .init(ContactsBody.Person.self),
        .init(TimelineBody.self), .init(TimelineBody.Entry.self), .init(TimelinePageBody.self),
        .init(TimelinePageBody.Row.self), .init(DayReportBody.self), .init(DayReportBody.Figures.self),
        .init(DayReportBody.Late.self), .init(DayReportBody.EstimateError.self), .init(DayReportBody.StoreRow.self),
        .init(DayReportBody.CourierRow.self),
        .init(DayReportBody.Cancellation.self), .init(DayReportBody.Press.self), .init(LinkBody.self),
        .init(ViewLinkBody.self),
        .init(CourierLinkBody.self), .init(CourierPressBody.self),
        .init(RevokedViewLinksBody.self), .init(AlertSubscriptionBody.self), .init(AlertSubscriptionBody.Keys.self),
        .init(ErasePersonBody.self), .init(PersonRequestBody.self), .init(IssueTokenBody.self),
        .init(TokenBody.self), .init(SignInLinkBody.self), .init(SessionsBody.self), .init(SessionBody.self),
        .init(EndedSessionsBody.self), .init(RepublishBody.self), .init(DeadLettersBody.self),
        .init(DeadLetterBody.self), .init(PersonalReadsBody.self), .init(PersonalReadBody.self),
        .init(ReasonBody.self),
        .init(FixesBody.self, unwritten: ["hasMore"]), .init(FixBody.Position.self), .init(FixesAnswer.self),
        .init(CourierPositionBody.self),
        .init(CourierPositionsBody.self), .init(TripPreviewBody.self), .init(TripPreviewBody.Stop.self),
        .init(CourierPositionBody.Fix.self), .init(EstimateBody.self), .init(EstimateBody.ReachedMilestone.self),
        .init(EnrolPhoneBody.self), .init(EnrolledPhoneBody.self), .init(PhoneBody.self), .init(PhonesBody.self),
        .init(BeginDutyBody.self), .init(DutyBody.self), .init(CourierMapBody.self), .init(CouriersBody.self),
        .init(CouriersBody.Row.self),
        .init(RegisterDeviceBody.self), .init(DeviceBody.self), .init(DeviceEventBody.self), .init(ReportsBody.self),
        .init(ReportBody.self), .init(ReportBody.Instance.self), .init(cases: ReportBody.Instance.State.self),
        .init(ReportsTakenBody.self), .init(ReportsTakenBody.Instance.self),
        .init(cases: ReportsTakenBody.Instance.Action.self), .init(PushTokenBody.self), .init(PushTokenChange.self),
        .init(cases: PushTokenBody.Environment.self), .init(WantedBody.self), .init(WantedBody.Activity.self),
        .init(WantedBody.Activity.Schedule.self),
        .init(ActivityBody.self), .init(CardBody.self), .init(FrozenCardBody.self),
        .init(ActivityTimelineEntryBody.self), .init(ActivitiesBody.self), .init(EndCardBody.self),
        .init(OverriddenBody.self),
        .init(CardReportBody.self), .init(CardReportBody.StoreRow.self), .init(CardReportBody.VersionRow.self),
        .init(CardReportBody.GroupRow.self), .init(CardReportBody.Figures.self), .init(CardReportBody.Devices.self),
        .init(CardReportBody.Ends.self), .init(CardReportBody.Screen.self), .init(CardReportBody.Starts.self),
        .init(CardReportBody.Changes.self), .init(CardReportBody.Late.self),
        .init(GroceryDeliveryAttributes.self), .init(GroceryDeliveryAttributes.Bag.self),
        .init(GroceryDeliveryAttributes.Shop.self),
        .init(GroceryDeliveryAttributes.ContentState.self), .init(Phrase.self), .init(Window.self),
        .init(LiveActivity.Courier.self), .init(CardButton.self), .init(Revision.self),
        .init(PushPayload.self, unwritten: ["counted"]),
        .init(PushPayload.APS.self), .init(PushAlert.self), .init(PushText.self), .init(ActivityStep.self),
        .init(ShownActivity.self), .init(EndedActivity.self), .init(Dismissal.self), .init(ActivityAlert.self),
        .init(EndpointID.self), .init(EventID.self), .init(SourceID.self), .init(WebhookEventType.self),
        .init(NewEndpointBody.self), .init(cases: NewEndpointBody.SignatureVersion.self),
        .init(ChangedEndpointBody.self), .init(EndpointBody.self), .init(cases: EndpointBody.State.self),
        .init(EndpointsBody.self), .init(ReplayBody.self), .init(TriggerBody.self), .init(QueuedBody.self),
        .init(EventDeliveriesBody.self), .init(EventDeliveryBody.self), .init(cases: EventDeliveryBody.State.self),
        .init(AttemptBody.self), .init(ForwardedEventBody.self), .init(ListenReadyBody.self),
        .init(WebhookEventBody.self), .init(WebhookEventBody.Content.self), .init(WebhookEventBody.Carrier.self),
        .init(WebhookEventBody.Line.self),
        .init(PutSourceBody.self), .init(NewSecretBody.self), .init(SourceBody.self), .init(SourceBody.Secret.self),
        .init(SourcesBody.self), .init(ProviderReferenceBody.self), .init(ProviderReferencesBody.self),
        .init(ReceiptsBody.self), .init(ReceiptBody.self), .init(cases: ReceiptBody.State.self),
        .init(ReceiptBody.Dismissal.self), .init(ReceivedBody.self), .init(AccessTokenBody.self),
    ]

    /// Schemas that no type of these libraries writes: texts, what services answer themselves, and bodies of tracker apps and
    /// of delivery providers.
    static let others: Set<String> = [
        "Name", "Reason", "DeviceID", "CardState", "DropReason", "Liveness", "ReadinessReport", "ReadinessReport.Check",
        "Problem", "Problem.FieldError", "OwnTracksMessage", "OverlandBatch", "OverlandFeature", "OverlandAnswer",
        "TraccarPosition", "TraccarLocation", "OsmAndForm", "GPSLoggerForm", "GPSLoggerPosition",
        "ProofForm", "FeedbackForm", "CorrectionForm", "CourierPressForm", "CourierPINForm",
        "AccessTokenForm", "AccessTokenError", "DoorDashWebhook", "UberWebhook", "InstacartWebhook", "OnfleetWebhook",
        "CloudEvent", "FaceWords", "Dismissal.Immediate", "Dismissal.After", "Dismissal.Default",
    ]
}
