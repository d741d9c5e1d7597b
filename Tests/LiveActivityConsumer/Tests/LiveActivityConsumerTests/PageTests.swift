import Foundation
import LiveActivity
import Testing

@Suite("The page for iOS developers")
struct PageTests {
    private static let root = URL(filePath: #filePath).appending(path: "../../../../..").standardized

    private static func lines(_ text: some StringProtocol) -> [String] {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    }

    @Test("Each of its snippets is in the sample, which is compiled")
    func snippets() throws {
        let page = try String(contentsOf: Self.root.appending(path: "docs/ios.md"), encoding: .utf8)
        let folder = Self.root.appending(path: "Examples/DoorstepWidget")
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
        let sample = try names.map {
            Self.lines(try String(contentsOf: folder.appending(path: $0), encoding: .utf8))
        }
        let snippets = page.components(separatedBy: "```swift\n").dropFirst()
            .compactMap { $0.components(separatedBy: "\n```").first }.map(Self.lines)
        #expect(snippets.count >= 10)
        for snippet in snippets {
            #expect(
                sample.contains { file in
                    file.indices.contains { file[$0...].starts(with: snippet) }
                }, "\(snippet.joined(separator: "\n"))")
        }
    }
}

@Suite("The sample's project")
struct ProjectTests {
    private static let folder = URL(filePath: #filePath)
        .appending(path: "../../../../../Examples/DoorstepWidget").standardized

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: folder.appending(path: path), encoding: .utf8)
    }

    private static func plist(_ path: String) throws -> [String: Any] {
        try #require(
            try PropertyListSerialization.propertyList(
                from: Data(contentsOf: folder.appending(path: path)), format: nil) as? [String: Any])
    }

    @Test("Each app allows Live Activities and frequent updates, and has the entitlements for pushes and links")
    func apps() throws {
        for app in ["ShopApp", "ShopAppUIKit"] {
            let info = try Self.plist("\(app)/Info.plist")
            #expect(info["NSSupportsLiveActivities"] as? Bool == true)
            #expect(info["NSSupportsLiveActivitiesFrequentUpdates"] as? Bool == true)
            #expect((info["UIApplicationSceneManifest"] != nil) == (app == "ShopAppUIKit"))
            let entitlements = try Self.plist("\(app)/\(app).entitlements")
            #expect(entitlements["aps-environment"] as? String == "development")
            #expect(
                entitlements["com.apple.developer.associated-domains"] as? [String]
                    == ["applinks:go.nordhavn.example"])
        }
        let widget = try Self.plist("DeliveryWidget/Info.plist")
        #expect(
            (widget["NSExtension"] as? [String: String])?["NSExtensionPointIdentifier"]
                == "com.apple.widgetkit-extension")
    }

    @Test("The project names every folder of the sample and every file that it points to")
    func project() throws {
        let project = try Self.text("project.yml")
        for line in project.split(separator: "\n") {
            let words = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            guard words.count == 2 else { continue }
            switch words[0] {
            case "INFOPLIST_FILE", "CODE_SIGN_ENTITLEMENTS", "path":
                #expect(FileManager.default.fileExists(atPath: Self.folder.appending(path: words[1]).path), "\(line)")
            default: break
            }
        }
        let folders = try FileManager.default.contentsOfDirectory(
            at: Self.folder, includingPropertiesForKeys: [.isDirectoryKey]
        ).filter(\.hasDirectoryPath).map(\.lastPathComponent)
        let sources = project.matches(of: /sources: \[(.+)\]/).flatMap { $0.1.split(separator: ", ").map(String.init) }
        #expect(Set(sources) == Set(folders))
    }

    @Test("Every presentation has a preview, with every status in it")
    func previews() throws {
        let previews = try Self.text("DeliveryWidget/Previews.swift").components(separatedBy: "#Preview(").dropFirst()
        let places = [".content", ".dynamicIsland(.compact)", ".dynamicIsland(.expanded)", ".dynamicIsland(.minimal)"]
        #expect(previews.count == places.count)
        for (preview, place) in zip(previews, places) {
            #expect(preview.contains("as: \(place), "))
            let shown = preview.matches(of: /PreviewDeliveries\.state\(\.([A-Za-z]+)\)/).map { String($0.1) }
            #expect(shown == DeliverySnapshot.Status.allCases.map { "\($0)" })
        }
    }
}
