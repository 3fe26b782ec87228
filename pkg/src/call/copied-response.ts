/** A response with another body. */

const PLAIN = /^[\t\x20-\x7e]*$/;
/** Statuses whose responses have no body: the constructor refuses one (https://fetch.spec.whatwg.org/#null-body-status). */
const WITHOUT_BODY: ReadonlySet<number> = /* @__PURE__ */ new Set([101, 103, 204, 205, 304]);

/** The same response to its reader, with the body that is given. */
export function copiedResponse(response: Response, body: BodyInit | null): Response {
  const { status, statusText, headers } = response;
  if (status === 0) return response; // An opaque one, which has no body and cannot be made.
  const copy = new Response(WITHOUT_BODY.has(status) ? null : body, {
    status,
    statusText: plainReason(statusText),
    headers,
  });
  return described(copy, response);
}

/** A reason phrase that the constructor takes. RFC 9112 §4 allows other bytes, which `fetch` passes on: then none. */
export function plainReason(statusText: string): string {
  return PLAIN.test(statusText) ? statusText : '';
}

/** A made response has no address of its own: clients log it. */
function described(copy: Response, { url, redirected, type, statusText }: Response): Response {
  const clone = copy.clone.bind(copy);
  return Object.defineProperties(copy, {
    url: { value: url },
    redirected: { value: redirected },
    type: { value: type },
    statusText: { value: statusText },
    clone: { value: () => described(clone(), copy) },
  });
}
