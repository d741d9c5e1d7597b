import DoorstepAPI
import OrderDomain
import ServiceRuntime

extension OrdersHTTP {
    /// The operations that answer operators and stores with personal data; of changes, the previews and repeats.
    static let personalReads = PersonalReads([
        "GET /v1/orders": .list("listOrders", .dropOff),
        "GET /v1/orders/{id}": .one("getOrder", .dropOff),
        "GET /v1/deliveries": .list("listDeliveries", .dropOff),
        "GET /v1/deliveries/{id}": .one("getDelivery", .dropOff),
        "GET /v1/deliveries/{id}/timeline": .one("getDeliveryTimeline", .timeline),
        "GET /v1/deliveries/{id}/images/{image}": .one("getImage", .image, of: .delivery("id")),
        "GET /v1/contacts": .one("getContacts", .contact),
        "GET /v1/timeline": .list("listTimeline", .timeline),
        "GET /v1/report": .list("getDayReport", .courier),
        "GET /v1/person-requests/{id}": .one("getPersonRequest", .personRequest),
        "GET /v1/person-requests/{id}/archive": .one("getArchive", .personRequest),
        "POST /v1/deliveries/{id}/status": .one("setDeliveryStatus", .dropOff),
        "PUT /v1/deliveries/{id}/courier": .one("assignCourier", .dropOff),
        "POST /v1/deliveries/{id}/items": .one("addItems", .dropOff),
        "PATCH /v1/deliveries/{id}/items/{item}": .one("updateItem", .dropOff),
        "PATCH /v1/deliveries/{id}/drop-off": .one("correctDropOff", .dropOff),
        "PATCH /v1/deliveries/{id}/recipient": .one("correctRecipient", .dropOff),
        "POST /v1/deliveries/{id}/correction-due": .one("settleCorrection", .dropOff),
        "PUT /v1/deliveries/{id}/hold": .one("holdDelivery", .dropOff),
        "DELETE /v1/deliveries/{id}/hold": .one("releaseDelivery", .dropOff),
        "PUT /v1/deliveries/{id}/promise": .one("changePromise", .dropOff),
        "PUT /v1/deliveries/{id}/trip": .one("setStopsBefore", .dropOff),
        "POST /v1/deliveries/{id}/proofs": .one("giveProof", .dropOff),
        "PUT /v1/deliveries/{id}/proofs/{kind}": .one("giveImage", .dropOff),
        "PUT /v1/deliveries/{id}/feedback": .one("giveFeedback", .dropOff),
        "POST /v1/deliveries/{id}/view-link": .access("makeViewLink", .dropOff),
        "POST /v1/couriers/{id}/link": .access("makeCourierLink", .dropOff, of: .courier("id")),
        "POST /v1/tokens": .access("issueToken", .dropOff),
    ])
}

extension Delivery {
    /// The persons of an answer about it.
    var persons: Persons { Persons(customer: customer, delivery: id, courier: courier?.id) }
}
