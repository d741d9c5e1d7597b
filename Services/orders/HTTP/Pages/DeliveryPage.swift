import CardPresentation
import Foundation
import InterfaceTexts
import LiveActivity
import Messages
import OrderDomain
import PhoneRules
import WebPages
import WireCoding

/// The customer's page of a delivery: the card as on a phone, the ordered items, and the legal links.
///
/// A reader with the link alone sees everything except the order's number, address and note. A reader who has entered
/// the number sees these too, and may press.
struct DeliveryPage: Sendable {
    static let templates = PageTemplates(compiled: [
        "delivery": PackageResources.delivery_mustache, "order": PackageResources.order_mustache,
        "proof": PackageResources.proof_mustache, "map": PackageResources.map_mustache,
        "outcome": PackageResources.outcome_mustache,
    ])

    let state: ShowPage.State
    /// The place of the courier on the page's map.
    var place: FollowedPlace?
    /// The images beneath maps.
    var mapImages = MapImages()
    let signer: LinkSigner
    let words: Words
    /// Epoch seconds.
    let now: Int

    var texts: TextCatalogue { words.texts }
    var delivery: Delivery { state.delivery }
    private var link: Link { state.link }
    var path: String { "/l/\(signer.token(of: link))" }

    /// The card as it is drawn.
    var face: CardFace {
        let card = state.card.phoneCard(at: now)
        var content = card.content
        // The card's own PIN is sealed for phones; no courier asks for it after the hand-over.
        content.pin = delivery.proof?.handedOverAt == nil ? state.pin : nil
        let shown = PhoneCard(
            id: card.id, attributes: shown(state.isProven ? card.attributes : card.attributes.withoutReference),
            content: content, state: card.state, timestamp: card.timestamp, startedAt: card.startedAt,
            ordinal: card.ordinal, staleAt: card.staleAt, endedAt: card.endedAt, relevance: card.relevance)
        return CardFace(shown, words: words, now: now, in: .page)
    }

    /// The attributes with the present name of the store, which the card's own may precede.
    private func shown(_ attributes: GroceryDeliveryAttributes) -> GroceryDeliveryAttributes {
        state.face.face?.name.map { attributes.with(store: $0) } ?? attributes
    }

    // MARK: Whole

    /// - Parameters:
    ///   - fault: the reason why a press had no effect; nil after a success, and without a press.
    ///   - isCorrecting: whether the page has the forms of corrections, where its reader may make any.
    ///   - sent: the form of a correction that was refused, whose texts the page keeps; nil for none.
    func html(fault: String? = nil, isCorrecting: Bool = false, sent: SentCorrection? = nil) -> String {
        let face = face
        let correction = isCorrecting ? correctionForms(after: sent) : nil
        var values: [String: Any] = [
            "path": path, "timeZone": delivery.store.timeZone,
            "noConnection": texts("page.no_connection", ["time": "{time}"]),
            "full": texts("page.full", ["pages": "{pages}", "time": "{time}"]),
            "hasTwelveHours": words.catalogue.hourCycle == .hours12,
            "card": cardHTML(face), "order": orderHTML, "footer": texts("page.footer"),
        ]
        if let press = press(fault: fault) {
            values["press"] = press
        } else if let fault {
            values["fault"] = fault
        }
        values["alerts"] = alerts
        values["outcome"] = outcomeHTML
        values["map"] = map
        values["shop"] = state.face.face?.band(of: delivery.store)
        values["correction"] = correction
        return Self.templates.page(
            "delivery", values, language: words.language, direction: texts.direction.rawValue, title: title(face),
            icon: .icon(of: face.tint.rawValue),
            scripts: PageAsset.liveScripts + (state.alertKey == nil ? [] : [.alerts])
                + (state.hasMap ? [.courierMap] : []),
            styles: state.face.face?.styles(of: delivery.store.id) ?? [],
            reading: isTyping(fault: fault) || correction != nil ? nil : path, hasInput: hasInput, preview: preview)
    }

    /// Whether the reader is asked for the order's number; an update must not remove the input while the reader types.
    private func isTyping(fault: String?) -> Bool { !state.isProven && (fault != nil || !link.verb.isView) }

    /// Whether the page asks for the order's number or for feedback beside what it shows, which a reader without scripts
    /// must still learn of.
    private var hasInput: Bool {
        // Without scripts a hidden form stays hidden.
        state.isProven ? feedback?["form"] != nil : proof.map { $0["isHidden"] as? Bool != true } ?? false
    }

    /// The tab's title: remaining time, phase, store.
    private func title(_ face: CardFace) -> String {
        [face.remaining ?? face.arrivalShort.flatMap { face.life == .ended ? nil : $0 }, face.shortPhase, face.store]
            .compactMap(\.self).filter { !$0.isEmpty }.joined(separator: " · ")
    }

