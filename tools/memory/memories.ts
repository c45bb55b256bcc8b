/** Whose memory is where, and what of it a prompt contains. */
import path from 'node:path';
import type { PersonRef } from '../../agent/tool.ts';
import { injectionIn } from '../shared/injection.ts';
import type { MemoryConfig } from './config.ts';
import { charactersOf, usageOf } from './entries.ts';
import { createMemoryFile, type MemoryFile } from './memory-file.ts';

export type MemoryTarget = 'memory' | 'user';

export interface Memories {
  /** The file that a person's calls are about, or a sentence that says why there is none. */
  of(person: PersonRef | undefined, target: MemoryTarget): MemoryFile | string;
  /** What a prompt contains: both blocks, or one, or nothing. Never throws: a memory that cannot be read is left out, and says so. */
  snapshot(person: PersonRef | undefined): Promise<string>;
}

export interface MemoryPlace {
  /** The `memories` directory of the home. */
  readonly directory: string;
  readonly config: MemoryConfig;
}

const nobodys =
  'There is no memory here: several people share this conversation, and what is remembered belongs to one person. In a direct chat it works.';
const profileIsPrivate =
  'The user profile is for a chat with that person alone: others read along here. Use the target "memory", or go on without.';

const fileNames: Readonly<Record<MemoryTarget, string>> = { memory: 'MEMORY.md', user: 'USER.md' };
const titles: Readonly<Record<MemoryTarget, string>> = {
  memory: 'MEMORY (your personal notes)',
  user: 'USER PROFILE (who the user is)',
};

/** The two files below the home are the owner's; everybody else has two of their own. */
export function createMemories({ directory, config }: MemoryPlace): Memories {
  const backedUp = new Set<string>();
  const limits: Readonly<Record<MemoryTarget, number>> = { memory: config.memory_char_limit, user: config.user_char_limit };
  const isOn: Readonly<Record<MemoryTarget, boolean>> = { memory: config.memory_enabled, user: config.user_profile_enabled };
  const of: Memories['of'] = (person, target) => {
    if (person === undefined) return nobodys;
    if (!isOn[target])
      return `This memory is switched off (${target === 'memory' ? 'memory.memory_enabled' : 'memory.user_profile_enabled'}).`;
    if (target === 'user' && !person.alone) return profileIsPrivate;
    return createMemoryFile(path.join(folderOf(directory, person), fileNames[target]), limits[target], backedUp);
  };
  return {
    of,
    snapshot: async (person) => {
      const blocks = await Promise.all((['memory', 'user'] as const).map((target) => blockOf(() => of(person, target), titles[target])));
      return blocks.filter((block) => block !== '').join('\n\n');
    },
  };
}

/** A key names one file, whatever it is made of. */
function folderOf(directory: string, { key, trusted }: PersonRef): string {
  if (trusted) return directory;
  if (!/^[A-Za-z0-9][\w@.+-]*$/.test(key)) throw new Error('a person whose key is no file name has no memory');
  return path.join(directory, 'people', key);
}

const rule = '═'.repeat(46);

async function blockOf(find: () => MemoryFile | string, title: string): Promise<string> {
  try {
    const file = find();
    if (typeof file === 'string') return '';
    const entries = await file.entries();
    if (entries.length === 0) return '';
    return [rule, `${title} [${usageOf(entries, file.limit)}]`, rule, withinLimit(entries, file.limit).join('\n§\n')].join('\n');
  } catch {
    return `${rule}\n${title} [cannot be read]\n${rule}`; // a prompt without it is better than no answer at all
  }
}

/** A prompt has a bound, whatever somebody wrote into the file. */
function withinLimit(entries: readonly string[], limit: number): readonly string[] {
  const within = entries.filter((_, index) => charactersOf(entries.slice(0, index + 1)) <= limit);
  const left = entries.length - within.length;
  return left === 0
    ? shownEntries(entries)
    : [...shownEntries(within), `[${left} more: this memory is longer than its limit. Make it shorter.]`];
}

/** For a model: what reads like an attack stays in the file and is not shown. */
export function shownEntries(entries: readonly string[]): readonly string[] {
  return entries.map((entry) => {
    const id = injectionIn(entry, 'strict');
    return id === undefined ? entry : `[blocked: an entry here reads like an attempt to take you over, or like a secret (${id})]`;
  });
}
