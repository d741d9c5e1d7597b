public import Foundation
public import OrderDomain

/// The request of `PUT /v1/stores/{store}/face`: the whole face but for its logo.
///
/// A part that is left out is removed from the face.
public struct PutFaceBody: Codable, Hashable, Sendable {
    public var name: String?
    public var colours: FaceBody.Colours?
    public var contact: StoreContact?
    /// Texts of customers' pages by language and key, in ICU's MessageFormat.
    public var words: [String: [String: String]]?

    public init(
        name: String? = nil, colours: FaceBody.Colours? = nil, contact: StoreContact? = nil,
        words: [String: [String: String]]? = nil
    ) {
        self.name = name
        self.colours = colours
        self.contact = contact
        self.words = words
    }

    /// The parts of a face that a request changes, so that a caller who changes one of them keeps the others.
    public init(_ face: FaceBody) {
        self.init(name: face.name, colours: face.colours, contact: face.contact, words: face.words)
    }
}

/// A store's name, colours, contact, words and logo for its customers, at `/v1/stores/{store}/face`.
public struct FaceBody: Codable, Hashable, Sendable {
    public let store: StoreID
    /// The number of changes so far; 0 for a store without a face.
    public let version: Int
    public let name: String?
    public let colours: Colours?
    public let contact: StoreContact?
    public let words: [String: [String: String]]?
    public let logo: Logo?
    /// Nil at version 0.
    public let changedAt: Date?
    /// The actor of the last change, such as `operator ada`; nil at version 0.
    public let changedBy: String?

    public init(_ face: StoreFace, of store: StoreID, logoURL: String?, changedAt: Date?, changedBy: String?) {
        self.store = store
        version = face.version
        name = face.name
        colours = face.colours.map { Colours(light: $0.light?.description, dark: $0.dark?.description) }
        contact = face.contact
        words = face.words
        logo = face.logo.flatMap { logo in
            logoURL.map { Logo(url: $0, width: logo.width, height: logo.height) }
        }
        self.changedAt = changedAt
        self.changedBy = changedBy
    }

    /// One or both colours, such as `#0b62c4`: for pages and cards in the light and in the dark appearance.
    public struct Colours: Codable, Hashable, Sendable {
        public let light: String?
        public let dark: String?

        public init(light: String?, dark: String?) {
            self.light = light
            self.dark = dark
        }
    }

    public struct Logo: Codable, Hashable, Sendable {
        /// Readable without a token; another logo has another URL.
        public let url: String
        /// In pixels.
        public let width: Int
        public let height: Int
    }
}
