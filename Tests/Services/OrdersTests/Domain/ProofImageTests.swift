import SeededRandom
import TestSupport
import Testing

@testable import Orders

@Suite("Strangers' images")
struct ProofImageTests {
    private func contains(_ bytes: [UInt8], _ text: String) -> Bool { bytes.firstRange(of: Array(text.utf8)) != nil }

    @Test("What a camera or an editor writes beside a picture is gone, and the picture is as it was")
    func metadata() throws {
        let comment = SampleImage.segment(0xFE, Array("taken by Mette".utf8))
        let thumbnail = SampleImage.segment(0xE0, Array("JFXX".utf8) + SampleImage.jpeg())
        for metadata in [SampleImage.exif, comment, thumbnail, SampleImage.exif + comment + SampleImage.exif] {
            let image = try ProofImage(SampleImage.jpeg(metadata: metadata))
            #expect(image.format == .jpeg && image.bytes == SampleImage.jpeg())
            #expect(!contains(image.bytes, "Exif") && !contains(image.bytes, "GPS") && !contains(image.bytes, "Mette"))
        }
        let words = SampleImage.chunk("tEXt", Array("Author\0Mette".utf8))
        let place = SampleImage.chunk("eXIf", Array("MM\0*GPS".utf8))
        let profile = SampleImage.chunk("iCCP", [UInt8](repeating: 7, count: 900))
        let image = try ProofImage(SampleImage.png(extra: words + place + profile))
        #expect(image.format == .png && image.bytes == SampleImage.png())
    }

    @Test("The same picture has the same name, whatever was beside it")
    func name() throws {
        let image = try ProofImage(SampleImage.jpeg())
        #expect(try ProofImage(SampleImage.jpeg(metadata: SampleImage.exif)).hash == image.hash)
        #expect(try ProofImage(image.bytes) == image)
        #expect(ProofImage.isHash(image.hash))
        #expect(try ProofImage(SampleImage.jpeg(scans: 2)).hash != image.hash)
        for text in ["", "..", image.hash.uppercased(), image.hash + "0", "../" + String(image.hash.dropFirst(3))] {
            #expect(!ProofImage.isHash(text))
        }
    }

    @Test("Scans of a progressive JPEG, a large one and a PNG of each kind are accepted")
    func accepted() throws {
        _ = try ProofImage(SampleImage.jpeg(frame: SampleImage.frame(marker: 0xC2), scans: 10))
        _ = try ProofImage(SampleImage.jpeg(frame: SampleImage.frame(width: 4_096, height: 2_048)))
        let kinds: [(colour: UInt8, samples: Int)] = [(0, 1), (2, 3), (4, 2), (6, 4)]
        for (colour, samples) in kinds {
            _ = try ProofImage(SampleImage.png(header: SampleImage.header(colour: colour), samples: samples))
        }
        let palette = SampleImage.chunk("PLTE", [1, 2, 3])
        _ = try ProofImage(SampleImage.png(header: SampleImage.header(colour: 3), samples: 1, extra: palette))
        let bits = SampleImage.header(depth: 1, colour: 0)
        _ = try ProofImage(SampleImage.png(header: bits, pixels: PackedZeros.zlib(count: 48 * 9)))
    }

    /// Files that are refused, by a name.
    private struct Corpus {
        var files: [(name: String, bytes: [UInt8], fault: ProofImage.Fault)] = []

        mutating func add(_ name: String, _ bytes: [UInt8], _ fault: ProofImage.Fault) {
            files.append((name, bytes, fault))
        }
    }

    private static let page = Array("<script>alert(1)</script>".utf8)

    /// Files of other kinds, and of two at once.
    private static func foreign() -> Corpus {
        let (jpeg, png) = (SampleImage.jpeg(), SampleImage.png())
        let archive = Array("PK".utf8) + [UInt8](repeating: 5, count: 20)
        var corpus = Corpus()
        corpus.add("nothing", [], .unknownFormat)
        corpus.add("a page", page, .unknownFormat)
        corpus.add("an SVG", Array("<svg onload=alert(1)>".utf8), .unknownFormat)
        corpus.add("a GIF that is a script", Array("GIF89a=1;alert(1)".utf8), .unknownFormat)
        corpus.add("a PDF before a JPEG", Array("%PDF-1.7".utf8) + jpeg, .unknownFormat)
        corpus.add("a page behind a JPEG", jpeg + page, .trailingBytes)
        corpus.add("an archive behind a JPEG", jpeg + archive, .trailingBytes)
        corpus.add("two JPEGs", jpeg + jpeg, .trailingBytes)
        corpus.add("a page behind a PNG", png + page, .trailingBytes)
        corpus.add("an archive behind a PNG", png + archive, .trailingBytes)
        return corpus
    }

