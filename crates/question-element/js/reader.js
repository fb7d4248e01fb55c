// JSON that is still arriving.

const LITERALS = { true: true, false: false, null: null };
const ESCAPES = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };
/** The most containers within each other, as in Rust's reader. */
const DEPTH = 128;

/**
 * Reads JSON in pieces, each at the cost of its own length. `value` is what has come so far, and `open` the number of containers and strings around
 * its end. It does not tell whether all of it is JSON: `JSON.parse` of the whole does.
 */
export class Reader {
  value;
  open = 0;
  /** It is not JSON, or has a duplicate member: readers do not agree on which one counts. */
  isOdd = false;
  #text = "";
  #at = 0;
  #steps = this.#value((value) => (this.value = value));

  feed(piece) {
    this.#text = this.#text.slice(this.#at) + piece;
    this.#at = 0;
    if (!this.isOdd) this.#steps.next();
  }

  *#peek() {
    while (this.#at >= this.#text.length) yield;
    return this.#text[this.#at];
  }

  *#next() {
    const sign = yield* this.#peek();
    this.#at += 1;
    return sign;
  }

  /** The next character that begins or ends a value. */
  *#sign() {
    while (/[\s,:]/.test(yield* this.#peek())) this.#at += 1;
    return yield* this.#next();
  }

  *#value(put) {
    yield* this.#rest(yield* this.#sign(), put);
  }

  *#rest(sign, put) {
    if (sign === '"') return yield* this.#string(put);
    if (sign === "[" || sign === "{") return yield* this.#container(sign === "[" ? [] : {}, put);
    let word = sign;
    while (!/[\s,\]}]/.test(yield* this.#peek())) word += yield* this.#next();
    put(word in LITERALS ? LITERALS[word] : Number(word));
  }

  *#container(whole, put) {
    put(whole);
    this.open += 1;
    if (this.open > DEPTH) yield void (this.isOdd = true);
    for (let sign; !/[\]}]/.test((sign = yield* this.#sign())); ) {
      let key = whole.length;
      if (key !== undefined) yield* this.#rest(sign, (value) => (whole[key] = value));
      else {
        if (sign === '"') yield* this.#string((text) => (key = text));
        this.isOdd ||= sign !== '"' || Object.hasOwn(whole, key);
        // Stops reading.
        if (this.isOdd) yield;
        yield* this.#value((value) => (whole[key] = value));
      }
    }
    this.open -= 1;
  }

  /** The rest of a string. A high surrogate at the end waits for its other half. */
  *#string(put) {
    this.open += 1;
    let text = "";
    put(text);
    for (let sign; (sign = yield* this.#next()) !== '"'; ) {
      if (sign === "\\") {
        sign = yield* this.#next();
        let unit = "";
        if (sign === "u") while (unit.length < 4) unit += yield* this.#next();
        text += unit ? String.fromCharCode(parseInt(unit, 16)) : (ESCAPES[sign] ?? sign);
      } else {
        const plain = /^[^"\\]*/.exec(this.#text.slice(this.#at))[0];
        this.#at += plain.length;
        text += sign + plain;
      }
      put(text);
    }
    this.open -= 1;
  }
}
