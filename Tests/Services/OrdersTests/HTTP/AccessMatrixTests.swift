import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import Messages
import NatsClient
import OpenAPITesting
import OrderDomain
import ReliableMessaging
import ServiceRuntime
import TestSupport
import Testing
import WebPages

@testable import Orders

@Suite("Who may do what in orders", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct AccessMatrixTests {
    /// An order of mette at nordhavn in two bags, which jonas brings, and for reading a third with a photo.
    private struct Scene {
        let order: OrderID
        let reference: String
        let delivery: DeliveryID
        let sibling: DeliveryID
        let press: String
        let courierPage: String
        let deadLetter: String
        /// The path of the photo; nil without a third bag.
        let image: String?
        /// A request that an operator has made.
        let personRequest: String
        /// An export that an operator has made.
        let export: String
    }

    /// Every kind of caller.
    ///
    /// After `@` the only store of the token, after `#` its only delivery, after `:` what it is good for.
    private static let callers = [
        "nobody", "operator", "operator@valby", "store", "store@nordhavn", "store@valby", "mette", "mette@nordhavn",
        "mette@valby", "mette#this", "mette#sibling", "ole", "jonas", "noah", "operator:viewer",
        "operator:dispatcher",
    ]

    /// 401 without a token, 404 for what is another's, 403 for what the role never may, such as a store what operators
    /// alone may; anything else is allowed.
    private static let expected = """
        1 nobody
        2 operator
        3 operator@valby
        4 store
        5 store@nordhavn
        6 store@valby
        7 mette
        8 mette@nordhavn
        9 mette@valby
        10 mette#this
        11 mette#sibling
        12 ole
        13 jonas
        14 noah
        15 operator:viewer
        16 operator:dispatcher
                               1    2    3    4    5    6    7    8    9   10   11   12   13   14   15   16
        addItems             401  200  404  200  200  404  404  404  404  404  404  404  404  404  403  200
        answerFeedback       303  303  303  303  303  303  303  303  303  303  303  303  303  303  303  303
        assignCourier        401  200  404  200  200  404  404  404  404  404  404  404  404  404  403  200
        changePromise        401  200  404  200  200  404  404  404  404  404  404  404  404  404  403  200
        correctDropOff       401  200  404  200  200  404  404  404  404  404  404  404  404  404  403  200
        correctOnPage        409  409  409  409  409  409  409  409  409  409  409  409  409  409  409  409
        correctRecipient     401  200  404  200  200  404  404  404  404  404  404  404  404  404  403  200
        dropDeadLetter       401  200  404  403  403  403  404  404  404  404  404  404  404  404  403  403
        enterPIN             409  409  409  409  409  409  409  409  409  409  409  409  409  409  409  409
        eraseCourier         401  409  404  409  409  404  404  404  404  404  404  404  404  404  403  403
        erasePerson          401  409  404  409  409  404  404  404  404  404  404  404  404  404  403  403
        exportCourier        401  202  404  202  202  404  404  404  404  404  404  404  404  404  403  403
        exportPerson         401  202  404  202  202  404  404  404  404  404  404  404  404  404  403  403
        followLink           200  200  200  200  200  200  200  200  200  200  200  200  200  200  200  200
        getArchive           401  409  404  409  404  404  404  404  404  404  404  404  404  404  403  403
        getAsset             200  200  200  200  200  200  200  200  200  200  200  200  200  200  200  200
        getContacts          401  200  200  403  403  403  404  404  404  404  404  404  404  404  403  200
        getDayReport         401  200  200  200  200  200  404  404  404  404  404  404  404  404  200  200
        getDeadLetter        401  200  404  403  403  403  404  404  404  404  404  404  404  404  403  403
        getDelivery          401  200  404  200  200  404  200  200  404  200  404  404  200  404  200  200
        getDeliveryTimeline  401  200  404  200  200  404  200  200  404  200  404  404  200  404  200  200
        getFace              401  200  404  200  200  404  404  404  404  404  404  404  404  404  200  200
        getFaceFile          200  200  200  200  200  200  200  200  200  200  200  200  200  200  200  200
        getImage             401  200  404  200  200  404  200  200  404  404  404  404  404  404  403  200
        getLiveness          200  200  200  200  200  200  200  200  200  200  200  200  200  200  200  200
        getMapTile           204  204  204  204  204  204  204  204  204  204  204  204  204  204  204  204
        getMetrics           200  200  200  200  200  200  200  200  200  200  200  200  200  200  200  200
        getOpenAPIDocument   200  200  200  200  200  200  200  200  200  200  200  200  200  200  200  200
        getOrder             401  200  404  200  200  404  200  200  404  200  200  404  404  404  200  200
        getPersonRequest     401  200  404  200  404  404  404  404  404  404  404  404  404  404  200  200
        getReadiness         200  200  200  200  200  200  200  200  200  200  200  200  200  200  200  200
        giveFeedback         401  404  404  409  409  404  409  409  404  409  404  404  404  404  404  404
        giveImage            401  403  403  422  422  404  404  404  404  404  404  404  422  404  403  403
        giveImageOnPage      422  422  422  422  422  422  422  422  422  422  422  422  422  422  422  422
        giveProof            401  403  403  409  409  404  404  404  404  404  404  404  409  404  403  403
        holdDelivery         401  200  404  403  403  403  404  404  404  404  404  404  404  404  403  200
        issueToken           401  201  201  201  201  201  404  404  404  404  404  404  404  404  403  403
        listDeadLetters      401  200  404  403  403  403  404  404  404  404  404  404  404  404  200  200
        listDeliveries       401  200  200  200  200  200  200  200  200  200  200  200  200  200  200  200
        listOrders           401  200  200  200  200  200  200  200  200  200  200  200  404  404  200  200
        listPersonalReads    401  200  404  403  403  403  404  404  404  404  404  404  404  404  403  403
        listTimeline         401  200  200  200  200  200  404  404  404  404  404  404  404  404  200  200
        makeCourierLink      401  201  404  201  404  404  404  404  404  404  404  404  201  404  403  201
        makeViewLink         401  201  404  201  201  404  404  404  404  404  404  404  404  404  403  201
        placeOrder           401  201  422  201  201  422  404  404  404  404  404  404  404  404  403  201
        pressLink            401  404  404  404  404  404  200  200  404  200  404  404  404  404  404  404
        pressOnCourierPage   200  200  200  200  200  200  200  200  200  200  200  200  200  200  200  200
        proveOrder           303  303  303  303  303  303  303  303  303  303  303  303  303  303  303  303
        releaseDelivery      401  200  404  403  403  403  404  404  404  404  404  404  404  404  403  200
        removeLogo           401  200  404  200  200  404  404  404  404  404  404  404  404  404  403  403
        republishDeliveries  401  202  404  403  403  403  404  404  404  404  404  404  404  404  403  403
        retryDeadLetter      401  200  404  403  403  403  404  404  404  404  404  404  404  404  403  403
        revokeCourierLinks   401  200  404  200  404  404  404  404  404  404  404  404  200  404  403  200
        revokeViewLinks      401  200  404  200  200  404  404  404  404  404  404  404  404  404  403  200
        setAlerts            403  403  403  403  403  403  403  403  403  403  403  403  403  403  403  403
        setDeliveryStatus    401  200  404  200  200  404  404  404  404  404  404  404  403  403  403  200
        setFace              401  200  404  200  200  404  404  404  404  404  404  404  404  404  403  403
        setLogo              401  422  404  422  422  404  404  404  404  404  404  404  404  404  403  403
        setStopsBefore       401  200  404  200  200  404  404  404  404  404  404  404  404  404  403  200
        settleCorrection     401  200  404  200  200  404  404  404  404  404  404  404  404  404  403  200
        showCourierPage      200  200  200  200  200  200  200  200  200  200  200  200  200  200  200  200
        showLink             200  200  200  200  200  200  200  200  200  200  200  200  200  200  200  200
        showLinkImage        404  404  404  404  404  404  404  404  404  404  404  404  404  404  404  404
        undoCourierPress     404  404  404  404  404  404  404  404  404  404  404  404  404  404  404  404
        updateItem           401  200  404  200  200  404  404  404  404  404  404  404  404  404  403  200
        """

    @Test("Every operation answers every kind of caller as the table says")
    func matrix() async throws {
        let visibility = try #require(ImageVisibility("nordhavn"))
        try await OrdersUnderTest.run(
            limits: OrderLimits(customerDeliveriesMax: 10_000), imageVisibility: visibility,
            mapImages: try OrdersUnderTest.mapImages
        ) { orders, client in
            var matrix = AccessMatrix(callers: Self.callers)
            var scene = try await Self.scene(orders, client, hasImage: true)
            let document = try OpenAPIDocument(yaml: PackageResources.openapi_yaml)
            let operations = document.operations
            func reads(_ operation: OpenAPIDocument.Operation) -> Bool { operation.name.hasPrefix("GET") }
            // What one caller changes is not there for the next one to find; what revokes comes after what reads.
            for operation in operations.filter(reads) + operations.filter({ !reads($0) }) {
                try await matrix.add(operation.id, client) { caller, isChanged in
                    if isChanged { scene = try await Self.scene(orders, client) }
                    return (
                        try #require(Self.request(operation.id, caller, scene), "no request for \(operation.id)"),
                        try await Self.authorization(caller, scene, orders)
                    )
                }
            }
            #expect(matrix.text == Self.expected, "\(matrix.text)")
            #expect(matrix.undocumentedScopes(in: document) == [])
        }
    }

    private static func scene(
        _ orders: OrdersUnderTest, _ client: any TestClientProtocol, hasImage: Bool = false
    ) async throws -> Scene {
        let reference = UUID().uuidString.prefix(8)
        var body = try orders.body(bags: hasImage ? 3 : 2, reference: "G-\(reference)")
        if hasImage { body.deliveries[2].items[0].requires = [.photo] }
        let order = try await orders.place(client, body)
        let (delivery, sibling) = (order.deliveries[0].id, order.deliveries[1].id)
        try await orders.set(.accepted, delivery, client)
        try await orders.set(.picking, delivery, client)
        try await orders.assign("jonas", delivery, client)
        let seen: DeliveryBody = try await orders.send(
            client, .get, "/v1/deliveries/\(delivery)", as: .customer, "mette"
        ).decode()
        let link = try #require(seen.links.first { $0.verb == "details" })
        let sequence = UInt64.random(in: 1...UInt64(Int64.max))
        try await DeadLetters(pool: orders.pool).record(
            StreamMessage(
                subject: "couriers.estimate-changed.nowhere", payload: Array("{}".utf8), stream: "COURIERS",
                streamSequence: sequence), of: "orders", error: "delivery is missing")
        let page: DeadLettersBody = try await orders.send(
            client, .get, "/v1/admin/dead-letters", as: .operator, "ada"
        ).decode()
        var image: String?
        if hasImage { image = try await photo(of: order.deliveries[2].id, orders, client) }
        let courier: CourierLinkBody = try await orders.send(
            client, .post, "/v1/couriers/jonas/link", as: .operator, "ada"
        ).decode()
        let request: PersonRequestBody = try await orders.send(
            client, .post, "/v1/customers/anna/erase", as: .operator, "ada", ErasePersonBody()
        ).decode()
        let export: PersonRequestBody = try await orders.send(
            client, .post, "/v1/customers/bent/export", as: .operator, "ada"
        ).decode()
        return Scene(
            order: order.id, reference: order.reference, delivery: delivery, sibling: sibling,
            press: OrdersUnderTest.path(of: link.url), courierPage: OrdersUnderTest.path(of: courier.url),
            deadLetter: "\(try #require(page.deadLetters.first).id)", image: image, personRequest: request.id,
            export: export.id)
    }

    /// The path of a photo that jonas has taken of a delivery.
    private static func photo(
        of delivery: DeliveryID, _ orders: OrdersUnderTest, _ client: any TestClientProtocol
    ) async throws -> String {
        try await orders.set([.accepted, .picking], delivery, client)
        try await orders.assign("jonas", delivery, client)
        try await orders.set(.pickedUp, delivery, client)
        let jonas = Principal(.courier(try #require(CourierID(rawValue: "jonas"))))
        _ = try await orders.giveImage(SampleImage.png(), as: .photo, of: delivery, by: jonas)
        return "/v1/deliveries/\(delivery)/images/\(try ProofImage(SampleImage.png()).hash)"
    }

    private static func authorization(
        _ caller: String, _ scene: Scene, _ orders: OrdersUnderTest
    ) async throws -> String? {
        guard let caller = AccessMatrix.Caller(caller) else { return nil }
        let role: Role =
            switch caller.name {
            case "operator": .operator
            case "store": .store
            case "jonas", "noah": .courier
            default: .customer
            }
        let delivery = caller.delivery.map { $0 == "this" ? scene.delivery.rawValue : scene.sibling.rawValue }
        let token = try await orders.token(
            role, caller.name, store: caller.store, delivery: delivery, scope: caller.scope)
        return "Bearer \(token)"
    }

    private static func request(_ operation: String, _ caller: String, _ scene: Scene) -> AccessMatrix.Request? {
        let path = "/v1/deliveries/\(scene.delivery)"
        return switch operation {
        case "placeOrder":
            .init(
                .post, "/v1/orders",
                """
                {"reference":"\(UUID().uuidString.prefix(8))","customer":"mette","door":{"latitude":55.7,"longitude":12.5},
                "store":{"id":"nordhavn","name":"Nordhavn","location":{"latitude":55.71,"longitude":12.6},
                "timeZone":"Europe/Copenhagen"},
                "promise":{"start":"2026-11-21T18:00:00Z","end":"2026-11-21T18:45:00Z"},
                "deliveries":[{"items":[{"id":"milk","name":"Milk","quantity":1}]}]}
                """, headers: [HTTPField.Name("Idempotency-Key")!: UUID().uuidString])
        case "getOrder": .init(.get, "/v1/orders/\(scene.order)")
        case "listOrders": .init(.get, "/v1/orders")
        case "listDeliveries": .init(.get, "/v1/deliveries")
        case "getContacts": .init(.get, "/v1/contacts?ids=\(scene.delivery)")
        case "listTimeline": .init(.get, "/v1/timeline")
        case "getDayReport": .init(.get, "/v1/report")
        case "getDelivery": .init(.get, path)
        case "getDeliveryTimeline": .init(.get, "\(path)/timeline")
        case "setDeliveryStatus":
            caller.hasPrefix("operator")
                ? .init(
                    .post, "\(path)/status", #"{"status":"staged","reason":"a test"}"#,
                    headers: [.ifMatch: "*"])
                : .init(.post, "\(path)/status", #"{"status":"staged"}"#)
        case "assignCourier": .init(.put, "\(path)/courier", #"{"courier":"jonas","reason":"a test"}"#)
        case "correctOnPage":
            .init(
                .post, "\(scene.press)/drop-off", "part=note&note=1&reference=\(scene.reference)",
                headers: [.contentType: "application/x-www-form-urlencoded"])
        case "addItems": .init(.post, "\(path)/items", #"{"items":[{"id":"butter","name":"Butter"}]}"#)
        case "correctDropOff":
            .init(.patch, "\(path)/drop-off", #"{"note":"by the lift"}"#, headers: [.ifMatch: "*"])
        case "correctRecipient": .init(.patch, "\(path)/recipient", #"{"name":"Ole"}"#, headers: [.ifMatch: "*"])
        case "settleCorrection": .init(.post, "\(path)/correction-due", #"{"settled":"provider"}"#)
        case "updateItem": .init(.patch, "\(path)/items/milk", #"{"status":"found"}"#)
        case "holdDelivery": .init(.put, "\(path)/hold", #"{"reason":"a test"}"#)
        case "releaseDelivery": .init(.delete, "\(path)/hold", #"{"reason":"a test"}"#)
        case "changePromise":
            .init(
                .put, "\(path)/promise",
                #"{"start":"2026-11-21T19:00:00Z","end":"2026-11-21T19:45:00Z","reason":"a test"}"#)
        case "makeViewLink": .init(.post, "\(path)/view-link")
        case "revokeViewLinks": .init(.delete, "\(path)/view-link")
        case "makeCourierLink": .init(.post, "/v1/couriers/jonas/link")
        case "revokeCourierLinks": .init(.delete, "/v1/couriers/jonas/link")
        case "getFace": .init(.get, "/v1/stores/nordhavn/face")
        case "setFace": .init(.put, "/v1/stores/nordhavn/face", "{}", headers: [.ifMatch: "*"])
        // It is no image: who may set one is answered 422.
        case "setLogo": .init(.put, "/v1/stores/nordhavn/face/logo", "none", headers: [.ifMatch: "*"])
        case "removeLogo": .init(.delete, "/v1/stores/nordhavn/face/logo", headers: [.ifMatch: "*"])
        case "getFaceFile": .init(.get, "/faces/nordhavn/0a6b70-5fd0d6.css")
        case "showCourierPage": .init(.get, scene.courierPage)
        case "pressOnCourierPage":
            .init(
                .post, "\(scene.courierPage)/presses",
                "press=\(UUID())&delivery=\(scene.delivery)&action=problem%3Avehicle",
                headers: [.contentType: "application/x-www-form-urlencoded"])
        case "enterPIN":
            .init(
                .post, "\(scene.courierPage)/proofs", "delivery=\(scene.delivery)&pin=0417",
                headers: [.contentType: "application/x-www-form-urlencoded"])
        // It is no image: who may give one is answered 422.
        case "giveImage": .init(.put, "\(path)/proofs/photo", "none")
        case "giveImageOnPage": .init(.post, "\(scene.courierPage)/proofs/\(scene.delivery)/photo", "none")
        // Nobody has given the order's number.
        case "showLinkImage": .init(.get, "\(scene.press)/images/\(String(repeating: "0", count: 64))")
        case "getImage": scene.image.map { .init(.get, $0) }
        case "giveProof": .init(.post, "\(path)/proofs", #"{"age":"passed"}"#)
        case "undoCourierPress": .init(.post, "\(scene.courierPage)/presses/\(UUID())/undo")
        case "setStopsBefore": .init(.put, "\(path)/trip", #"{"stopsBefore":1}"#)
        // The delivery is not delivered yet: who may give feedback is answered 409.
        case "giveFeedback": .init(.put, "\(path)/feedback", #"{"kind":"all_right"}"#)
        case "answerFeedback":
            .init(
                .post, "\(scene.press)/feedback", "feedback=all_right&reference=\(scene.reference)",
                headers: [.contentType: "application/x-www-form-urlencoded"])
        case "showLink": .init(.get, scene.press)
        case "pressLink": .init(.post, scene.press)
        // A stream's body has no end.
        case "followLink": .init(.head, "\(scene.press)/events")
        case "proveOrder":
            .init(
                .post, "\(scene.press)/proof", "reference=\(scene.reference)",
                headers: [.contentType: "application/x-www-form-urlencoded"])
        case "setAlerts": .init(.put, "\(scene.press)/alerts", #"{"endpoint":"https://push.example/abc"}"#)
        case "getAsset": .init(.get, PageAsset.style.path)
        case "getMapTile": .init(.get, "/assets/tiles/19/0/0")
        case "issueToken": .init(.post, "/v1/tokens", #"{"customer":"mette"}"#)
        case "eraseCourier": .init(.post, "/v1/couriers/jonas/erase", "{}")
        case "erasePerson": .init(.post, "/v1/customers/mette/erase", "{}")
        case "exportCourier": .init(.post, "/v1/couriers/jonas/export")
        case "exportPerson": .init(.post, "/v1/customers/mette/export")
        case "getArchive": .init(.get, "/v1/person-requests/\(scene.export)/archive")
        case "getPersonRequest": .init(.get, "/v1/person-requests/\(scene.personRequest)")
        case "republishDeliveries": .init(.post, "/v1/admin/republish")
        default: AccessMatrix.Request(ofEveryService: operation, deadLetter: scene.deadLetter)
        }
    }
}
