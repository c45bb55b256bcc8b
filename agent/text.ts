/** Cuts text without cutting a surrogate pair in two. */

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

export function head(text: string, length: number): string {
  if (text.length <= length) return text;
  return text.slice(0, length > 0 && isHighSurrogate(text.charCodeAt(length - 1)) ? length - 1 : length);
}

export function tail(text: string, length: number): string {
  if (text.length <= length) return text;
  const start = text.length - length;
  return text.slice(start > 0 && isHighSurrogate(text.charCodeAt(start - 1)) ? start + 1 : start);
}

/** Keeps head and tail (60 : 40) and says between them how much is missing. The mark comes on top of `length`. */
export function cutMiddle(text: string, length: number): string {
  if (text.length <= length) return text;
  const start = head(text, Math.floor(length * 0.6));
  const end = tail(text, Math.floor(length * 0.4));
  const missing = text.length - start.length - end.length;
  return `${start}\n\n[... ${missing} characters left out here ...]\n\n${end}`;
}
