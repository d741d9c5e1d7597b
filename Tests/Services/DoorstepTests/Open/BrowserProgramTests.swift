import CommandOutput
import Foundation
import TestSupport
import Testing

@testable import Doorstep

@Suite("The browser that a link is shown in")
struct BrowserProgramTests {
    private func path(
        _ environment: [String: String], display: [String: String] = ["DISPLAY": ":0"], programs: Set<String>
    ) -> String? {
        try? BrowserProgram(
            environment: environment.merging(display) { $1 }, isExecutable: programs.contains
        ).path
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

    @Test("Without a display the desktop's own shows nothing, and is passed over; what BROWSER names is not")
    func display() {
        let programs: Set = ["/usr/bin/xdg-open", "/usr/bin/lynx", "/usr/bin/wslview"]
        let path = ["PATH": "/usr/bin"]
        for display in [[:], ["DISPLAY": "", "WAYLAND_DISPLAY": ""]] as [[String: String]] {
            #expect(self.path(path, display: display, programs: ["/usr/bin/xdg-open"]) == nil)
            #expect(self.path(path, display: display, programs: programs) == "/usr/bin/wslview")
            let lynx = path.merging(["BROWSER": "lynx"]) { $1 }
            #expect(self.path(lynx, display: display, programs: programs) == "/usr/bin/lynx")
        }
        let wayland = ["WAYLAND_DISPLAY": "wayland-0"]
        #expect(self.path(path, display: wayland, programs: programs) == "/usr/bin/xdg-open")
    }

    @Test("A delivery's address on the desk is printed where there is a desktop's program and no display")
    func printed() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "browser-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (program, token) = (folder.appending(path: "xdg-open"), folder.appending(path: "token"))
        try Data("#!/bin/sh\n".utf8).write(to: program)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
        try Data("token\n".utf8).write(to: token)
        let id = "00000000-0000-4000-8000-000000000001"
        let environment = [
            "PATH": "\(folder.path):/usr/bin:/bin", "DOORSTEP_ORDERS_URL": "http://127.0.0.1:1",
            "DOORSTEP_ACTIVITY_DISPATCH_URL": "http://127.0.0.1:1", "DOORSTEP_DESK_URL": "https://desk.example",
            "DOORSTEP_OPERATOR_TOKEN_FILE": token.path,
        ]
        let page = "https://desk.example/deliveries/\(id)\n"
        for (display, printed) in [([:], page), (["DISPLAY": ":0"], "")] as [([String: String], String)] {
            let (exit, output) = try await ChildProcess.run(
                try Executables.path(of: "doorstep").path, ["ops", "open", id],
                environment: environment.merging(display) { $1 })
            #expect(exit == .code(0) && output == printed, "\(output)")
        }
    }

    @Test("Without one it is said what to do")
    func none() {
        #expect(throws: CommandFailure.self) {
            try BrowserProgram(environment: ["PATH": "/usr/bin"], isExecutable: { _ in false })
        }
        #expect(path([:], programs: ["xdg-open"]) == nil)
    }
}
