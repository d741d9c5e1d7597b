import Foundation
import Glibc
import TestSupport
import Testing

@Suite("Other programs that a test starts", .timeLimit(.minutes(5)))
struct ChildProcessTests {
    @Test("A program gets no descriptor of ours, so a connection that we close is closed while the program runs")
    func descriptors() async throws {
        var ends: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { close(ends[1]) }
        // A program that another test starts just now holds a copy of every descriptor until it has closed it.
        var wait = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(ends[1], SOL_SOCKET, SO_RCVTIMEO, &wait, socklen_t(MemoryLayout<timeval>.size))
        let child = try ChildProcess("sleep", ["600"])
        close(ends[0])
        var byte: UInt8 = 0
        // The end of the stream; EAGAIN while a process keeps the other end open.
        #expect(read(ends[1], &byte, 1) == 0)
        await child.kill9()
    }

    @Test("Its exit is the code or the signal that it ended with, and its output is whole")
    func exits() async throws {
        let (exit, output) = try await ChildProcess.run("sh", ["-c", "echo out; echo err >&2; exit 3"])
        #expect(exit == .code(3))
        #expect(output == "out\nerr\n")
        let killed = try await ChildProcess.run("sh", ["-c", "kill -9 $$"])
        #expect(killed.exit == .signal(SIGKILL))
    }

    @Test("A program reads all of an input that is longer than a pipe holds, and its output is whole")
    func input() async throws {
        let input = Data(repeating: 7, count: 1 << 20)
        let (exit, output) = try await ChildProcess.run("cat", input: input)
        #expect(exit == .code(0) && output == input)
    }

    @Test("A process runs from when it was started until it was waited for")
    func running() async throws {
        let process = try ChildProcess("sleep", ["600"])
        #expect(process.isRunning)
        await process.kill9()
        _ = await process.wait()
        #expect(!process.isRunning)
    }
}
