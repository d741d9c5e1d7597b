import DeliveryDiagnosis
import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import Hummingbird
import TimePresentation
import WebPages

/// The layout of every page of the desk.
enum DeskPage {
    static let templates = PageTemplates(compiled: [
        "navigation": PackageResources.navigation_mustache, "message": PackageResources.message_mustache,
        "now": PackageResources.now_mustache, "row": PackageResources.row_mustache,
        "delivery": PackageResources.delivery_mustache, "details": PackageResources.details_mustache,
        "change": PackageResources.change_mustache, "bulk": PackageResources.bulk_mustache,
        "couriers": PackageResources.couriers_mustache, "choose": PackageResources.choose_mustache,
        "map": PackageResources.map_mustache, "places": PackageResources.places_mustache,
        "log": PackageResources.log_mustache, "events": PackageResources.events_mustache,
        "report": PackageResources.report_mustache, "cards": PackageResources.cards_mustache,
        "letters": PackageResources.letters_mustache, "webhooks": PackageResources.webhooks_mustache,
        "stores": PackageResources.stores_mustache, "face": PackageResources.face_mustache,
        "health": PackageResources.health_mustache, "persons": PackageResources.persons_mustache,
        "person-request": PackageResources.person_request_mustache,
        "person-export": PackageResources.person_export_mustache,
        "reads": PackageResources.reads_mustache, "entrance": PackageResources.entrance_mustache,
    ])

    /// A time of data, with its zone: `18:24:07 Europe/Copenhagen`.
    ///
    /// - Parameter timeZone: of the stores on the board.
    static func asOf(_ date: Date, at now: Date, in timeZone: TimeZone) -> String {
        let times = StoreTimes(timeZone: timeZone, now: now)
        return "\(times.text(date, withSeconds: true)) \(times.zoneName)"
    }

    /// The pages that are reached from every page.
    enum Tab: String, CaseIterable {
        case now, map, couriers, log, report, cards, stores, letters, webhooks, health

        var title: String {
            switch self {
            case .now: "Now"
            case .map: "Map"
            case .couriers: "Couriers"
            case .log: "What happened"
            case .report: "The day"
            case .cards: "Cards"
            case .stores: "Stores"
            case .letters: "Dead letters"
            case .webhooks: "Webhooks"
            case .health: "Health"
            }
        }

        var path: String {
            switch self {
            case .now: "/"
            case .letters: "/dead-letters"
            case .map, .couriers, .log, .report, .cards, .stores, .webhooks, .health: "/\(rawValue)"
            }
        }
    }

    /// The query parameter of a page that has reloaded itself; such a request does not prolong its reader's session.
    static let reloadParameter = "reload"

    /// A whole page for a signed-in reader.
    ///
    /// - Parameters:
    ///   - tab: the page's tab.
    ///   - reading: the path that reloads where scripts are off; nil for a page that stays as it is.
    ///   - hasInput: whether the page has a form to fill in, and so reloads less often.
    static func html(
        _ template: String, _ values: [String: Any], title: String, tab: Tab?, for reader: SignedIn,
        scripts: [PageAsset] = [], styles: [PageAsset] = [], reading: String? = nil, hasInput: Bool = false
    ) -> String {
        var all = values
        all["navigation"] = [
            "tabs": Tab.allCases.map { ["path": $0.path, "title": $0.title, "isHere": $0 == tab] },
            "name": reader.user.name, "subject": reader.user.subject, "role": reader.user.role.rawValue,
            "form": reader.secret.formToken,
        ]
        all["form"] = reader.secret.formToken
        let reload = reading.map { "\($0)\($0.contains("?") ? "&" : "?")\(reloadParameter)=true" }
        return templates.page(
            template, all, language: "en", title: "\(title) · Doorstep desk", scripts: scripts,
            styles: [.deskStyle] + styles, reading: reload, hasInput: hasInput)
    }
}

extension DeskHTTP {
    /// A page with one message.
    func message(
        _ status: HTTPResponse.Status, _ title: String, _ text: String, reader: SignedIn? = nil,
        link: (path: String, text: String) = ("/", "To the board"), refreshSeconds: Int? = nil
    ) -> Response {
        let values: [String: Any] = ["title": title, "text": text, "path": link.path, "link": link.text]
        let html =
            reader.map { DeskPage.html("message", values, title: title, tab: nil, for: $0) }
            ?? DeskPage.templates.page(
                "message", values, language: "en", title: "\(title) · Doorstep desk", styles: [.deskStyle])
        var response = Response.page(html, status: status)
        if let refreshSeconds, let name = HTTPField.Name("Refresh") { response.headers[name] = String(refreshSeconds) }
        return response
    }

    /// A time of data as ``DeskPage/asOf(_:at:in:)`` writes it, read now.
    func asOf(_ date: Date) -> String { DeskPage.asOf(date, at: clock.now, in: board.timeZone) }

    /// A sentence for each service that does not answer: the outdated data, and since when.
    ///
    /// Without `partners`, which only pages need that name it themselves.
    var missing: [String] {
        probe.outages.filter { $0.service != .partners }.map { sentence(of: $0) }
    }

    func sentence(of outage: ServiceUnavailable) -> String {
        let old =
            switch outage.service {
            case .orders: "Deliveries are as they were then, and nothing can be changed."
            case .courierETA: "Positions and estimates may be old."
            case .activityDispatch: "The state of customers' cards may be old."
            case .partners: "What providers report comes late, and no webhook is sent."
            }
        let since = outage.since.map { " since \(asOf($0))" } ?? ""
        return "\(outage.service.rawValue) \(outage.reason)\(since). \(old)"
    }
}
