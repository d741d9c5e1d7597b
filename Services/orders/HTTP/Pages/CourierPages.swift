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

/// The routes of couriers' pages: each link is one, and every button of it a form.
struct CourierPages: Sendable {
    let share: ShareCourierPage
    let show: ShowStops
    let press: PressStop
    let giveProof: GiveProof
    let giveImage: GiveImage
    /// The origin to which positions are sent, such as `https://couriers.example.com`; nil where the pages send none.
    let positionsOrigin: String?
    let texts: InstallationTexts
    let makeUUID: @Sendable () -> UUID

    func addRoutes(to router: Router<AppContext>) {
        router.get("c/{link}", use: page)
        router.post("c/{link}/presses", use: acceptPress)
        router.post("c/{link}/presses/{press}/undo", use: undo)
        router.post("c/{link}/proofs", use: acceptProof)
        router.post("c/{link}/proofs/{delivery}/{kind}", use: acceptImage)
    }

    /// The page, or an answer that the reader's copy is current; changes nothing.
    @Sendable func page(_ request: Request, _ context: AppContext) async throws -> Response {
        let token = try context.path("link")
        return try await answering(request) {
            let page = page(try await show(share.courier(of: token)), request, token: token)
            if request.query("shown") == page.digest { return Response(status: .noContent) }
            return response(page.html())
        }
    }

    @Sendable func acceptPress(_ request: Request, _ context: AppContext) async throws -> Response {
        let token = try context.path("link")
        return try await pressing(request, token) { courier in
            let fields = try await request.formValues().fields
            if let group = try Self.group(fields) {
                let presses = try await press(group, by: courier)
                let isWaiting = presses.contains { $0.state == .waiting }
                let state = isWaiting ? CourierPress.State.waiting : presses[0].state
                return CourierPressBody(press: group.id, state: state.rawValue)
            }
            let accepted = try await press(try Self.press(fields), by: courier)
            return CourierPressBody(press: accepted.id, state: accepted.state.rawValue)
        }
    }

    @Sendable func undo(_ request: Request, _ context: AppContext) async throws -> Response {
        let token = try context.path("link")
        guard let id = UUID(uuidString: try context.path("press")) else { throw Problem.notFound("no such press") }
        return try await pressing(request, token) { courier in
            try await press.undo(id, by: courier)
            return CourierPressBody(press: id, state: CourierPress.State.undone.rawValue)
        }
    }

    // MARK: Parts

    /// A page's request about one delivery.
    private static func press(_ fields: [String: String]) throws -> PressStop.Request {
        guard let id = UUID(uuidString: fields["press"] ?? "") else {
            throw Problem.malformed("press", "must be a UUID")
        }
        guard let delivery = DeliveryID(rawValue: fields["delivery"] ?? "") else {
            throw Problem.malformed("delivery", "must be a delivery's id")
        }
        var group: UUID?
        if let text = fields["group"] {
            group = UUID(uuidString: text)
            if group == nil { throw Problem.malformed("group", "must be a UUID") }
        }
        return PressStop.Request(
            id: id, delivery: delivery, action: try action(fields), heldSeconds: try heldSeconds(fields), group: group,
            isLate: fields["late"] == "true")
    }

    /// A page's request about several deliveries; nil for a request about one.
    private static func group(_ fields: [String: String]) throws -> PressStop.GroupRequest? {
        guard let text = fields["deliveries"] else { return nil }
        guard let id = UUID(uuidString: fields["press"] ?? "") else {
            throw Problem.malformed("press", "must be a UUID")
        }
        let words = text.split(separator: " ")
        let deliveries = words.compactMap { DeliveryID(rawValue: String($0)) }
        guard (1...PressStop.GroupRequest.deliveriesMax).contains(words.count), deliveries.count == words.count else {
            throw Problem.malformed("deliveries", "must be deliveries' ids with a space between them")
        }
        return PressStop.GroupRequest(
            id: id, deliveries: deliveries, action: try action(fields), heldSeconds: try heldSeconds(fields))
    }

    private static func action(_ fields: [String: String]) throws -> CourierAction {
        guard let action = CourierAction(rawValue: fields["action"] ?? "") else {
            throw Problem.malformed(
                "action", "must be one of \(CourierAction.all.map(\.rawValue).joined(separator: ", "))")
        }
        return action
    }

    private static func heldSeconds(_ fields: [String: String]) throws -> Double {
        let held = fields["held"] ?? "0"
        guard let seconds = Double(held), (0...CourierPress.undoSeconds).contains(seconds) else {
            throw Problem.malformed("held", "must be 0 to \(Int(CourierPress.undoSeconds)) seconds")
        }
        return seconds
    }

    /// Executes the press of a form or of the page's script: a form is answered with the page, the script with a body.
    private func pressing(
        _ request: Request, _ token: String, _ perform: @Sendable (CourierID) async throws -> CourierPressBody
    ) async throws -> Response {
        try await answering(request) {
            let courier = try await courier(of: token, request)
            let fault: String
            do {
                let body = try await perform(courier)
                return request.wantsPage ? .seeOther("/c/\(token)") : try jsonResponse(body)
            } catch let refusal as PressStop.Refusal where request.wantsPage {
                let texts = words(of: request).texts
                fault =
                    switch refusal {
                    case .proofMissing: texts("courier.proof_missing")
                    case .tooLate: texts("courier.too_late")
                    case .tooOld: texts("courier.too_old", ["hours": "\(Int(CourierAction.endedSeconds / 3_600))"])
                    case .notTheirs, .notPossible, .anotherPress: texts("courier.not_possible")
                    }
            }
            return response(page(try await show(courier), request, token: token).html(fault: fault), status: .conflict)
        }
    }

    func page(_ day: ShowStops.Day, _ request: Request, token: String) -> CourierPage {
        let agent = request.headers[.userAgent] ?? ""
        return CourierPage(
            day: day, path: "/c/\(token)", words: words(of: request), positionsOrigin: positionsOrigin,
            keepsImages: giveImage.box != nil, isApple: agent.contains("iPhone") || agent.contains("iPad"),
            makeUUID: makeUUID)
    }

    func response(_ html: String, status: HTTPResponse.Status = .ok) -> Response {
        .page(html, status: status, positionsOrigin: positionsOrigin)
    }

    func words(of request: Request) -> Words { texts.words(request.locale(among: texts.languages())) }

    /// Shows a page with the reason to holders of invalid links.
    func answering(_ request: Request, _ answer: () async throws -> Response) async throws -> Response {
        let texts = words(of: request).texts
        do {
            return try await answer()
        } catch let refusal as ShareCourierPage.Refusal where request.wantsPage {
            return switch refusal {
            case .notFound: .refusal("courier.not_found", status: .notFound, texts: texts)
            case .revoked:
                .refusal(
                    "courier.revoked", status: .gone, texts: texts, scripts: PageAsset.courierRevokedScripts)
            }
        } catch let error as PostgresError where error.isOutage && request.wantsPage {
            return .unavailable(to: request, texts: texts)
        }
    }
}
