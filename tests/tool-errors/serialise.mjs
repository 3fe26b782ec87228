// A thrown value as JSON, and back: class names, own and inherited properties, causes, lists, headers. No stacks, no
// symbols; what runs (sockets, agents, streams) is kept as a shell with its plain fields.
import { EventEmitter } from 'node:events';
import os from 'node:os';
import { fileURLToPath } from 'node:url';
import { types } from 'node:util';

const TEXT_LIMIT = 4096;
/** How deep a value is followed; less deep when its JSON would be longer than SIZE_LIMIT. */
const DEPTHS = [7, 5, 4, 3];
const SIZE_LIMIT = 6000;
const PROPERTY_LIMIT = 64;
const ITEM_LIMIT = 32;
/** Classes that every process has: a rebuilt value inherits from the real ones. */
const BUILT_IN = {
  Object,
  Error,
  EvalError,
  RangeError,
  ReferenceError,
  SyntaxError,
  TypeError,
  URIError,
  AggregateError,
  DOMException,
};
const prototypes = new Map(Object.values(BUILT_IN).map((type) => [type.prototype, type.name]));

// ── to JSON

const here = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
/** Paths of the machine that records are no part of an error. */
const scrub = (text) =>
  text
    .replaceAll(here, '/app')
    .replaceAll(os.tmpdir(), '/data')
    .replaceAll(os.hostname(), 'host')
    .slice(0, TEXT_LIMIT);

/** Returns `value` as data that JSON can hold. */
export function pack(value) {
  let packed;
  for (const depth of DEPTHS) {
    packed = packTo(value, depth);
    if (JSON.stringify(packed).length <= SIZE_LIMIT) break;
  }
  return packed;
}

function packTo(value, limit) {
  const seen = new Map();
  const item = (found, depth) => {
    switch (typeof found) {
      case 'string':
        return scrub(found);
      case 'boolean':
        return found;
      case 'number':
        return Number.isFinite(found) && !Object.is(found, -0) ? found : { $: 'number', is: String(found) };
      case 'undefined':
        return { $: 'undefined' };
      case 'bigint':
        return { $: 'bigint', is: String(found) };
      case 'symbol':
        return { $: 'symbol', is: found.description ?? '' };
      case 'function':
        return { $: 'function', is: found.name };
    }
    if (found === null) return null;
    if (seen.has(found)) return { $: 'seen', is: seen.get(found) };
    seen.set(found, seen.size);
    return object(found, depth);
  };

  const object = (found, depth) => {
    if (Array.isArray(found)) {
      if (depth >= limit) return { $: 'array', is: [] };
      return { $: 'array', is: found.slice(0, ITEM_LIMIT).map((one) => item(one, depth + 1)) };
    }
    if (types.isDate(found)) return { $: 'date', is: found.getTime() };
    if (types.isUint8Array(found)) {
      return { $: 'bytes', is: Buffer.from(found.subarray(0, TEXT_LIMIT)).toString('base64') };
    }
    if (types.isArrayBuffer(found)) return { $: 'buffer', is: Buffer.from(found).toString('base64') };
    if (found instanceof URL) return { $: 'url', is: scrub(found.href) };
    if (types.isMap(found)) {
      return {
        $: 'map',
        is: [...found].slice(0, ITEM_LIMIT).map((pair) => pair.map((one) => item(one, depth + 1))),
      };
    }
    if (types.isSet(found)) {
      return { $: 'set', is: [...found].slice(0, ITEM_LIMIT).map((one) => item(one, depth + 1)) };
    }
    const chain = chainOf(found);
    if (chain.names[0] === 'Headers') return { $: 'headers', is: [...found].map((pair) => pair.map(scrub)) };
    return properties(found, chain, depth);
  };

  const properties = (found, chain, depth) => {
    const packed = { $: 'object', chain: chain.names };
    if (types.isNativeError(found)) packed.error = true;
    // Running objects are not copied, except for the parts of a response or a signal that a reader of errors needs.
    const runs = !packed.error && (found instanceof EventEmitter || RUNS.test(chain.names[0] ?? ''));
    const shallow = runs || depth >= limit;
    const keep = (name, one) =>
      !shallow ||
      (typeof one !== 'object' && typeof one !== 'function') ||
      (runs && OF_RESPONSE.has(name)) ||
      name === 'signal';
    const own = {};
    const hidden = [];
    for (const name of Object.getOwnPropertyNames(found)) {
      if (name === 'stack' || Object.keys(own).length >= PROPERTY_LIMIT) continue;
      const one = read(found, name);
      if (one === BROKEN || !keep(name, one)) continue;
      own[name] = item(one, limit === DEPTHS.at(-1) && OF_REQUEST.has(name) ? limit : depth + 1);
      if (!Object.prototype.propertyIsEnumerable.call(found, name)) hidden.push(name);
    }
    packed.own = own;
    if (hidden.length > 0) packed.hidden = hidden;
    const inherited = {};
    for (const name of chain.inherited) {
      if (Object.hasOwn(found, name) || SCOPE.test(name)) continue;
      const one = read(found, name);
      if (one === BROKEN || typeof one === 'function' || !keep(name, one)) continue;
      inherited[name] = item(one, limit === DEPTHS.at(-1) && OF_REQUEST.has(name) ? limit : depth + 1);
    }
    if (Object.keys(inherited).length > 0) packed.inherited = inherited;
    const pairs = pairsOf(found, chain);
    if (pairs) packed.pairs = pairs;
    return packed;
  };
  return item(value, 0);
}

const BROKEN = Symbol('a getter that throws');
const read = (from, name) => {
  try {
    return from[name];
  } catch {
    return BROKEN;
  }
};
const RUNS =
  /^(Socket|TLSSocket|ClientRequest|Agent|HttpsAgent|HttpAgent|ReadableStream|AbortSignal|AbortController|Timeout|Immediate|Promise|Readable|PassThrough|Request)$/;
