/// The parts of a card that fit the height that the system shows of it, at one text size.
///
/// The system crops a card below 160 points. So parts are dropped, one after the other: the detail, the progress line,
/// the store with the remaining time, the buttons, the second line of the headline, and the arrival. On a card with a
/// question the arrival is dropped before the second line, and the buttons, which are the answers, last. The first line
/// of the headline and the PIN always stay.
public struct CardLayout: Hashable, Sendable {
    /// Points of the Lock Screen and of the expanded island; below these the system cuts a card off.
    ///
    /// - Source: Human Interface Guidelines, Live Activities, Specifications.
    public static let heightMax = 160.0
    /// Points between the card's edge and its content.
    public static let margin = 14.0
    /// Points between two rows.
    public static let spacing = 4.0
    /// Points of the progress line.
    public static let lineHeight = 4.0
    /// Points above and below a button's title.
    public static let buttonPadding = 6.0
    /// The height in points beside the camera, where the island has its leading and trailing content.
    ///
    /// - Source: Human Interface Guidelines, Live Activities, Specifications.
    public static let cameraHeight = 36.67

    public enum Place: CaseIterable, Hashable, Sendable { case lockScreen, expandedIsland }

    /// A row of a card.
    public enum Row: CaseIterable, Hashable, Sendable {
        /// The store and the remaining time.
        case top
        case headline
        /// The customer's PIN; it always stays.
        case pin
        /// The arrival, or the promise before there is one.
        case arrival
        case line, detail, buttons
    }

    public let place: Place
    /// The size to draw with: the person's, in the island at most `accessibility1`, of which it holds no larger one.
    public let size: TextSize
    /// Rows that are shown, from the top.
    public private(set) var rows: [Row]
    /// 1 or 2.
    public private(set) var headlineLines: Int

    /// - Parameters:
    ///   - now: the time of drawing, epoch seconds: a time on another day is written with its day.
    ///   - isAlwaysOn: whether the luminance is reduced, where a card has no buttons.
    ///   - width: points of the card; by default those of the narrowest supported phone.
    public init(
        _ content: GroceryDeliveryAttributes.ContentState, _ attributes: GroceryDeliveryAttributes, words: Words,
        now: Int,
        isStale: Bool = false, isAlwaysOn: Bool = false, size: TextSize, place: Place = .lockScreen,
        width: Double = 343
    ) {
        self.place = place
        self.size = place == .expandedIsland ? min(size, .accessibility1) : size
        rows = Row.allCases.filter { row in
            switch row {
            case .top, .headline, .line: true
            case .pin: place == .lockScreen && words.pin(content) != nil
            case .arrival:
                place == .lockScreen && words.expected(content, attributes, now: now, isStale: isStale) != nil
            case .detail: place == .lockScreen && words.detail(content, attributes, now: now) != nil
            case .buttons: !isAlwaysOn && !content.buttons.isEmpty
            }
        }
        let headline = words.headline(content, attributes, now: now)
        let isOneLine =
            Self.width(of: headline, isStale: isStale, at: self.size) <= width - 2 * Self.margin
        headlineLines = isOneLine ? 1 : 2
        for loss in content.isWaitingForCustomer ? Self.lossesOfQuestion : Self.losses {
            guard height > Self.heightMax else { break }
            apply(loss)
        }
    }

    public func shows(_ row: Row) -> Bool { rows.contains(row) }

    /// Points of the whole card.
    public var height: Double {
        let heights = rows.map(height(of:))
        return 2 * Self.margin + heights.reduce(0, +) + Self.spacing * Double(heights.count - 1)
    }

    /// The parts to drop, in order.
    enum Loss: Hashable {
        case row(Row)
        case secondLine
    }

    static let losses: [Loss] = [
        .row(.detail), .row(.line), .row(.top), .row(.buttons), .secondLine, .row(.arrival),
    ]
    static let lossesOfQuestion: [Loss] = [
        .row(.detail), .row(.line), .row(.top), .row(.arrival), .secondLine, .row(.buttons),
    ]

    private mutating func apply(_ loss: Loss) {
        switch loss {
        // The camera keeps its height in any case.
        case .row(.top) where place == .expandedIsland: break
        case .row(let row): rows.removeAll { $0 == row }
        case .secondLine: headlineLines = 1
        }
    }

    private func height(of row: Row) -> Double {
        switch row {
        case .top:
            let text = TextStyle.caption.leading(at: size)
            return place == .expandedIsland ? max(text, Self.cameraHeight) : text
        case .headline: return Double(headlineLines) * TextStyle.headline.leading(at: size)
        case .arrival, .pin: return TextStyle.subheadline.leading(at: size)
        case .line: return Self.lineHeight
        case .detail: return TextStyle.caption.leading(at: size)
        case .buttons: return TextStyle.caption.leading(at: size) + 2 * Self.buttonPadding
        }
    }

    /// An upper estimate of a headline's width in points; a wider one is scaled down by the view.
    private static func width(of headline: String, isStale: Bool, at size: TextSize) -> Double {
        // The mean of English and Danish sentences in the system's semibold font is about 0.55 of the letters' size.
        let letters = Double(headline.count) + (isStale ? 2.5 : 0)
        return letters * 0.6 * TextStyle.headline.points(at: size)
    }
}
