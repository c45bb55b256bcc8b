/** Which values are secret: told by the names that they have, and by what stands in them. Pure. */

const words = new Set('token secret password passwd passphrase pwd credential credentials pat dsn cookie apikey key'.split(' '));
/** Behind the word: "STRIPE_KEY_LIVE", "GITHUB_TOKEN_2". */
const variants = /^(?:\d+|prod|production|live|test|testing|staging|dev|main|old|new|backup)$/;

/** Names of keys and variables that hold a secret. A lone `key` names many things. */
export function isSecretName(name: string): boolean {
  const parts = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[_.-]+/)
    .filter((part) => part !== '');
  while (parts.length > 1 && variants.test(parts.at(-1) ?? '')) parts.pop();
  const last = parts.at(-1) ?? '';
  return words.has(last) && (last !== 'key' || parts.length > 1);
}

/** Sent along with every request, and in everybody's sight. */
const openHeaders = /^(?:http-)?referer$|^x-title$|^user-agent$|^accept|^content-type$|-(?:version|beta|organization|project)$/i;

/** Every text in what a secret key holds; of headers those that can be secret. */
export function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => (openHeaders.test(name) ? [] : textsIn(each)));
}

/** What stands below keys whose names say that it is secret, whoever reads them. */
export function namedSecrets(data: unknown): string[] {
  if (typeof data !== 'object' || data === null) return [];
  return Object.entries(data).flatMap(([name, value]) => (isSecretName(name) ? textsIn(value) : namedSecrets(value)));
}

/** The secret itself too, where it stands behind a word ("Bearer ...") or in an address. */
export function withInner(values: Iterable<string>): string[] {
  const inner = (value: string): string[] => {
    const behindWord = /^(?:Bearer|Basic|Token|Bot|Key)\s+(\S+)$/i.exec(value)?.[1];
    return [value, ...(behindWord === undefined ? [] : [behindWord]), ...passwordsIn(value)];
  };
  return [...new Set([...values].flatMap(inner))];
}

/** The password of an address, whatever the variable is called (HTTP_PROXY, DATABASE_URL). */
export function passwordsIn(value: string): string[] {
  const found = /^[a-z][a-z0-9+.-]*:\/\/[^\s/:@]*:([^\s/@]+)@/i.exec(value)?.[1];
  return found === undefined ? [] : [found, decoded(found)];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
