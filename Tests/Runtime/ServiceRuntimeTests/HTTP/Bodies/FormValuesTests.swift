import ServiceRuntime
import Testing

@Suite("Values of queries and forms")
struct FormValuesTests {
    @Test("Names and values are read however they are written, of two alike the first")
    func fields() {
        let form = FormValues("reference=G%2D10+42&empty=&%C3%A6=%F0%9F%8D%8E&alone&=x&reference=last&bad=%zz")
        let expected = ["reference": "G-10 42", "empty": "", "æ": "🍎", "alone": "", "": "x", "bad": "%zz"]
        #expect(form.fields == expected)
        #expect(form.text("empty", "none", "reference") == "G-10 42" && form.text("alone") == nil)
        #expect(FormValues("a=%2B+%26").text("a") == "+ &")
        #expect(FormValues("").isEmpty && FormValues("&&").isEmpty)
    }

    @Test("What is chosen several times is there several times")
    func several() {
        let form = FormValues("delivery=a+1&reason=late&delivery=b+2&delivery=")
        #expect(form.all("delivery") == ["a 1", "b 2", ""] && form.all("reason") == ["late"])
        #expect(form.all("courier").isEmpty)
    }

    @Test("What is added gives only names that are not there yet")
    func added() {
        var form = FormValues("id=first&lat=")
        form.add("id=second&lat=1&lon=2")
        #expect(form.fields == ["id": "first", "lat": "", "lon": "2"])
    }

    @Test("Pairs beyond the bound are passed over, and are part of no other value")
    func bound() {
        let text = (1...200).map { "n\($0)=\($0)" }.joined(separator: "&")
        let form = FormValues(text)
        #expect(form.fields.count == FormValues.pairsMax && form.text("n128") == "128" && form.text("n129") == nil)
        #expect(FormValues(text, pairsMax: .max).fields.count == 200)
    }
}
