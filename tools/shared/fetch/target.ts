/** What an address names, as one parser reads it: the same result is judged, shown and connected to. Pure. */
import { isIP } from 'node:net';

export interface Target {
  /** Without user, password and fragment. */
  readonly url: URL;
  /** In small letters, without brackets and without a dot at its end; IDN in its ASCII form, an IP address in its usual spelling. */
  readonly host: string;
  readonly isAddress: boolean;
}

export type ParsedTarget = { readonly ok: true; readonly target: Target } | { readonly ok: false; readonly problem: string };

const maxLength = 4_096;

/** Decimal, octal, hexadecimal and short forms of an IP address become the usual one here, as the WHATWG parser has it. */
export function parseTarget(text: string, base?: URL): ParsedTarget {
  const given = text.trim();
  const url = given.length > maxLength ? null : URL.parse(given, base?.href);
  if (url === null) return no('it is not a complete address such as https://example.com/page');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return no(`only http and https are fetched, not "${url.protocol}"`);
  if (url.username !== '' || url.password !== '') return no('it has a user name or password in it; leave that away');
  const host = hostOf(url);
  if (host === '') return no('it names no host');
  url.hash = '';
  return { ok: true, target: { url, host, isAddress: isIP(host) !== 0 } };
}

function no(problem: string): ParsedTarget {
  return { ok: false, problem };
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/gu, '').replace(/\.+$/u, '');
}

const privateSuffixes = ['localhost', 'localdomain', 'local', 'internal', 'intranet', 'lan', 'home', 'corp', 'home.arpa', 'onion'];

/** Names that by themselves say that they are of somebody's own network or machine, whatever their addresses. */
export function isPrivateName(host: string): boolean {
  return !host.includes('.') || privateSuffixes.some((suffix) => host === suffix || host.endsWith(`.${suffix}`));
}

/** Names of services that hand out a machine's keys. */
export function isMetadataName(host: string): boolean {
  return ['metadata.google.internal', 'metadata.goog', 'metadata', 'instance-data', 'instance-data.ec2.internal'].includes(host);
}
