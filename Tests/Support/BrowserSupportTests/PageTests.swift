import BrowserSupport
import Foundation
import TestSupport
import Testing

@Suite("Pages in a browser", .tags(.integration), .timeLimit(.minutes(5)))
struct PageTests {
    @Test("A form is found, filled and sent as by its user")
    func form() async throws {
        try await Site.visit { page, origin, _ in
            try await page.open("\(origin)/form")
            #expect(try await page.title == "A form")
            let field = try await page.element("input")
            #expect(try await field.role == "textbox")
            #expect(try await field.label == "Name")
            try await field.type("Adaa")
            try await page.press(.backspace)
            #expect(try await field.property("value", as: String.self) == "Ada")
            #expect(try await field.attribute("placeholder") == nil)
            try await page.element("main").element("form button").click()
            try await page.waitUntil("the page greets") {
                try await page.element("#greeting").text == "Hello, Ada"
            }
            #expect(try await page.url == "\(origin)/form?name=Ada")
            #expect(try await page.elements("button").count == 2)
            try await page.back()
            try await page.reload()
            try await page.waitUntil("the page greets nobody") { try await page.elements("#greeting").isEmpty }
        }
    }

    @Test("The keyboard alone moves the focus, types and sends")
    func keyboard() async throws {
        try await Site.visit { page, origin, _ in
            try await page.open("\(origin)/form")
            try await page.press(.tab)
            try await page.press(.tab)
            #expect(try await page.activeElement.text == "Greet")
            try await page.press(.tab, holding: .shift)
            #expect(try await page.activeElement.label == "Name")
            try await page.type("Åse")
            try await page.press(.enter)
            try await page.waitUntil("the page greets") {
                try await page.element("#greeting").text == "Hello, Åse"
            }
        }
    }

    @Test("What a script returns is read as the type that is asked for, though the page's policy allows no evaluation")
    func scripts() async throws {
        struct Place: Codable, Equatable {
            let name: String
            let floor: Int?
        }
        try await Site.visit { page, origin, _ in
            try await page.open("\(origin)/form")
            let place = Place(name: "Østerbro 4", floor: 3)
            #expect(try await page.execute("return arguments[0]", place, as: Place.self) == place)
            #expect(try await page.execute("return [1, arguments[0]]", 0.5, as: [Double].self) == [1, 0.5])
            #expect(try await page.execute("return undefined", as: String?.self) == nil)
            #expect(try await page.execute("return Promise.resolve(arguments[0].length)", "four", as: Int.self) == 4)
            let button = try await page.element("#load")
            #expect(try await page.execute("return arguments[0].id", button, as: String.self) == "load")
            let callback = "setTimeout(arguments[arguments.length - 1], 0, 7)"
            #expect(try await page.executeAsync(callback, as: Int.self) == 7)
            try await page.execute("document.title = arguments[0]", "Another")
            #expect(try await page.title == "Another")
            let error = await #expect(throws: WebDriverError.self) { try await page.execute("return missing.name") }
            #expect(error?.code == "javascript error")
        }
    }

    @Test("A wait finds what took the place of what it was, which itself is stale")
    func swaps() async throws {
        try await Site.visit { page, origin, _ in
            try await page.open("\(origin)/form")
            let former = try await page.element("#list li")
            #expect(try await former.text == "nothing")
            try await page.element("#load").click()
            let second = try await page.waitFor("there is a second line") {
                try await page.element("#list li:nth-child(2)")
            }
            #expect(try await second.text == "second")
            let error = await #expect(throws: WebDriverError.self) { try await former.text }
            #expect(error?.code == "stale element reference")
            #expect(error?.isTransient == true)
        }
    }

    @Test("A click on what the page replaces before the button is released is repeated on what took its place")
    func replacedWhilePressed() async throws {
        try await Site.visit { page, origin, _ in
            try await page.open("\(origin)/form")
            let replace = """
                const replace = (event) => { event.target.outerHTML = event.target.outerHTML; };
                document.addEventListener("mousedown", replace, { once: true });
                """
            try await page.execute(replace)
            try await page.element("form button").click()
            #expect(try await page.elements("#greeting").isEmpty)
            try await page.execute(replace)
            try await page.click("form button")
            #expect(try await page.elements("#greeting").count == 1)
        }
    }

    @Test("What the driver calls an unknown error while a page is being replaced is asked for again; a crash is not")
    func replacedMeanwhile() throws {
        func isTransient(_ message: String) throws -> Bool {
            let answer = try JSONEncoder().encode(["error": "unknown error", "message": message])
            return try JSONDecoder().decode(WebDriverError.self, from: answer).isTransient
        }
        let replaced = #"{"code":-32000,"message":"Node with given id does not belong to the document"}"#
        #expect(try isTransient("unknown error: unhandled inspector error: \(replaced)"))
        #expect(try !isTransient("unknown error: session deleted because of page crash"))
    }

    @Test("A click waits for what is not there yet")
    func lateButton() async throws {
        try await Site.visit { page, origin, _ in
            try await page.open("\(origin)/form")
            try await page.execute(
                """
                setTimeout(() => {
                    const button = document.createElement('button');
                    button.id = 'late';
                    button.addEventListener('click', () => { document.title = 'Clicked'; });
                    document.querySelector('main').append(button);
                }, 200);
                """)
            try await page.click("#late")
            #expect(try await page.title == "Clicked")
        }
    }

    @Test("A wait that ends in vain names what was awaited, and what the page showed")
    func timeOut() async throws {
        try await Site.visit { page, origin, _ in
            try await page.open("\(origin)/form")
            let error = await #expect(throws: WaitTimedOut.self) {
                try await page.waitUntil("there is a third line", within: .milliseconds(1)) {
                    try await page.element("#list li:nth-child(3)").isDisplayed
                }
            }
            let text = try #require(error?.description)
            for part in ["there is a third line", "no such element", "\(origin)/form", "A form", "Who is there?"] {
                #expect(text.contains(part), "\(part) in \(text)")
            }
        }
    }

    @Test("What the console complains about is read once, the policy's refusals too")
    func console() async throws {
        try await Site.visit { page, origin, _ in
            try await page.open("\(origin)/form")
            #expect(try await page.readConsole().isEmpty)
            try await page.execute(
                """
                console.error('the door is locked');
                const script = document.createElement('script');
                script.textContent = 'document.title = "inline"';
                document.body.append(script);
                """)
            let entries = try await page.readConsole()
            #expect(entries.map(\.severity) == [.severe, .severe])
            #expect(entries.first?.text.contains("the door is locked") == true)
            #expect(entries.last?.text.contains("Content Security Policy") == true)
            #expect(try await page.readConsole().isEmpty)
            #expect(try await page.title == "A form")
        }
    }

    @Test("Cookies that no script can read are read and deleted")
    func cookies() async throws {
        try await Site.visit { page, origin, _ in
            try await page.open("\(origin)/cookie")
            let cookie = try #require(try await page.cookies.first)
            #expect(cookie.name == "seen" && cookie.value == "yes")
            #expect(cookie.httpOnly && !cookie.secure && cookie.sameSite == "Lax" && cookie.expiry == nil)
            #expect(try await page.execute("return document.cookie", as: String.self) == "")
            try await page.deleteCookie("seen")
            #expect(try await page.cookies.isEmpty)
        }
    }
}
