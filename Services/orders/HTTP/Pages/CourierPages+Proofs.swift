import DoorstepAPI
import Foundation
import HTTPTypes
import Hummingbird
import InterfaceTexts
import LiveActivity
import OrderDomain
import ServiceRuntime
import WebPages

/// Checks, pictures and barcodes from the courier's page.
extension CourierPages {
    /// Compares the customer's PIN, or the bag's barcode, and shows the page; a script gets an empty answer.
    @Sendable func acceptProof(_ request: Request, _ context: AppContext) async throws -> Response {
        let token = try context.path("link")
        return try await answering(request) {
            let courier = try await courier(of: token, request)
            let fields = try await request.formValues().fields
            guard let delivery = DeliveryID(rawValue: fields["delivery"] ?? "") else {
                throw Problem.malformed("delivery", "must be a delivery's id")
            }
            do {
                if let barcode = fields["barcode"] {
                    _ = try await giveProof.barcode(barcode, of: delivery, by: Principal(.courier(courier)))
                } else {
                    guard let pin = CustomerPIN((fields["pin"] ?? "").withLatinDigits) else {
                        return try await refuse(
                            Problem.malformed("pin", "must be four digits"), "courier.pin.malformed", [:], to: request,
                            courier, token)
                    }
                    _ = try await giveProof.pin(
                        pin, of: delivery, by: Principal(.courier(courier)), from: context.remoteNetwork,
                        entry: fields["press"].flatMap { UUID(uuidString: $0) })
                }
                return request.wantsPage ? .seeOther("/c/\(token)") : Response(status: .noContent)
            } catch let refusal as GiveProof.Refusal {
                let (key, values) = Self.text(of: refusal)
                return try await refuse(
                    Problem(refusal, at: press.change.clock), key, values, to: request, courier, token)
            } catch let refusal as ChangeRefusal {
                let key = refusal == .wrongBarcode ? "courier.barcode.wrong" : "courier.not_possible"
                return try await refuse(refusal.problem, key, [:], to: request, courier, token)
            } catch is ChangeDelivery.Refusal {
                return try await refuse(
                    PressStop.Refusal.notTheirs.problem, "courier.not_possible", [:], to: request, courier, token)
            }
        }
    }

    /// Keeps a photo or a signature that the page's script sends.
    @Sendable func acceptImage(_ request: Request, _ context: AppContext) async throws -> Response {
        let token = try context.path("link")
        return try await answering(request) {
            let courier = try await courier(of: token, request)
            let delivery = try context.path("delivery", as: DeliveryID.self)
            let kind = try context.imageKind()
            let bytes = try await request.bytes(maxBytes: ProofImage.bytesMax)
            _ = try await giveImage(Array(bytes), as: kind, of: delivery, by: Principal(.courier(courier)))
            return Response(status: .noContent)
        }
    }

    /// The courier of a page that sent a request itself.
    func courier(of token: String, _ request: Request) async throws -> CourierID {
        let courier = try await share.courier(of: token)
        guard !request.isFromElsewhere(than: share.signer.origin) else {
            throw Problem.foreignForm()
        }
        return courier
    }

    /// Shows the page with the reason; a script gets the problem.
    private func refuse(
        _ problem: Problem, _ key: String, _ values: [String: String], to request: Request, _ courier: CourierID,
        _ token: String
    ) async throws -> Response {
        guard request.wantsPage else { throw problem }
        let fault = words(of: request).texts(key, values)
        return response(
            page(try await show(courier), request, token: token).html(fault: fault), status: problem.status)
    }

    private static func text(of refusal: GiveProof.Refusal) -> (key: String, values: [String: String]) {
        switch refusal {
        case .wrongPIN(0), .unreadable: ("courier.pin.decided", [:])
        case .wrongPIN(let left): ("courier.pin.wrong", ["left": String(left)])
        case .tooManyWrong: ("courier.pin.too_many", [:])
        }
    }
}