    /// Offers notifications to a reader who gave the order's number; the page's script shows the offer where the
    /// browser supports it.
    private var alerts: [String: Any]? {
        guard state.isProven, let key = state.alertKey else { return nil }
        return [
            "key": key, "path": path + "/alerts", "worker": PageAsset.worker.path, "delivery": delivery.id.rawValue,
            "title": texts("page.alerts"), "text": texts("page.alerts.text"), "on": texts("page.alerts.turn_on"),
            "off": texts("page.alerts.turn_off"), "page": path, "isOn": texts("page.alerts.on"),
            "blocked": texts("page.alerts.blocked"),
            "failed": texts("page.alerts.failed"),
        ]
    }

    // MARK: Card

    /// The card alone, for the stream.
    var cardHTML: String { cardHTML(face) }

    private func cardHTML(_ face: CardFace) -> String {
        let icon = PageAsset.icon(of: face.tint.rawValue).path
        return Self.templates.render(
            "card",
            face.pageValues(
                title: title(face), icon: icon, outdated: state.card.isOutdated ? texts("page.outdated") : nil))
    }

    // MARK: Order

    /// The order's items and links, for the stream.
    var orderHTML: String {
        let snapshot = DeliverySnapshot(delivery, links: [])
        var values: [String: Any] = [:]
        values["question"] = question
        let about =
            lines(
                snapshot.outcomeLines
                    + snapshot.handoffLines(address: state.dropOff?.address?.line, note: state.dropOff?.note))
            + requestLines
        if !about.isEmpty { values["about"] = ["title": texts("page.about"), "lines": about] }
        let items = lines(snapshot.itemLines)
        if !items.isEmpty { values["items"] = ["title": texts("page.items"), "lines": items] }
        values[isStoreNeeded ? "contactFirst" : "contact"] = contact
        if state.isProven {
            values["images"] = images
            values["feedback"] = feedback
            values["actions"] = actions
            values["bags"] = bags
        } else if !asksForNumber {
            values[question == nil ? "proof" : "proofOfAnswer"] = proof
        }
        return Self.templates.render("order", values)
    }

    /// The photo and the signature of the hand-over, as far as the reader sees them.
    private var images: [[String: Any]] {
        state.images.compactMap { given in
            given.image.map { ["path": "\(path)/images/\($0)", "name": texts("page.image.\(given.kind.rawValue)")] }
        }
    }

    /// The form for the order's number; nil where the number would add nothing.
    private var proof: [String: Any]? {
        guard hasPresses || state.hasMore || state.alertKey != nil else { return nil }
        let title = texts(
            question != nil ? "page.proof.answer" : hasPresses ? "page.proof" : "page.proof.more")
        let titleWithAlerts =
            question != nil
            ? title
            : texts(
                hasPresses
                    ? "page.proof.or_alerts" : state.hasMore ? "page.proof.more_or_alerts" : "page.proof.alerts_only")
        return [
            // With nothing but notifications to gain, the page's script shows the form where the browser supports them.
            "isHidden": !hasPresses && !state.hasMore, "titleWithAlerts": titleWithAlerts, "title": title,
            "path": path + "/proof", "label": texts("page.reference"), "help": texts("page.reference.help"),
            "button": texts("page.go_on"),
        ]
    }

    private func lines(_ phrases: [Phrase]) -> [String] {
        phrases.map { words.text($0, timeZone: delivery.store.timeZone, now: now).withIsolatesAlone }
    }

    /// The open proposals, with a button for each answer for a reader who may press; nil for none.
    private var question: [String: Any]? {
        let approvals = links.filter { $0.verb == .approveSubstitution }
        guard !approvals.isEmpty else { return nil }
        var values: [String: Any] = [
            "title": texts("page.question", ["store": delivery.store.name.isolatedName]),
            "lines": approvals.map { approval in
                var line: [String: Any] = [
                    "text": words.prompt(.approveSubstitution, approval.proposedSwap(in: delivery))
                ]
                if state.isProven { line["answers"] = ["buttons": answers(to: approval.target)] }
                return line
            },
        ]
        values["until"] = delivery.needsCustomerUntil.map { until in
            let moment = words.moment(until.epochSeconds, timeZone: delivery.store.timeZone, now: now)
            return texts("page.question.until", ["moment": moment])
        }
        return values
    }

    private func answers(to question: Link.Target) -> [[String: Any]] {
        guard case .proposal(let item, _) = question else { return [] }
        return links.filter { $0.target == question }.map { link in
            let isApproval = link.verb == .approveSubstitution
            return [
                "path": path(of: link), "id": "answer-\(item)-\(link.verb.rawValue)", "isMain": isApproval,
                "label": isApproval ? texts("page.approve") : texts("page.refuse"),
            ]
        }
    }

