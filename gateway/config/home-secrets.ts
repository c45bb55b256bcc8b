import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnvFile } from './env-file.ts';
import { Environment } from './environment.ts';
import { namedSecrets, withInner } from './secret-values.ts';
import { readYaml } from './yaml-file.ts';

/** What is secret in the environment and the files of a home by its name, whether they can be used or not. Never throws. */
export function homeSecrets(home: string, env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const environment = new Environment(env, parseEnvFile(readText(join(home, '.env'))));
  const file = readYaml(readText(join(home, 'config.yaml')), 'config.yaml');
  return withInner([...environment.secrets(), ...namedSecrets(file.data)]);
}

/** Whoever starts the gateway is told elsewhere what is wrong with a file. */
function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
