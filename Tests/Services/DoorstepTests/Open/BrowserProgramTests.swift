import CommandOutput
import Testing

@testable import Doorstep

@Suite("The browser that a link is shown in")
struct BrowserProgramTests {
    private func path(_ environment: [String: String], programs: Set<String>) -> String? {
        try? BrowserProgram(environment: environment, isExecutable: programs.contains).path
    }

    @Test("What BROWSER names goes before the desktop's own")
    func wanted() {
        let programs: Set = ["/usr/bin/xdg-open", "/opt/bin/firefox", "/usr/bin/firefox"]
        #expect(path(["PATH": "/bin:/usr/bin"], programs: programs) == "/usr/bin/xdg-open")
        #expect(path(["PATH": "/bin:/usr/bin", "BROWSER": "firefox"], programs: programs) == "/usr/bin/firefox")
        #expect(path(["PATH": "/usr/bin", "BROWSER": "/opt/bin/firefox"], programs: programs) == "/opt/bin/firefox")
        #expect(path(["PATH": "/usr/bin", "BROWSER": "lynx"], programs: programs) == "/usr/bin/xdg-open")
        #expect(path(["PATH": "/usr/bin", "BROWSER": ""], programs: programs) == "/usr/bin/xdg-open")
    }

    @Test("Without one it is said what to do")
    func none() {
        #expect(throws: CommandFailure.self) {
            try BrowserProgram(environment: ["PATH": "/usr/bin"], isExecutable: { _ in false })
        }
        #expect(path([:], programs: ["xdg-open"]) == nil)
    }
}
