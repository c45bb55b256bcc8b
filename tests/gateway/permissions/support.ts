import type { Touch } from '../../../agent/risk.ts';
import { readYaml } from '../../../gateway/config/yaml-file.ts';
import { parseRules } from '../../../gateway/permissions/parse.ts';
import { type CallFacts, createPermissions, type Permissions } from '../../../gateway/permissions/permissions.ts';
import { type Place, ruleText } from '../../../gateway/permissions/rule.ts';
import { shippedRules } from '../../../gateway/permissions/shipped.ts';

export const platforms: readonly string[] = ['telegram', 'slack', 'fake', 'web', 'telegram:work'];

export function parse(text: string) {
  const file = readYaml(text, 'permissions.yaml');
  const parsed = parseRules(file.data, { file, name: 'permissions.yaml', at: [], platforms });
  return { ...parsed, problems: [...file.problems, ...parsed.problems] };
}

/** As loading puts them together. */
export function permissionsOf(text: string, realPath: (file: string) => string = (file) => file): Permissions {
  const { rules, overrides, shipped, problems } = parse(text);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const all = [...rules, ...(shipped === false ? [] : shippedRules), ...overrides];
  return createPermissions(all, { home: '/home/ann', realPath });
}

export const ownersChat: Place = { platform: 'telegram', account: 'main', chatType: 'dm', chat: '1', role: 'owner' };

export function commands(...names: readonly string[]): CallFacts {
  return terminalCall(...names.map((name) => ({ kind: 'command' as const, name })));
}

export function terminalCall(...touches: readonly Touch[]): CallFacts {
  return { tool: 'terminal', toolset: 'terminal', workspace: '/ws', risk: { subjects: [], touches } };
}

const fileTools = { read: 'read_file', write: 'write_file', search: 'search_files' } as const;

export function fileCall(kind: keyof typeof fileTools, name: string, also: readonly string[] = []): CallFacts {
  return { tool: fileTools[kind], toolset: 'file', workspace: '/ws', risk: { subjects: [name], touches: [{ kind, name, also }] } };
}

/** "deny by terminal(x): deny", or "none". */
export function judged(permissions: Permissions, call: CallFacts, place: Place = ownersChat): string {
  const { decision, by } = permissions.judge(call, place);
  if (decision === undefined) return 'none';
  return `${decision} by ${by?.rule === undefined ? 'nothing' : ruleText(by.rule)}${by?.maybe === true ? ', maybe' : ''}`;
}
