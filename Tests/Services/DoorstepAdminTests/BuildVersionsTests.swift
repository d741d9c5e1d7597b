import DoorstepAPI
import Testing

@testable import DoorstepAdmin

@Suite("Versions that a build used")
struct BuildVersionsTests {
    @Test("Doorstep's comes first, then each package once, by name, those that we name only through another too")
    func listed() throws {
        #expect(BuildVersions.lines.first == "doorstep \(Version.current)")
        let names = DependencyVersions.all.map(\.package)
        #expect(names == Set(names).sorted())
        #expect(names.contains("hummingbird"))
        #expect(names.contains("swift-http-types"), "a dependency of hummingbird")
        for dependency in DependencyVersions.all {
            #expect(dependency.version.wholeMatch(of: #/\d+\.\d+\.\d+/#) != nil, "\(dependency)")
        }
    }
}