    /// The way to the order's other deliveries; nil for none.
    private var bags: [String: Any]? {
        guard !state.otherBags.isEmpty else { return nil }
        return [
            "title": texts("page.bags"),
            "links": state.otherBags.map { bag in
                let count = String(delivery.bag.count)
                return [
                    "path": path(of: bag.link), "id": "bag-\(bag.number)",
                    "label": texts("page.bag", ["number": String(bag.number), "count": count]),
                ]
            },
        ]
    }

    /// Whether the customer's next question is for the store: a problem, a hold, or an end without the groceries.
    private var isStoreNeeded: Bool {
        delivery.phase == .problem || delivery.status.isEnded && delivery.status != .handedOver(.delivered)
    }

    /// The ways to reach the store; nil where the order gives none.
    private var contact: [String: Any]? {
        let store = delivery.store
        var buttons: [[String: Any]] = []
        if let phone = store.contact?.phone, let url = store.contact?.callURL {
            let label = texts("page.contact.call", ["phone": phone.withoutDirectionControls])
            buttons.append(["id": "call-store", "href": url, "label": label])
        }
        if let url = store.contact?.url {
            buttons.append(["id": "write-store", "href": url, "label": texts("page.contact.web")])
        }
        if let email = store.contact?.email, let url = store.contact?.mailURL {
            buttons.append(["id": "mail-store", "href": url, "label": texts("page.contact.email", ["email": email])])
        }
        guard !buttons.isEmpty else { return nil }
        return ["title": texts("page.contact", ["store": store.name.withoutDirectionControls]), "buttons": buttons]
    }

    /// The customer's legal links now.
    private var links: [Link] {
        Link.legal(for: delivery).filter { $0.verb != .feedback || Int($0.expiresAt) > now }
    }

    private var hasPresses: Bool { links.contains { $0.verb != .details } }

    private var actions: [String: Any]? {
        var call: [String: Any]?
        var (buttons, questions) = ([[String: Any]](), [[String: Any]]())
        for link in links {
            let action: [String: Any] = [
                "path": path(of: link), "id": "do-\(link.verb.rawValue)", "label": title(of: link.verb),
            ]
            switch link.verb {
            case .contactCourier:
                guard let phone = state.courierPhone.flatMap(PhoneLink.init) else { continue }
                call = ["href": phone.url, "label": title(of: link.verb)]
            case .leaveAtDoor, .handToMe: buttons.append(action)
            case .cancel: questions.append(action)
            case .details, .approveSubstitution, .refuseSubstitution, .feedback: continue
            }
        }
        if let correctionLink { questions.append(correctionLink) }
        guard call != nil || !buttons.isEmpty || !questions.isEmpty else { return nil }
        var values: [String: Any] = ["title": texts("page.actions"), "buttons": buttons, "questions": questions]
        values["call"] = call
        return values
    }

    private func title(of verb: Verb) -> String {
        words.title(CardButton(verb: verb.rawValue, title: verb.rawValue, url: ""), in: state.card.step.content)
    }

    private func path(of link: Link) -> String { "/l/\(signer.token(of: link))" }

    // MARK: Press

    /// Whether the link's own verb asks for the order's number, which one page asks for once.
    private var asksForNumber: Bool {
        !state.isProven && !link.verb.isView && !isPressed && link.isLegal(for: delivery)
    }

    private var isPressed: Bool { state.isPressed && link.isInEffect(for: delivery) }

    /// The outcome of the link's own verb, for the page and its stream; nil for a link that only shows.
    ///
    /// It is empty before the press. When the delivery has changed again since, it is an element without text, by which
    /// an open page knows that its question is answered: a second press would be a repeat.
    var outcomeHTML: String? {
        guard !link.verb.isView else { return nil }
        guard state.isPressed else { return "" }
        return Self.templates.render(
            "outcome", isPressed ? ["title": words.done(link.verb, link.proposedSwap(in: delivery))] : [:])
    }

    /// The question of the link's own verb, or that it is no longer legal; nil for a link that only shows, and after
    /// the press.
    private func press(fault: String?) -> [String: Any]? {
        guard !link.verb.isView, !state.isPressed else { return nil }
        var values: [String: Any] = ["title": words.prompt(link.verb, link.proposedSwap(in: delivery))]
        values["fault"] = fault
        guard link.isLegal(for: delivery) else {
            values["text"] = words.tooLate(link.verb)
            return values
        }
        values["text"] = words.consequence(link.verb)
        var form: [String: Any] = [
            "path": path, "button": words.confirm(link.verb), "keep": texts("page.back"),
            "back": path(of: links.first { $0.verb == .details } ?? link),
        ]
        if !state.isProven {
            form["asksReference"] = ["label": texts("page.reference"), "help": texts("page.reference.help")]
        }
        values["form"] = form
        return values
    }
}
