package import Logging
package import Messages
package import NatsClient

/// Answers the requests of `orders` to erase a person, one after the other; replicas share them.
package typealias ErasureResponder = RequestResponder<PersonErasureRequest, ErasureReceipt>

extension ErasureResponder {
    /// Erases a part and returns its receipt.
    package typealias Erasing<Request> = @Sendable (Request) async throws -> ErasureReceipt

    /// - Parameters:
    ///   - keptDays: domain days for which the service keeps rows with a pseudonym; nil where none stay.
    ///   - courierDays: the same of a courier's; nil where they are as many.
    package convenience init(
        _ nats: NatsClient, _ service: ErasingService, keptDays: Int? = nil, courierDays: Int? = nil, logger: Logger,
        erase: @escaping Erasing<ErasureRequest>, eraseCourier: @escaping Erasing<CourierErasureRequest>
    ) {
        self.init(nats, subject: Subject.erasures(service), logger: logger) { request in
            var receipt: ErasureReceipt
            switch request {
            case nil: return ErasureReceipt(fault: "it is no request to erase a person")
            case .customer(let request):
                if let fault = request.fault { return ErasureReceipt(fault: fault) }
                receipt = try await erase(request)
                receipt.keptDays = keptDays
            case .courier(let request):
                if let fault = request.fault { return ErasureReceipt(fault: fault) }
                receipt = try await eraseCourier(request)
                receipt.keptDays = courierDays ?? keptDays
            }
            return receipt
        }
    }
}