/** The caller's own data: if a value is too long, only its plain fields are kept. */
const OF_REQUEST = new Set(['options', 'config', 'request', '_request', 'timings', 'input', 'init']);
const OF_RESPONSE = new Set(['headers', 'body', 'data', 'rawHeaders', 'req', 'reason']);
/** Getters that would compute something or wait. */
const SCOPE = /^(arrayBuffer|blob|formData|socket|connection|stack|then)$/;

/** The names of the classes up to the first that every process has, and what they define beyond methods. */
function chainOf(found) {
  const names = [];
  const inherited = new Set();
  for (let at = Object.getPrototypeOf(found); at !== null; at = Object.getPrototypeOf(at)) {
    const known = prototypes.get(at);
    if (known !== undefined) {
      names.push(known);
      if (known === 'DOMException') for (const name of ['name', 'message', 'code']) inherited.add(name);
      return { names, inherited };
    }
    const type = Object.hasOwn(at, 'constructor') ? read(at, 'constructor') : undefined;
    names.push(typeof type === 'function' ? type.name : '');
    for (const [name, { get, value }] of Object.entries(Object.getOwnPropertyDescriptors(at))) {
      if (name !== 'constructor' && (get || (value !== undefined && typeof value !== 'function')))
        inherited.add(name);
    }
    if (names.length > 12) break;
  }
  names.push('null');
  return { names, inherited };
}

/** Returns the pairs of a headers class of a library's own. */
function pairsOf(found, { names }) {
  if (!names.some((name) => name.includes('Headers')) || typeof found[Symbol.iterator] !== 'function')
    return undefined;
  const pairs = [];
  for (const pair of found) {
    if (!Array.isArray(pair)) return undefined;
    pairs.push(pair.map((one) => scrub(String(one))));
  }
  return pairs;
}

// ── and back

/** Returns the value that `packed` was made of, with classes of the same names. */
export function unpack(packed) {
  const seen = [];
  const item = (found) => {
    if (found === null || typeof found !== 'object') return found;
    const { $: kind, is } = found;
    const kept = (made) => {
      seen.push(made);
      return made;
    };
    switch (kind) {
      case 'number':
        return Number(is);
      case 'undefined':
        return undefined;
      case 'bigint':
        return BigInt(is);
      case 'symbol':
        return Symbol(is);
      case 'function':
        return Object.defineProperty(() => {}, 'name', { value: is });
      case 'seen':
        return seen[is];
      case 'array': {
        const list = kept([]);
        for (const one of is) list.push(item(one));
        return list;
      }
      case 'date':
        return kept(new Date(is));
      case 'bytes':
        return kept(Buffer.from(is, 'base64'));
      case 'buffer':
        return kept(new Uint8Array(Buffer.from(is, 'base64')).buffer);
      case 'url':
        return kept(new URL(is));
      case 'headers':
        return kept(new Headers(is));
      case 'map': {
        const map = kept(new Map());
        for (const [name, one] of is) map.set(item(name), item(one));
        return map;
      }
      case 'set': {
        const set = kept(new Set());
        for (const one of is) set.add(item(one));
        return set;
      }
    }
    return object(found, kept);
  };

  const object = ({ chain, error, own, hidden = [], inherited = {}, pairs }, kept) => {
    const dom = chain.length === 1 && chain[0] === 'DOMException';
    const made = kept(
      dom ? new DOMException(inherited.message, inherited.name) : bare(error, prototypeOf(chain)),
    );
    for (const [name, one] of Object.entries(own)) {
      const value = item(one);
      Object.defineProperty(made, name, {
        value,
        enumerable: !hidden.includes(name),
        configurable: true,
        writable: true,
      });
    }
    if (dom) {
      for (const one of Object.values(inherited)) item(one);
      return made;
    }
    const prototype = Object.getPrototypeOf(made);
    for (const [name, one] of Object.entries(inherited)) {
      const value = item(one);
      Object.defineProperty(prototype, name, { get: () => value, configurable: true });
    }
    const methods = pairs ? headersMethods(pairs) : metadataMethods(chain, made);
    for (const name of Reflect.ownKeys(methods)) {
      Object.defineProperty(prototype, name, { value: methods[name], configurable: true });
    }
    return made;
  };
  return item(packed);
}

/** Headers of a library's own class are read by their methods, as the Metadata of gRPC is. */
const headersMethods = (pairs) => ({
  get: (name) => pairs.find(([one]) => one.toLowerCase() === name.toLowerCase())?.[1],
  [Symbol.iterator]: () => pairs[Symbol.iterator](),
});
const metadataMethods = ([name], { internalRepr }) =>
  name === 'Metadata' && internalRepr instanceof Map
    ? {
        get: (key) => internalRepr.get(key.toLowerCase()) ?? [],
        getMap: () => Object.fromEntries([...internalRepr].map(([key, values]) => [key, values[0]])),
      }
    : {};

function bare(error, prototype) {
  if (!error) return Object.create(prototype);
  const made = new Error();
  Object.setPrototypeOf(made, prototype);
  delete made.message;
  return made;
}

/** Prototypes named as in `chain`, most derived first. */
function prototypeOf([name, ...rest]) {
  if (name === 'null') return null;
  if (rest.length === 0) return BUILT_IN[name].prototype;
  const type = { [name]() {} }[name];
  const prototype = Object.create(prototypeOf(rest));
  if (name !== '')
    Object.defineProperty(prototype, 'constructor', { value: namedClass(name, type), configurable: true });
  return prototype;
}
const namedClass = (name, type) => Object.defineProperty(type, 'name', { value: name, configurable: true });
