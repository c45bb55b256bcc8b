/** Several accounts of one platform: what config.yaml says of each. */
import { isMap } from './known-keys.ts';
import type { SectionInput } from './read-section.ts';
import type { ConfigSection } from './section.ts';

export interface SectionAccounts {
  /** The section itself, which is the account `main`. */
  readonly own: unknown;
  readonly others: readonly { readonly name: string; readonly input: SectionInput }[];
  readonly problem?: string;
}

const namePattern = /^[a-z0-9][a-z0-9_-]{0,31}$/;

export function alone(data: unknown): SectionAccounts {
  return { own: data, others: [] };
}

/** A further account has what the section says but for its secrets and its switch; the environment's variables are the section's own. */
export function accountsOf(name: string, section: ConfigSection, data: unknown): SectionAccounts {
  if (!isMap(data) || data['accounts'] === undefined || data['accounts'] === null) return alone(data);
  const { accounts, ...own } = data;
  if (!isMap(accounts))
    return { own, others: [], problem: `config.yaml: ${name}.accounts must hold a name for each account, and its keys below that` };
  const wrong = Object.keys(accounts).filter((account) => account === 'main' || !namePattern.test(account));
  if (wrong.length > 0) return { own, others: [], problem: nameProblem(name, wrong) };
  const shared = without(own, ['enabled', ...section.secrets]);
  const others = Object.entries(accounts).map(([account, said]) => ({
    name: account,
    input: {
      name,
      section: { ...section, env: {} },
      data: isMap(said) ? { ...shared, ...said } : (said ?? shared),
      at: [name, 'accounts', account],
    },
  }));
  return { own, others };
}

function nameProblem(section: string, names: readonly string[]): string {
  const shown = names.map((name) => JSON.stringify(name)).join(', ');
  return `config.yaml: ${section}.accounts: ${shown} cannot name an account; use up to 32 lower-case letters, digits, "-" or "_", and not "main", which is the section itself`;
}

/** `keys`: also below other keys ("webhook.secret"). */
function without(data: Readonly<Record<string, unknown>>, keys: readonly string[]): Readonly<Record<string, unknown>> {
  const kept: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(data)) {
    const inner = keys.filter((each) => each.startsWith(`${key}.`)).map((each) => each.slice(key.length + 1));
    if (!keys.includes(key)) kept[key] = inner.length > 0 && isMap(value) ? without(value, inner) : value;
  }
  return kept;
}
