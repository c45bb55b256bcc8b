import type { EnvFile } from './env-file.ts';
import { isSecretName, passwordsIn } from './secret-values.ts';

/** A variable and where it was set, for messages. */
export interface Variable {
  readonly name: string;
  readonly value: string;
  /** "environment" or ".env line 3". */
  readonly origin: string;
}

/** The process environment over `.env`. An empty value counts as not set, which is how container tools pass what was left out. */
export class Environment {
  readonly #process: Readonly<Record<string, string | undefined>>;
  readonly #file: EnvFile;

  constructor(process: Readonly<Record<string, string | undefined>>, file: EnvFile) {
    this.#process = process;
    this.#file = file;
  }

  find(name: string): Variable | undefined {
    const own = this.#process[name];
    if (own !== undefined && own !== '') return { name, value: own, origin: 'environment' };
    const entry = this.#file.entries.get(name);
    return entry === undefined || entry.value === '' ? undefined : { name, value: entry.value, origin: `.env line ${entry.line}` };
  }

  /** Values of variables whose name says that they are secret, whether we use them or not, and passwords in addresses. */
  secrets(): string[] {
    const names = [...new Set([...Object.keys(this.#process), ...this.#file.entries.keys()])];
    return names.flatMap((name) => {
      const value = this.find(name)?.value ?? '';
      return isSecretName(name) && value !== '' ? [value] : passwordsIn(value);
    });
  }
}

const reference = /\$\$(?=\{)|\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** `${NAME}` becomes the variable's value; `$${NAME}` stays as it is with one dollar less. `missing` is called for a name that is not set. */
export function interpolate(text: string, env: Environment, missing: (name: string) => void): string {
  return text.replace(reference, (_, name: string | undefined) => {
    if (name === undefined) return '$';
    const variable = env.find(name);
    if (variable === undefined) missing(name);
    return variable?.value ?? '';
  });
}
