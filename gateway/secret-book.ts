import { homeSecrets } from './config/home-secrets.ts';
import { createRedactor, type Redact } from './secrets.ts';

/** Every secret that this process has ever known: one that was replaced may still be at work, and valid. */
export interface SecretBook {
  add(values: readonly string[]): void;
  /** Looks into the files again, also into those that cannot be used. */
  look(): void;
  /** The same list for as long as nothing was added. */
  all(): readonly string[];
  /** Of texts for people. */
  readonly redact: Redact;
}

/** With what the environment and the files of the home call a secret. Never throws. */
export function openSecretBook(home: string, env: Readonly<Record<string, string | undefined>>): SecretBook {
  let known = homeSecrets(home, env);
  const add = (values: readonly string[]): void => {
    const fresh = values.filter((value) => !known.includes(value));
    if (fresh.length > 0) known = [...new Set([...known, ...fresh])];
  };
  const all = (): readonly string[] => known;
  return { add, look: () => add(homeSecrets(home, env)), all, redact: createRedactor(all, 'plain') };
}
