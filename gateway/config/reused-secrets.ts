import { isMap } from './known-keys.ts';
import type { SectionInput } from './read-section.ts';

/**
 * One secret for two purposes: whoever learns it for one has the other as well, and two bots that share a token take each other's messages away.
 * Sentences name the places and never the value.
 */
export class ReusedSecrets {
  readonly #places = new Map<string, string>();

  problems({ name, section, at = [name] }: SectionInput, value: unknown): readonly string[] {
    return section.secrets.flatMap((key) => {
      const secret = key.split('.').reduce<unknown>((inner, step) => (isMap(inner) ? inner[step] : undefined), value);
      if (typeof secret !== 'string' || secret === '') return [];
      const place = [...at, key].join('.');
      const other = this.#places.get(secret);
      this.#places.set(secret, other ?? place);
      return other === undefined ? [] : [`${other} and ${place} are the same secret: each bot and each purpose needs one of its own`];
    });
  }
}
