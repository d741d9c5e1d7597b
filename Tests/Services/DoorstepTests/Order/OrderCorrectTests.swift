import DeliverySamples
import DoorstepAPI
import Foundation
import NIOHTTP1
import OrderDomain
import ScriptedPeers
import Synchronization
import TestSupport
import Testing
import WireCoding

@Suite("doorstep order correct", .timeLimit(.minutes(5)))
struct OrderCorrectTests {
    private static let delivery = SampleDeliveries.whole([])
    /// The delivery with the item that a command adds as Bread.
    private static let withBread = SampleDeliveries.whole([
        .addItems([Item(id: SampleDeliveries.id("item-2"), name: "Bread", quantity: 1, ifUnavailable: .ask)])
    ])

    /// How `orders` fails a part of a correction.
    private enum Fault {
        case refusal
        /// Closes the connection in place of an answer; later reads have the part where it was made.
        case noAnswer(isMade: Bool)
    }

    /// Corrects the delivery by a command.
    ///
    /// - Parameters:
    ///   - command: `order`, as the shop, or `ops`.
    ///   - name: as the command names the delivery; an order's reference is of two bags.
    ///   - refused: the part of the delivery whose correction `orders` fails; without an answer its preview has one.
    /// - Returns: how the command ended, and what it sent besides reads.
    private func correct(
        _ flags: [String], by command: String = "order", named name: String = "\(Self.delivery.id)",
        refused: String? = nil, with fault: Fault = .refusal
    ) async throws -> (exit: ChildProcess.Exit, output: String, sent: [String]) {
        let reader = Principal(.store("nordhavn"))
        let bags = SampleBoard.board([try SampleBoard.row(), try SampleBoard.row()])
        let found = String(decoding: try WireJSON.encode(bags), as: UTF8.self)
        func text(_ delivery: Delivery) throws -> String {
            let body = DeliveryBody(delivery, dropOff: nil, links: [], for: reader)
            return String(decoding: try WireJSON.encode(body), as: UTF8.self)
        }
        let (answer, answerWithBread) = (try text(Self.delivery), try text(Self.withBread))
        let refusal = #"{"type":"https://doorstep.dev/problems/too-late","title":"Too late","status":409}"#
        let path = "/v1/deliveries/\(Self.delivery.id)"
        let sent = Mutex<[String]>([])
        let orders = try await ScriptedHTTPServer.start { request in
            if request.head.uri.hasPrefix("/v1/deliveries?") { return .answer(200, body: found) }
            guard request.head.method != .GET else {
                let isLost = sent.withLock { $0.contains("POST /items") }
                guard isLost, case .noAnswer(isMade: true) = fault else { return .answer(200, body: answer) }
                return .answer(200, body: answerWithBread)
            }
            let asked = "\(request.head.method.rawValue) \(request.head.uri.dropFirst(path.count))"
            sent.withLock { $0.append(asked) }
            guard let refused, asked.contains(refused) else { return .answer(200, body: answer) }
            guard case .noAnswer = fault else { return .answer(409, body: refusal) }
            return asked.contains("preview") ? .answer(200, body: answer) : .close
        }
        let (exit, output) = try await runCommand(
            [command, "correct", name] + flags, over: orders, holders: ["STORE", "OPERATOR"])
        try await orders.stop()
        return (exit, output, sent.withLock { $0 })
    }

    @Test("Each part is corrected once none of them would be refused")
    func accepted() async throws {
        let (exit, output, sent) = try await correct(["--note", "By the lift", "--item", "Bread"])
        #expect(exit == .code(0), "\(output)")
        #expect(
            sent == ["PATCH /drop-off?preview=true", "POST /items?preview=true", "PATCH /drop-off", "POST /items"])
    }

    @Test("Where one part would be refused nothing is corrected, not even the parts before it")
    func refused() async throws {
        let (exit, output, sent) = try await correct(["--note", "By the lift", "--item", "Bread"], refused: "/items")
        #expect(exit != .code(0) && !output.contains("corrected"), "\(output)")
        #expect(sent == ["PATCH /drop-off?preview=true", "POST /items?preview=true"])
    }

    @Test("Items are added last, once every other part is made", arguments: ["order", "ops"])
    func itemsLast(command: String) async throws {
        let flags = ["--item", "Bread", "--settle", "provider", "--note", "By the lift", "--reason", "called"]
        let (exit, output, sent) = try await correct(flags, by: command)
        #expect(exit == .code(0), "\(output)")
        let parts = ["PATCH /drop-off", "POST /correction-due", "POST /items"]
        #expect(sent == parts.map { $0 + "?preview=true" } + parts)
    }

    @Test("An operator's correction of which one part would be refused, or is of several bags, changes nothing")
    func nothingOfSeveralParts() async throws {
        let flags = ["--note", "By the lift", "--item", "Bread", "--reason", "called"]
        let refused = try await correct(flags, by: "ops", refused: "/items")
        #expect(refused.exit == .code(5) && !refused.output.contains("corrected"), "\(refused.output)")
        #expect(refused.sent == ["PATCH /drop-off?preview=true", "POST /items?preview=true"])
        let several = try await correct(flags, by: "ops", named: "A-1")
        #expect(several.exit == .code(2) && several.output.contains("is 2 deliveries"), "\(several.output)")
        #expect(several.sent.isEmpty)
    }

    @Test(
        "Items whose answer was lost are read once: they are made, or the delivery is to be seen before a repeat",
        arguments: ["order", "ops"], [true, false])
    func lostAnswer(command: String, isMade: Bool) async throws {
        for others in [[], ["--note", "By the lift"]] {
            let flags = others + ["--item", "Bread", "--reason", "called"]
            let (exit, output, sent) = try await correct(
                flags, by: command, refused: "/items", with: .noAnswer(isMade: isMade))
            #expect(exit == .code(isMade ? 0 : 6), "\(output)")
            #expect(output.contains("given Bread: A-1043") == isMade, "\(output)")
            let show = command == "ops" ? "ops show \(Self.delivery.id)" : "order show \(Self.delivery.reference)"
            #expect(output.contains("may have been made: see `doorstep \(show)`") != isMade)
            #expect(output.contains("What is printed above was made") == (!isMade && !others.isEmpty))
            #expect(!output.contains("repeat the rest") && sent.count { $0 == "POST /items" } == 1)
        }
    }
}