    private static func jpegs() -> Corpus {
        func framed(_ frame: [UInt8], scans: Int = 1) -> [UInt8] { SampleImage.jpeg(frame: frame, scans: scans) }
        func with(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
            SampleImage.jpeg(metadata: SampleImage.segment(marker, content))
        }
        let (start, end) = (SampleImage.start, SampleImage.end)
        let beyond: [UInt8] = [0xFF, 0xE1, 0xFF, 0xFF, 1]
        let large = SampleImage.frame(width: 65_535, height: 65_535)
        var corpus = Corpus()
        corpus.add("its beginning", start, .malformed)
        corpus.add("no pixels", start + end, .malformed)
        corpus.add("a scan before its frame", start + SampleImage.scan() + end, .malformed)
        corpus.add("two frames", SampleImage.jpeg(metadata: SampleImage.frame()), .malformed)
        corpus.add("a page among segments", SampleImage.jpeg(metadata: page), .malformed)
        corpus.add("a segment of no length", SampleImage.jpeg(metadata: [0xFF, 0xE1, 0, 0]), .malformed)
        corpus.add("a segment beyond the end", start + beyond, .malformed)
        corpus.add("a short table", with(0xDB, [0, 1, 2]), .malformed)
        corpus.add("a table that is a page", with(0xC4, [0] + page), .malformed)
        corpus.add("no height", framed(SampleImage.frame(height: 0)), .malformed)
        corpus.add("65,535 pixels on a side", framed(large), .tooManyPixels)
        let adobe = Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 0]
        corpus.add("Adobe's RGB", SampleImage.jpeg(metadata: SampleImage.segment(0xEE, adobe)), .unsupported)
        corpus.add("four colours", framed(SampleImage.frame(components: 4)), .unsupported)
        corpus.add("arithmetic coding", framed(SampleImage.frame(marker: 0xC9)), .unsupported)
        corpus.add("lossless coding", framed(SampleImage.frame(marker: 0xC3)), .unsupported)
        corpus.add("scans without end", framed(SampleImage.frame(marker: 0xC2), scans: 2_000), .unsupported)
        return corpus
    }

    private static func pngs() -> Corpus {
        func sized(_ width: Int, _ height: Int) -> [UInt8] {
            SampleImage.png(header: SampleImage.header(width: width, height: height))
        }
        let palette = SampleImage.chunk("PLTE", [1, 2, 3])
        let pixels = SampleImage.chunk("IDAT", [1])
        let header = SampleImage.signature + SampleImage.header()
        let beyond = SampleImage.number(0x7FFF_FFFF) + Array("IHDR".utf8)
        var changed = SampleImage.png()
        changed[changed.count - 1] ^= 1
        func packed(_ count: Int) -> [UInt8] { SampleImage.png(pixels: PackedZeros.zlib(count: count)) }
        let whole = 48 * (1 + 64 * 3)
        var corpus = Corpus()
        corpus.add("pixels that unpack to 30 MB more", packed(whole + 30_000_000), .malformed)
        corpus.add("a byte too much", packed(whole + 1), .malformed)
        corpus.add("a byte too little", packed(whole - 1), .malformed)
        corpus.add("pixels that unpack to nothing", SampleImage.png(pixels: Array(page)), .malformed)
        corpus.add(
            "a page behind the pixels", SampleImage.png(pixels: PackedZeros.zlib(count: whole) + page), .malformed)
        corpus.add("16 bits", SampleImage.png(header: SampleImage.header(depth: 16)), .unsupported)
        corpus.add("seven passes", SampleImage.png(header: SampleImage.header(interlace: 1)), .unsupported)
        corpus.add("its beginning", SampleImage.signature, .malformed)
        corpus.add("no pixels", header + SampleImage.chunk("IEND"), .malformed)
        corpus.add("100 gigapixels", sized(400_000, 250_000), .tooManyPixels)
        corpus.add("the most pixels there are", sized(0x7FFF_FFFF, 0x7FFF_FFFF), .tooManyPixels)
        corpus.add("no width", sized(0, 48), .malformed)
        corpus.add("a wrong checksum", changed, .malformed)
        corpus.add("transparent colours", SampleImage.png(extra: SampleImage.chunk("tRNS", [0, 0])), .unsupported)
        corpus.add("an unknown chunk", SampleImage.png(extra: SampleImage.chunk("ABCD", page)), .unsupported)
        corpus.add("a chunk beyond the end", SampleImage.signature + beyond, .malformed)
        corpus.add("no palette", SampleImage.png(header: SampleImage.header(colour: 3)), .malformed)
        corpus.add("a palette behind pixels", SampleImage.png(extra: pixels + palette), .malformed)
        corpus.add("an end with a page", header + pixels + SampleImage.chunk("IEND", page), .malformed)
        corpus.add("an iPhone's own", SampleImage.signature + SampleImage.chunk("CgBI", [0, 0, 0, 0]), .malformed)
        return corpus
    }

    @Test("Malformed, huge and double files are refused by what is wrong with them")
    func refused() {
        for corpus in [Self.foreign(), Self.jpegs(), Self.pngs()] {
            for file in corpus.files {
                #expect(throws: file.fault, "\(file.name)") { try ProofImage(file.bytes) }
            }
        }
    }

    @Test("No cut and no changed byte of an image crashes, and what is accepted has no more than its picture")
    func damaged() {
        let wholes = [SampleImage.jpeg(metadata: SampleImage.exif, scans: 3), SampleImage.png()]
        for (seed, whole) in wholes.enumerated() {
            for length in whole.indices {
                #expect(throws: ProofImage.Fault.self) { try ProofImage(Array(whole.prefix(length))) }
            }
            var random = SeededGenerator(seed: UInt64(seed))
            for _ in 0..<5_000 {
                var bytes = whole
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
                }
                // A fault is as good as an image: only a crash is not.
                guard let image = try? ProofImage(bytes) else { continue }
                // The same.
                let again = try? ProofImage(image.bytes)
                #expect(image.bytes.count <= bytes.count && again == image)
            }
        }
    }
}
