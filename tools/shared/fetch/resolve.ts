/** Names to addresses, asked of the name servers by ourselves: cancellable, and without the thread pool that file access waits for, too. */
import { lookup, Resolver } from 'node:dns/promises';

/** Empty: there is no such name. Rejects only with the signal's reason, or when the name servers cannot be asked. */
export type Resolve = (host: string, signal: AbortSignal) => Promise<readonly string[]>;

export interface ResolverOptions {
  /** "127.0.0.1:5353"; absent: those of the system. */
  readonly servers?: readonly string[];
  /** Also what this machine has names for itself (/etc/hosts, the local network), where the name servers know nothing. */
  readonly ownNames: boolean;
}

const timeoutMs = 2_500;
const tries = 2;

export function createResolve({ servers, ownNames }: ResolverOptions): Resolve {
  return async (host, signal) => {
    signal.throwIfAborted();
    const resolver = new Resolver({ timeout: timeoutMs, tries });
    if (servers !== undefined) resolver.setServers(servers);
    const cancel = (): void => resolver.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const found = await ask(resolver, host);
      signal.throwIfAborted();
      return found instanceof Error ? orOwn(host, ownNames, found) : found.length > 0 ? found : orOwn(host, ownNames);
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  };
}

/** Of both kinds. An error where neither kind could be had and not even that there is none. */
async function ask(resolver: Resolver, host: string): Promise<readonly string[] | Error> {
  const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  const failure = answers.find((answer) => answer.status === 'rejected' && !isNothing(answer.reason));
  return found.length === 0 && failure?.status === 'rejected' ? (failure.reason as Error) : found; // the resolver rejects with errors only
}

function isNothing(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENODATA' || code === 'ENOTFOUND';
}

async function orOwn(host: string, ownNames: boolean, failure?: Error): Promise<readonly string[]> {
  const own = ownNames ? await lookup(host, { all: true }).catch(() => []) : [];
  if (own.length === 0 && failure !== undefined) throw failure;
  return own.map(({ address }) => address);
}
