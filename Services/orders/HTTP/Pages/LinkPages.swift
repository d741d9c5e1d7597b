import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import Hummingbird
import InterfaceTexts
import LiveActivity
import OrderDomain
import PostgresClient
import ServiceRuntime
import WebPages
import WireCoding

/// The routes of customers' pages: each link is one, live, and every button of it a form.
struct LinkPages: Sendable {
    let show: ShowPage
    let prove: ProveOrder
    let setAlerts: SetAlerts
    let correctFromPage: CorrectFromPage
    let showImage: ShowImage
    let openPages: OpenPages
    let customerPacer: CustomerPacer
    let texts: InstallationTexts
    var mapImages = MapImages()

    var signer: LinkSigner { show.pressLink.signer }

    func addRoutes(to router: Router<AppContext>) {
        router.get("l/{link}/events", use: follow)
        router.post("l/{link}/proof", use: acceptProof)
        router.post("l/{link}/feedback", use: acceptFeedback)
        router.put("l/{link}/alerts", use: setAlerts)
        router.post("l/{link}/drop-off", use: correct)
        router.get("l/{link}/images/{image}", use: image)
        router.get("assets/tiles/{z}/{x}/{y}", use: tile)
        PageAsset.addRoutes(to: router)
    }

    /// The page; changes nothing, so a preview, a scanner or a prefetching browser may fetch it.
    func page(_ request: Request, token: String) async throws -> Response {
        try await answering(request) {
            let state = try await show(token, proof: proof(in: request))
            let page = page(state, words: words(of: request, state))
            return .page(
                page.html(isCorrecting: request.query("correct") != nil),
                tilesOrigin: state.hasMap ? mapImages.origin : nil)
        }
    }

    /// Executes the link's verb for a reader who gave the order's number, now or before.
    func press(_ request: Request, _ context: AppContext, token: String) async throws -> Response {
        try await answering(request) {
            try await pressing(request, token) { state, form in
                let cookie = state.isProven ? nil : try await proof(form, of: state.delivery, from: context)
                let customer = Principal(.customer(state.delivery.customer))
                // A late press has changed nothing, as the page that follows shows.
                do { _ = try await show.pressLink.press(token, by: customer) } catch PressLink.Refusal.stale {}
                return seeOther(token, keeping: cookie, of: state.delivery.order)
            }
        }
    }

    @Sendable func acceptProof(_ request: Request, _ context: AppContext) async throws -> Response {
        let token = try context.path("link")
        return try await answering(request) {
            try await pressing(request, token) { state, form in
                // A browser that gives the number again keeps its proof, by which its notifications are counted.
                let proof = try await proof(form, of: state.delivery, from: context)
                return seeOther(token, keeping: state.isProven ? nil : proof, of: state.delivery.order)
            }
        }
    }

    /// Records the customer's word after the end, for a reader who gave the order's number, now or before.
    @Sendable func acceptFeedback(_ request: Request, _ context: AppContext) async throws -> Response {
        let token = try context.path("link")
        return try await answering(request) {
            try await pressing(request, token) { state, form in
                let delivery = state.delivery
                let cookie = state.isProven ? nil : try await proof(form, of: delivery, from: context)
                // A page from before the delivery was reopened asked about another end.
                guard state.link.isLegal(for: delivery) || state.link.verb != .feedback else {
                    return seeOther(token, keeping: cookie, of: delivery.order)
                }
                guard let kind = form.text("feedback").flatMap(DeliveryFeedback.Kind.init(rawValue:)) else {
                    throw Problem.malformed("feedback", "is none of the page's answers")
                }
                // The form names items by their places in the basket.
                let places = Set(form.all("item").compactMap { Int($0) })
                let items = delivery.items.indices.filter(places.contains).map { delivery.items[$0].id }
                let customer = Principal(.customer(delivery.customer))
                // A late answer has changed nothing, as the page that follows shows.
                do {
                    _ = try await show.pressLink.change(
                        delivery.id, by: customer, overtakesPress: kind.isProblem
                    ) { present in
                        guard present.status == .handedOver(.delivered) else {
                            throw ChangeRefusal.notDelivered(present.status.code)
                        }
                        return .feedback(kind, items: items)
                    }
                } catch is ChangeRefusal {}
                return seeOther(token, keeping: cookie, of: delivery.order)
            }
        }
    }

    @Sendable func follow(_ request: Request, _ context: AppContext) async throws -> Response {
        let token = try context.path("link")
        do {
            let delivery = try await show.pressLink.valid(token).record.delivery
            let words = words(of: request, delivery, texts: try await show.faces(delivery.store.id).texts)
            let proof = proof(in: request)
            let isProven = signer.isProof(proof(delivery.order), of: delivery.order, at: show.pressLink.clock.now)
            let reader = PageReader(owner: delivery.customer, network: context.remoteNetwork, isProven: isProven)
            guard let slot = openPages.open(delivery.id, for: reader) else {
                throw isProven
                    ? Problem.tooManyPages(max: OpenPages.pagesPerDeliveryMax)
                    : Problem.tooManyPages(
                        max: OpenPages.unprovenPagesPerDeliveryMax, remedy: "close one, or give the order's number")
            }
            let stream = PageStream(
                token: token, proof: proof, words: words, show: show, slot: slot,
                lastRevision: request.headers[.lastEventID].flatMap(PageStream.CardRevision.init))
            return sseResponse(stream, on: slot.signal, in: context, heartbeat: PageStream.heartbeat)
        } catch let refusal as PressLink.Refusal where refusal.isForGood {
            // Without this event a browser would reconnect endlessly.
            return PageStream.over
        }
    }

    // MARK: Parts

