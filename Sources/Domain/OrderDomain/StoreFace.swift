/// A store's own name, colours, contact and words on its customers' and couriers' pages, and in part on cards.
///
/// Each part stands before the same part of an order, and before the texts of the installation.
public struct StoreFace: Hashable, Codable, Sendable {
    /// Characters of the name; a card shows it beside the order's number.
    public static let nameCharactersMax = 40

    /// The number of changes so far; 0 for a store without a face.
    public var version: Int
    public var name: String?
    public var colours: FaceColours?
    public var contact: StoreContact?
    public var logo: FaceLogo?
    /// Texts of pages by language and key, in ICU's MessageFormat.
    public var words: [String: [String: String]]?

    public init(
        version: Int = 0, name: String? = nil, colours: FaceColours? = nil, contact: StoreContact? = nil,
        logo: FaceLogo? = nil, words: [String: [String: String]]? = nil
    ) {
        self.version = version
        self.name = name
        self.colours = colours
        self.contact = contact
        self.logo = logo
        self.words = words
    }

    /// The part of it that travels with a delivery to its cards; nil for none.
    public var brand: StoreBrand? {
        name == nil && colours == nil ? nil : StoreBrand(name: name, light: colours?.light, dark: colours?.dark)
    }
}

/// A shop's colours by the page's appearance; a page without one has the usual colour.
public struct FaceColours: Hashable, Codable, Sendable {
    public let light: ShopColour?
    public let dark: ShopColour?

    /// Nil without any colour.
    public init?(light: ShopColour?, dark: ShopColour?) {
        guard light != nil || dark != nil else { return nil }
        self.light = light
        self.dark = dark
    }
}

/// A shop's logo, without its bytes.
public struct FaceLogo: Hashable, Codable, Sendable {
    /// The SHA-256 of its bytes, in hexadecimal digits.
    public let hash: String
    /// The end of a file's name, `png` or `jpg`.
    public let fileExtension: String
    /// In pixels.
    public let width: Int
    public let height: Int

    public init(hash: String, fileExtension: String, width: Int, height: Int) {
        self.hash = hash
        self.fileExtension = fileExtension
        self.width = width
        self.height = height
    }
}

/// A store's name and colours on the cards of a delivery, as they were when it was placed.
public struct StoreBrand: Hashable, Codable, Sendable {
    public let name: String?
    public let light: ShopColour?
    public let dark: ShopColour?
}

extension Store {
    /// The store with the name and the contact of its face, as far as the face has them.
    public func with(_ face: StoreFace?) -> Store {
        guard let face, face.name != nil || face.contact != nil else { return self }
        return Store(
            id: id, name: face.name ?? name, location: location, timeZone: timeZone, currency: currency,
            tracksCouriers: tracksCouriers, contact: face.contact.map { $0.completed(by: contact) } ?? contact,
            corrections: corrections)
    }
}

extension StoreContact {
    /// The contact with the ways of another for those that it lacks.
    func completed(by other: StoreContact?) -> StoreContact {
        StoreContact(phone: phone ?? other?.phone, url: url ?? other?.url, email: email ?? other?.email)
    }
}

extension Delivery {
    /// The delivery for a page, with the present face of its store in place of the store's own name, contact and brand.
    public func with(_ face: StoreFace?) -> Delivery {
        guard let face else { return self }
        var delivery = self
        delivery.store = store.with(face)
        delivery.brand = face.brand
        return delivery
    }
}
