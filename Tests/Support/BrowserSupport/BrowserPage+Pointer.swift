import NIOHTTP1

extension BrowserPage {
    private struct Actions: Encodable {
        let actions: [Source]

        struct Source: Encodable {
            let type = "pointer"
            let id = "finger"
            let parameters = ["pointerType": "touch"]
            let actions: [Action]
        }

        struct Action: Encodable {
            let type: String
            var origin: PageElement?
            var button: Int?
            var x: Int?
            var y: Int?
            var duration: Int?

            static func move(to point: (x: Int, y: Int), of element: PageElement) -> Action {
                Action(type: "pointerMove", origin: element, x: point.x, y: point.y, duration: 20)
            }
        }
    }

    /// Draws a line on an element with a finger.
    ///
    /// - Parameters:
    ///   - selector: of the element, which is scrolled into view.
    ///   - points: the line's ends and corners, in CSS pixels from the middle of the element, two at least.
    package func draw(on selector: String, through points: [(x: Int, y: Int)]) async throws {
        let element = try await element(selector)
        try await execute("arguments[0].scrollIntoView({block: 'center'})", element)
        let moves = points.map { Actions.Action.move(to: $0, of: element) }
        let (down, up) = (Actions.Action(type: "pointerDown", button: 0), Actions.Action(type: "pointerUp", button: 0))
        let line = Array(moves.prefix(1)) + [down] + moves.dropFirst() + [up]
        try await send(.POST, "/actions", Actions(actions: [.init(actions: line)]))
    }
}