    /// Executes a form's request; a fault of the reader's is shown on the page, which has not changed.
    ///
    /// - Parameter isCorrecting: whether that page has the forms of corrections again.
    func pressing(
        _ request: Request, _ token: String, isCorrecting: Bool = false,
        _ perform: (ShowPage.State, FormValues) async throws -> Response
    ) async throws -> Response {
        let state = try await show(token, proof: proof(in: request))
        let words = words(of: request, state)
        let texts = words.texts
        func refuse(
            _ fault: String, _ status: HTTPResponse.Status, sent: SentCorrection? = nil, now: ShowPage.State? = nil
        ) -> Response {
            .page(
                page(now ?? state, words: words).html(fault: fault, isCorrecting: isCorrecting, sent: sent),
                status: status,
                tilesOrigin: state.hasMap ? mapImages.origin : nil)
        }
        guard !request.isFromElsewhere(than: signer.origin) else {
            return refuse(texts("page.not_sent_from_here"), .forbidden)
        }
        let form = try await request.formValues()
        do {
            return try await perform(state, form)
        } catch CorrectFromPage.Refusal.faulty(let field) {
            return refuse(
                texts("page.correct_faulty"), .unprocessableContent, sent: SentCorrection(form, faulty: field))
        } catch CorrectFromPage.Refusal.overtaken {
            // The note that overtook it may be newer than what was read above.
            let now = try await show(token, proof: proof(in: request))
            return refuse(texts("page.correct_overtaken"), .conflict, now: now)
        } catch CorrectFromPage.Refusal.notPossible {
            return refuse(texts("page.correct_refused"), .conflict)
        } catch ProveOrder.Refusal.noReference {
            return refuse(texts("page.no_reference"), .unprocessableContent)
        } catch ProveOrder.Refusal.wrongReference(let left) {
            return refuse(texts("page.wrong_reference", ["left": String(left)]), .unprocessableContent)
        } catch ProveOrder.Refusal.tooManyAttempts(let until) {
            let moment = words.moment(
                until.epochSeconds, timeZone: state.delivery.store.timeZone,
                now: show.pressLink.clock.now.epochSeconds)
            var response = refuse(texts("page.too_many_attempts", ["moment": moment]), .tooManyRequests)
            let seconds = show.pressLink.clock.wallDuration(until: until) / .seconds(1)
            response.headers[.retryAfter] = String(Int(seconds.rounded(.up)))
            return response
        }
    }

    func proof(
        _ form: FormValues, of delivery: Delivery, from context: AppContext
    ) async throws -> String {
        try await prove(form.text("reference") ?? "", of: delivery, from: context.remoteNetwork)
    }

    /// The browser's stored proof for an order.
    func proof(in request: Request) -> @Sendable (OrderID) -> String? {
        { request.cookie(cookieName(of: $0)) }
    }

    private func page(_ state: ShowPage.State, words: Words) -> DeliveryPage {
        DeliveryPage(
            state: state, place: state.map.flatMap(show.maps.place), mapImages: mapImages, signer: signer, words: words,
            now: show.pressLink.clock.now.epochSeconds)
    }

    /// The words of a page: in the language of the order, or else in one that the reader's browser prefers; with times
    /// as the browser's locale has them where it is of that language.
    func words(of request: Request, _ state: ShowPage.State) -> Words {
        words(of: request, state.delivery, texts: state.face.texts)
    }

    /// - Parameter texts: of the delivery's store.
    private func words(of request: Request, _ delivery: Delivery, texts: InstallationTexts) -> Words {
        let store = delivery.store.id.rawValue
        let known = texts.languages(of: store)
        guard let ordered = delivery.language, known.contains(Words.language(of: ordered)) else {
            return texts.words(request.locale(among: known), of: store)
        }
        // A tag with a region says more than the browser's.
        return texts.words(ordered.contains("-") ? ordered : request.locale(among: [ordered.lowercased()]), of: store)
    }

    /// Shows a page with the reason to holders of invalid links.
    func answering(
        _ request: Request, _ answer: () async throws -> Response
    ) async throws -> Response {
        let texts = texts.words(request.locale(among: texts.languages())).texts
        do {
            return try await answer()
        } catch let refusal as PressLink.Refusal {
            switch refusal {
            case .notFound, .stale: return .refusal("page.not_found", status: .notFound, texts: texts)
            case .expired: return .refusal("page.expired", status: .gone, texts: texts)
            case .revoked: return .refusal("page.revoked", status: .gone, texts: texts)
            }
        } catch ChangeDelivery.Refusal.notFound {
            // Deleted, or its customer erased, since the page was read.
            return .refusal("page.not_found", status: .notFound, texts: texts)
        } catch let error as PostgresError where error.isOutage {
            return .unavailable(to: request, texts: texts)
        }
    }

    // MARK: Cookie

    private var isSecure: Bool { signer.origin.hasPrefix("https:") }

    /// Bound to our origin where that is encrypted; one for each order, as a reader may follow several.
    private func cookieName(of order: OrderID) -> String {
        (isSecure ? "__Host-order-" : "order-") + order.rawValue.prefix(8)
    }

    func seeOther(_ token: String, keeping proof: String?, of order: OrderID) -> Response {
        var response = Response.seeOther("/l/\(token)")
        if let proof {
            response.headers[.setCookie] =
                "\(cookieName(of: order))=\(proof); Path=/; Max-Age=\(LinkSigner.orderProofSeconds); HttpOnly; SameSite=Lax"
                + (isSecure ? "; Secure" : "")
        }
        return response
    }
}

extension PressLink.Refusal {
    /// Whether the link will never show anything again.
    fileprivate var isForGood: Bool {
        switch self {
        case .expired, .revoked: true
        case .notFound, .stale: false
        }
    }
}
