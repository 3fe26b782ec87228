/** Cuts a text to a length. */

/** Returns at most `most` UTF-16 units of the text, an ellipsis included, and never half of a surrogate pair. */
export function clip(text: string, most: number): string {
  if (text.length <= most) return text;
  const cut = text.slice(0, most - 1);
  const last = cut.charCodeAt(cut.length - 1);
  return `${last >= 0xd800 && last < 0xdc00 ? cut.slice(0, -1) : cut}…`;
}
