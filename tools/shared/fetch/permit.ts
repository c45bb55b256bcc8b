/** Whether a host may be connected to, and at which addresses. Asked anew for every hop. */
import { type AddressVerdict, judgeAddress } from './address.ts';
import type { Resolve } from './resolve.ts';
import { isMetadataName, isPrivateName, type Target } from './target.ts';

export interface PermitOptions {
  /** `security.allow_private_urls`. */
  readonly allowPrivate: boolean;
  readonly resolve: Resolve;
  /** Absent: by the registries of special addresses. */
  readonly judge?: (address: string) => AddressVerdict;
}

export type Permit =
  /** Nothing else may be connected to. */
  | { readonly ok: true; readonly addresses: readonly string[] }
  /** `refused`: by us, and it stays so. Else it may work later. */
  | { readonly ok: false; readonly refused: boolean; readonly problem: string };

/** One address that may not be is enough to refuse the name: who answers so has something in mind, or the name is of our own network. */
export async function permit(target: Target, options: PermitOptions, signal: AbortSignal): Promise<Permit> {
  const { host, isAddress } = target;
  const evident = refusedByName(target, options);
  if (evident !== undefined) return evident;
  const found = isAddress ? [host] : await addressesOf(host, options.resolve, signal);
  if (typeof found === 'string') return { ok: false, refused: false, problem: found };
  return refusedAmong(found, host, options) ?? { ok: true, addresses: found };
}

/** What can be told without asking a name server; undefined where that is nothing. */
export function refusedByName({ host, isAddress }: Target, options: PermitOptions): Permit | undefined {
  if (isMetadataName(host)) return refused(host, { class: 'never', what: 'a metadata service of a cloud' });
  if (isAddress) return refusedAmong([host], host, options);
  return !options.allowPrivate && isPrivateName(host) ? refused(host, { class: 'private', what: 'a private network' }) : undefined;
}

function refusedAmong(
  addresses: readonly string[],
  host: string,
  { judge = judgeAddress, allowPrivate }: PermitOptions,
): Permit | undefined {
  for (const address of addresses) {
    const verdict = judge(address);
    if (verdict.class === 'never' || (verdict.class === 'private' && !allowPrivate)) return refused(host, verdict, address);
  }
  return undefined;
}

/** A sentence where there are none. */
async function addressesOf(host: string, resolve: Resolve, signal: AbortSignal): Promise<readonly string[] | string> {
  const found = await resolve(host, signal).catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
  signal.throwIfAborted();
  if (found instanceof Error) return `the name servers did not answer for ${host} (${codeOf(found)}); try again later`;
  return found.length > 0 ? found : `there is no host ${host}; check how it is written`;
}

function codeOf(error: Error): string {
  return 'code' in error ? String(error.code) : error.message;
}

function refused(host: string, verdict: AddressVerdict, address?: string): Permit {
  const where = address === undefined || address === host ? host : `${host} (${address})`;
  const open =
    verdict.class === 'private' ? 'Only the owner can open it: security.allow_private_urls in config.yaml.' : 'No setting opens it.';
  return {
    ok: false,
    refused: true,
    problem: `${where} is not of the public internet (${verdict.what}). ${open} Do not look for a way around it.`,
  };
}
